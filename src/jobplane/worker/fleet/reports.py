"""Reads the reports of executors: settlements and log lines."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from datetime import UTC, datetime, timedelta
from typing import Final, cast

import orjson

from jobplane.core.leases import Ending, Lease, Settlement
from jobplane.core.logs import LogLevel, NewLogLine
from jobplane.core.model import Outcome
from jobplane.worker.frames import EndedRow, LogRow, log_bytes

_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)


def read_settlement(lease: Lease, row: EndedRow) -> Settlement:
    """The end of an attempt that the handler's process has seen."""
    _, outcome, *rest = row
    return Settlement(lease, Ending._make((Outcome(outcome), *rest)))


def add_duration(settlement: Settlement, spent_ms: int | None) -> Settlement:
    """A plain success with the handler's own time, where that was told."""
    if spent_ms is None:
        return settlement
    return Settlement(settlement.lease, settlement.ending._replace(spent_ms=spent_ms))


def read_log_lines(leases: Mapping[int, Lease], rows: Iterable[LogRow]) -> tuple[list[NewLogLine], dict[int, int]]:
    """The lines of those that are held, and the bytes of each seq."""
    lines: list[NewLogLine] = []
    sizes: defaultdict[int, int] = defaultdict(int)
    for row in rows:
        seq, number, micros, level, message, fields = row
        if (lease := leases.get(seq)) is not None:
            at = _EPOCH + timedelta(microseconds=micros)
            lines.append(NewLogLine(lease, number, at, cast("LogLevel", level), message, fields))
            sizes[seq] += log_bytes(message, len(orjson.dumps(fields)) if fields else 0)
    return lines, sizes
