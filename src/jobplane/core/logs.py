"""Lines of logs, as they are written and as they are read."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Literal, NamedTuple
from uuid import UUID

from jobplane.core.leases import Lease
from jobplane.core.model import Json

LogLevel = Literal["debug", "info", "warning", "error"]


@dataclass(slots=True)
class NewLogLine:
    """A line that a handler wrote; `line` counts from 1 within its attempt."""

    lease: Lease
    line: int
    at: datetime
    level: LogLevel
    message: str
    fields: dict[str, Json] | None = None


class LogLine(NamedTuple):
    """A stored line; (attempt_no, line) orders a job's log and is where a reader goes on.

    `undecodable` names the fields whose stored values cannot be decoded: these are None.
    """

    attempt_no: int
    line: int
    at: datetime
    level: LogLevel
    message: str
    fields: dict[str, Json] | None
    undecodable: tuple[str, ...] = ()


class FoundLine(NamedTuple):
    """A line that a search found, with its job. What cannot be decoded of the job is named in the line's mark, too."""

    job_id: UUID
    definition_key: str
    line: LogLine


class Findings(NamedTuple):
    """What a search found; `scanned_all` False: it ended before it had seen everything."""

    lines: list[FoundLine]
    scanned_all: bool
