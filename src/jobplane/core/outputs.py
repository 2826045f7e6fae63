"""The output of commands, as a worker reports it for one attempt."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, NamedTuple

from jobplane.core.bounds import BIGINT, INT
from jobplane.core.leases import Lease
from jobplane.core.payload import storable

LONGEST_TAIL: Final = 65_536  # characters


@dataclass(frozen=True, slots=True)
class CommandOutput:
    """The process of one attempt: what it used, and what it wrote last. Its exit code is a fact of the attempt.

    `signal` is the number of the signal that ended it. A tail has the last 64 KiB of a stream, with secrets masked.
    `bytes_dropped` counts the output that the log did not take. `undecodable` names the fields whose stored values
    cannot be decoded: these are None.
    """

    pid: int | None = None
    signal: int | None = None
    user_ms: int | None = None
    system_ms: int | None = None
    max_rss_bytes: int | None = None
    stdout_tail: str = ""
    stderr_tail: str = ""
    stdout_bytes: int = 0
    stderr_bytes: int = 0
    bytes_dropped: int = 0
    undecodable: tuple[str, ...] = ()


class NewOutput(NamedTuple):
    """The output of a leased attempt."""

    lease: Lease
    output: CommandOutput


def clean(output: CommandOutput) -> CommandOutput:
    """The same as every store can keep it: numbers in their bounds, tails without NUL and lone surrogates."""
    return CommandOutput(
        pid=_number(output.pid, INT),
        signal=_number(output.signal, INT),
        user_ms=_number(output.user_ms, BIGINT),
        system_ms=_number(output.system_ms, BIGINT),
        max_rss_bytes=_number(output.max_rss_bytes, BIGINT),
        stdout_tail=_tail(output.stdout_tail),
        stderr_tail=_tail(output.stderr_tail),
        stdout_bytes=_number(output.stdout_bytes, BIGINT) or 0,
        stderr_bytes=_number(output.stderr_bytes, BIGINT) or 0,
        bytes_dropped=_number(output.bytes_dropped, BIGINT) or 0,
    )


def _number(number: object, most: int) -> int | None:
    return min(max(number, 0), most) if isinstance(number, int) else None


def _tail(text: object) -> str:
    kept = text if isinstance(text, str) else str(text)
    return storable(kept[-LONGEST_TAIL:]) or ""
