"""Says at the end of its process which threads are left."""

# ruff: noqa: T201

from __future__ import annotations

import atexit
import threading


@atexit.register
def tell() -> None:
    print("left:", *sorted(thread.name for thread in threading.enumerate()))
