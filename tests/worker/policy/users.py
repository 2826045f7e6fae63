"""The users of the tests of policies: the one who runs them, and another one."""

from __future__ import annotations

import os
import pwd
import tempfile
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

import pytest

ME: Final = pwd.getpwuid(os.geteuid()).pw_name
OTHER: Final = pwd.getpwnam("nobody")
needs_root: Final = pytest.mark.skipif(os.geteuid() != 0, reason="only root can give files away and be somebody else")


@contextmanager
def being(uid: int) -> Generator[None]:
    """This process with another effective user, as a worker that is not root has one."""
    os.seteuid(uid)
    try:
        yield
    finally:
        os.seteuid(0)


@contextmanager
def open_directory() -> Generator[Path]:
    """A directory that every user can enter, unlike those of pytest."""
    with tempfile.TemporaryDirectory(dir="/tmp") as name:
        path = Path(name).resolve()
        path.chmod(0o755)
        yield path
