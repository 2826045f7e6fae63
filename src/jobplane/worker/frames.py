"""The protocol between the supervisor and an executor, over a socket pair.

A frame is the length of its body, its kind and the body. One frame is about many jobs. Bodies are JSON, except JOBS,
which has rows of a claim (core/claimed.py), and SPENT, which has two numbers.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator, Sequence
from enum import IntEnum
from typing import Any, Final, Literal, TypedDict

import orjson

from jobplane.core.model import Json

HEAD: Final = struct.Struct("<IBxH")  # length of the body, kind, and a mark that bytes of somebody else do not have
HEAD_MARK: Final = 0xA7C3
SPENT: Final = struct.Struct("<Id")  # jobs that ended since the last one, seconds that they took together
# The board has three parts, each with an entry for every place. The first tells what the place is used for, as one
# aligned word. 0: never used. seq: that attempt runs. -seq: its handler has returned a plain success, and the outcome
# is not sent. -(MARK + seq): it has ended in another way, as the third part says. MARK + seq: its outcome is in the
# socket. The second part has the number of lines that the attempt has logged. The third has the size of an EndedRow
# and its JSON, for all outcomes that are short enough.
SLOT: Final = struct.Struct("<q")
MARK: Final = 1 << 62
ROW_BYTES: Final = 2048
PLACE_BYTES: Final = 2 * SLOT.size + ROW_BYTES
ROW_SIZE: Final = struct.Struct("<I")
BROKEN: Final = 70  # the exit code of an executor that cannot go on, such as one that has lost its socket
BLOCKED_EXIT: Final = 4  # the exit code of an executor whose event loop was blocked past a deadline
MAX_BODY: Final = 256 * 1024 * 1024  # more is no frame, but somebody else's bytes
MOST_SLUGS: Final = 10_000  # of tenants that a process remembers

StopReason = Literal["cancel", "gone", "shutdown"]
Stop = StopReason | Literal["timeout"]
LogFormat = Literal["auto", "human", "json"]


class Kind(IntEnum):
    """What a frame is about. SETUP to TENANTS go to the executor, the others come from it."""

    SETUP = 1  # Setup: always the first
    JOBS = 2  # rows joined by newlines
    STOP = 3  # [[seq, StopReason], …]
    BACK = 4  # [n]: give back n jobs that have not started, the last dealt first; answered by RETURNED
    FOLLOW = 5  # [seq, …]: somebody reads their logs just now
    CREDIT = 6  # [[seq, bytes], …]: so much of their logs is stored, so much more may come
    QUIT = 7  # nothing: no more jobs; finish what runs and leave
    TENANTS = 8  # {tenant_id: slug, …}: for log lines

    READY = 32  # Ready
    FAILED = 33  # Failed: imports or startup hooks; the process leaves with 3
    DONE = 34  # [seq, …]: succeeded, with neither result nor progress, in numbers or words
    ENDED = 35  # [EndedRow, …]
    LOGS = 36  # [LogRow, …]: before the end of their attempt
    SHARE = 37  # [[seq, share | null, message | null], …]
    SPENT = 38  # the struct of that name
    RETURNED = 39  # [seq, …]: not started and given back, or stopped as gone: no outcome
    OVERDUE = 40  # [[seq, StopReason | "timeout"], …]: all that should have ended and have not; sent when it changes
    TOOK = 41  # [[seq, milliseconds], …]: before their DONE, for the few whose duration the log may show


class Setup(TypedDict):
    """The settings that an executor gets before it imports the user's modules."""

    imports: list[str]
    slots: int
    threads: int
    alone: bool
    board_fd: int
    log_level: str
    log_format: LogFormat
    linger_ms: float
    parent: int
    worker: str
    url: str | None
    artifacts_dir: str | None
    policy: str | None  # the path of the policy file
    sys_path: list[str]
    lease_seconds: int


class Known(TypedDict):
    """One definition of the imported modules, with the app and version of its Jobplane."""

    queue: str
    isolation: Literal["shared", "process"]
    on_lost_contact: Literal["stop", "continue"]
    document: dict[str, Json]
    app: str
    version: str


class Ready(TypedDict):
    """The definitions of an executor after imports and startup hooks. `url` is that of the modules' own Jobplane."""

    definitions: dict[str, Known]
    version: str
    url: str | None


class Failed(TypedDict):
    error: str


UNKNOWN: Final = "unknown_definition"  # the reason that an executor gives for what it has no handler for
EndedRow = Sequence[Any]  # seq, and the fields of an Ending
# seq, line, microseconds since 1970 UTC, level, message, fields
LogRow = tuple[int, int, int, str, str, dict[str, Json] | None]
ShareRow = tuple[int, float | None, str | None]


def log_bytes(message: str, fields_bytes: int = 0) -> int:
    """How many bytes of its job's credit a log line takes. Both sides count alike."""
    return 64 + len(message) + fields_bytes


def head(kind: Kind, length: int) -> bytes:
    """The head of a frame with a body of that length."""
    return HEAD.pack(length, kind, HEAD_MARK)


def read_head(data: bytes | bytearray, at: int = 0) -> tuple[Kind, int]:
    """Kind and length of the body that follows. Raises Broken: the body of garbage may never come."""
    length, kind, mark = HEAD.unpack_from(data, at)
    if mark != HEAD_MARK or length > MAX_BODY:
        raise Broken(f"{HEAD.size} bytes that begin no frame")
    try:
        return Kind(kind), length
    except ValueError:
        raise Broken(f"a frame of the unknown kind {kind}") from None


def frame(kind: Kind, body: bytes = b"") -> bytes:
    """One frame, ready to be written."""
    return head(kind, len(body)) + body


def json_frame(kind: Kind, body: object) -> bytes:
    """A frame whose body is JSON."""
    return frame(kind, orjson.dumps(body))


class Broken(ValueError):
    """The received bytes are no message of the protocol. Nothing after them can be trusted."""


class FrameReader:
    """Reads frames from a stream of bytes."""

    def __init__(self) -> None:
        self._rest = bytearray()

    def feed(self, data: bytes) -> Iterator[tuple[Kind, bytes]]:
        """The frames that are complete now. Raises Broken. Exhaust the iterator before the next call."""
        self._rest += data
        at, end = 0, len(self._rest)
        try:
            while end - at >= HEAD.size:
                kind, length = read_head(self._rest, at)
                if end - at - HEAD.size < length:
                    break
                start, at = at + HEAD.size, at + HEAD.size + length
                yield kind, bytes(self._rest[start:at])
        finally:
            del self._rest[:at]
