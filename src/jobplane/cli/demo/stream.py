"""A stream of jobs in three tenants, in a thread beside the worker."""

from __future__ import annotations

import random
import threading
from collections.abc import Generator
from contextlib import contextmanager, suppress
from itertools import count
from typing import Final

from jobplane import AlreadyExists, Jobplane, JobplaneError

TENANTS: Final = ("bakery", "cinema", "harbor")  # none of the names that the tutorials make
PAUSE_SECONDS: Final = 0.4
_DICE: Final = random.SystemRandom()
_ARGUMENTS: Final = {
    "send-receipt": "order",
    "resize-image": "pixels",
    "import-catalog": "rows",
    "sync-stock": "shop",
    "send-report": "day",
}
_LATER: Final = {"send-report": 45.0}  # seconds


@contextmanager
def stream_jobs(app_url: str, admin_url: str) -> Generator[None]:
    """Enqueue a few jobs a second until the block ends."""
    with Jobplane(admin_url) as operator:
        for slug in TENANTS:
            with suppress(AlreadyExists):
                operator.create_tenant(slug)
    stopping = threading.Event()
    thread = threading.Thread(target=_stream, args=(app_url, stopping), name="demo")
    thread.start()
    try:
        yield
    finally:
        stopping.set()
        thread.join()


def _stream(url: str, stopping: threading.Event) -> None:
    with Jobplane(url) as jp:
        for number in count(1):
            key = _DICE.choice(list(_ARGUMENTS))
            with suppress(JobplaneError):  # the worker has not brought the definitions yet, or the server is stopping
                jp.enqueue(key, {_ARGUMENTS[key]: number}, tenant=_DICE.choice(TENANTS), delay=_LATER.get(key))
            if stopping.wait(_DICE.uniform(0, 2 * PAUSE_SECONDS)):
                return
