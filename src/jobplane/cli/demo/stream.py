"""A stream of jobs in three tenants, in a thread beside the worker."""

from __future__ import annotations

import random
import threading
from collections.abc import Generator, Sequence
from contextlib import contextmanager, suppress
from itertools import count
from typing import Final

from jobplane import AlreadyExists, Jobplane, JobplaneError
from jobplane.api.schedules import ScheduleFields
from jobplane.cli.demo.command import KEY as COMMAND
from jobplane.core.model import Document

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
# Of each tenant, by key: the label, the definition, its payload, and when.
_SCHEDULES: Final[dict[str, tuple[str, str, Document, ScheduleFields]]] = {
    "heartbeat": ("Receipt every minute", "send-receipt", {"order": 1}, {"interval_seconds": 60}),
    "stock": (
        "Stock, one at a time",
        "sync-stock",
        {"shop": 7},
        {"cron_expr": "*/2 * * * *", "overlap": "skip", "spread_seconds": 20},
    ),
    "nightly-import": (
        "Nightly import",
        "import-catalog",
        {"rows": 70},
        {"cron_expr": "0 2 * * *", "timezone": "America/New_York", "pause_after_failures": 3},
    ),
    "weekly-report": (
        "Weekly report",
        "send-report",
        {"day": 5},
        {"cron_expr": "30 8 * * MON", "timezone": "Europe/Berlin", "missed": "all"},
    ),
}


@contextmanager
def stream_jobs(app_url: str, admin_url: str, *, has_command: bool) -> Generator[None]:
    """Enqueue a few jobs a second until the block ends. `has_command`: also those of the demo's command."""
    with Jobplane(admin_url) as operator:
        for slug in TENANTS:
            with suppress(AlreadyExists):
                operator.create_tenant(slug)
    stopping = threading.Event()
    keys = [*_ARGUMENTS, *((COMMAND,) if has_command else ())]
    thread = threading.Thread(target=_stream, args=(app_url, keys, stopping), name="demo")
    thread.start()
    try:
        yield
    finally:
        stopping.set()
        thread.join()


def _stream(url: str, keys: Sequence[str], stopping: threading.Event) -> None:
    with Jobplane(url) as jp:
        missing = {(tenant, key) for tenant in TENANTS for key in _SCHEDULES}
        for number in count(1):
            missing = {each for each in missing if not _schedule(jp, *each)}
            key = _DICE.choice(keys)
            with suppress(JobplaneError):  # the worker has not brought the definitions yet, or the server is stopping
                jp.enqueue(
                    key, {_ARGUMENTS.get(key, "orders"): number}, tenant=_DICE.choice(TENANTS), delay=_LATER.get(key)
                )
            if stopping.wait(_DICE.uniform(0, 2 * PAUSE_SECONDS)):
                return


def _schedule(jp: Jobplane, tenant: str, key: str) -> bool:
    """Make a schedule; False while its definition is not there yet. One that is there stays as people have left it."""
    label, definition, payload, when = _SCHEDULES[key]
    fields: ScheduleFields = {**when, "key": key}
    try:
        jp.schedules.create(label, definition, payload, tenant=tenant, **fields)
    except AlreadyExists:
        return True
    except JobplaneError:
        return False
    return True
