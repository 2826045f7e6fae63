"""What the supervisor and an executor say to each other over their socket pair.

A frame is the length of its body, its kind and the body; one frame speaks of many jobs. Bodies are JSON but for JOBS,
which are the store's own rows (core/claimed.py), and SPENT, which is two numbers.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator, Sequence
from enum import IntEnum
from typing import Any, Final, Literal, TypedDict

import orjson

from jobplane.core.model import Json

HEAD: Final = struct.Struct("<IB")  # length of the body, kind
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

StopReason = Literal["cancel", "gone", "shutdown"]
Stop = StopReason | Literal["timeout"]
LogFormat = Literal["auto", "human", "json"]


class Kind(IntEnum):
    """What a frame is about. SETUP to QUIT go to the executor, the others come from it."""

    SETUP = 1  # Setup: always the first
    JOBS = 2  # rows joined by newlines
    STOP = 3  # [[seq, StopReason], …]
    BACK = 4  # [n]: give back n jobs that have not started, the last dealt first; answered by RETURNED
    FOLLOW = 5  # [seq, …]: somebody reads their logs just now
    CREDIT = 6  # [[seq, bytes], …]: so much of their logs is stored, so much more may come
    QUIT = 7  # nothing: no more jobs; finish what runs and leave

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
    """All that an executor is told before it imports anything of the user's."""

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
    """What an executor knows after imports and startup hooks; `url` is that of the modules' own Jobplane."""

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
    """What a log line costs of its job's credit; the same on both sides."""
    return 64 + len(message) + fields_bytes


def frame(kind: Kind, body: bytes = b"") -> bytes:
    """One frame, ready to be written."""
    return HEAD.pack(len(body), kind) + body


def json_frame(kind: Kind, body: object) -> bytes:
    """A frame whose body is JSON."""
    return frame(kind, orjson.dumps(body))


class Broken(ValueError):
    """The received bytes are no message of the protocol. Nothing after them can be trusted."""


class FrameReader:
    """Frames out of a stream of bytes, however they were cut."""

    def __init__(self) -> None:
        self._rest = bytearray()

    def feed(self, data: bytes) -> Iterator[tuple[Kind, bytes]]:
        """The frames that are whole now; raises Broken. To be read to its end before the next call."""
        self._rest += data
        at, end = 0, len(self._rest)
        try:
            while end - at >= HEAD.size:
                length, number = HEAD.unpack_from(self._rest, at)
                if length > MAX_BODY:
                    raise Broken(f"a frame of {length} bytes")
                kind = _kind(number)  # before its body has come: garbage may announce one that never does
                if end - at - HEAD.size < length:
                    break
                start, at = at + HEAD.size, at + HEAD.size + length
                yield kind, bytes(self._rest[start:at])
        finally:
            del self._rest[:at]


def _kind(number: int) -> Kind:
    try:
        return Kind(number)
    except ValueError:
        raise Broken(f"a frame of the unknown kind {number}") from None
