"""Read the reports of executors: settlements and log lines. All readers raise ValueError or TypeError."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from math import isfinite
from typing import Any, Final, cast, get_args

import orjson

from jobplane.core.leases import Ending, Lease, Settlement
from jobplane.core.logs import LogLevel, NewLogLine
from jobplane.core.model import Outcome
from jobplane.core.payload import storable
from jobplane.worker.frames import SPENT, Broken, EndedRow, LogRow, log_bytes

_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)
_LAST_MICROS: Final = 1 << 53  # the year 2255; more is no time
_MOST_LINES: Final = 1 << 31  # as a store numbers them
_LEVELS: Final = frozenset(get_args(LogLevel))
_TEXT, _INT, _NUMBER = (str, type(None)), (int, type(None)), (int, float, type(None))
_FIELDS: Final = (dict, type(None))
_ENDING: Final = (_TEXT, _TEXT, _INT, _NUMBER, _TEXT, _NUMBER, _TEXT, _INT)  # the types of what follows the outcome


def read_settlement(lease: Lease, row: EndedRow) -> Settlement:
    """The settlement of an attempt, from the row of its executor."""
    return Settlement(lease, _read_ending(row))


def read_endings(rows: Mapping[int, bytes | None]) -> dict[int, Ending]:
    """The outcomes on a board, of which None is a plain success. Skips outcomes that cannot be read.

    A success is not the object SUCCEEDED: that one has no log line of its own.
    """
    found: dict[int, Ending] = {}
    for seq, row in rows.items():
        with suppress(ValueError, TypeError):
            found[seq] = Ending(Outcome.SUCCEEDED) if row is None else _read_ending(orjson.loads(row))
    return found


def _read_ending(row: EndedRow) -> Ending:
    _, outcome, *rest = row
    if len(rest) != len(_ENDING) or not all(map(isinstance, rest, _ENDING)):
        raise Broken(f"an outcome with wrong fields: {row!r:.200}")
    return Ending._make((Outcome(outcome), *rest))


def read_spent(body: bytes) -> tuple[int, float]:
    """The number of jobs that ended, and the seconds that they took in total."""
    count, seconds = SPENT.unpack(body)
    if not (isfinite(seconds) and seconds >= 0):
        raise Broken(f"{count} jobs that took {seconds} s")
    return count, seconds


def read_share(row: Sequence[Any]) -> tuple[int, float | None, str | None]:
    """The progress that an attempt has reported."""
    seq, share, message = row
    is_share = share is None or (isinstance(share, int | float) and 0 <= share <= 1)
    if not (isinstance(seq, int) and is_share and isinstance(message, _TEXT) and _is_storable(message)):
        raise Broken(f"progress with wrong fields: {row!r:.200}")
    return seq, share, message


def add_duration(settlement: Settlement, spent_ms: int | None) -> Settlement:
    """The settlement with the handler's own time, if that is known."""
    if spent_ms is None:
        return settlement
    return Settlement(settlement.lease, settlement.ending._replace(spent_ms=spent_ms))


def read_log_lines(leases: Mapping[int, Lease], rows: Iterable[LogRow]) -> tuple[list[NewLogLine], dict[int, int]]:
    """The lines of jobs that are held, and their bytes by seq."""
    lines: list[NewLogLine] = []
    sizes: defaultdict[int, int] = defaultdict(int)
    for row in rows:
        seq, number, micros, level, message, fields = _checked(row)
        if (lease := leases.get(seq)) is not None:
            at = _EPOCH + timedelta(microseconds=micros)
            lines.append(NewLogLine(lease, number, at, cast("LogLevel", level), message, fields))
            sizes[seq] += log_bytes(message, len(orjson.dumps(fields)) if fields else 0)
    return lines, sizes


def _checked(row: Sequence[Any]) -> Sequence[Any]:
    _, number, micros, level, message, fields = row
    numbers_fit = isinstance(number, int) and isinstance(micros, int) and 0 < number < _MOST_LINES
    texts_fit = isinstance(message, str) and level in _LEVELS and isinstance(fields, _FIELDS)
    if not (numbers_fit and texts_fit and abs(micros) < _LAST_MICROS):
        raise Broken(f"a log line with wrong fields: {row!r:.200}")
    return row


def _is_storable(text: str | None) -> bool:
    return text is None or text == storable(text)
