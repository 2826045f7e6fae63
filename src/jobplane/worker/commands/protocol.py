"""The messages between supervisor, launcher and keeper.

Between supervisor and launcher: records over a stream socket, a RUN with two descriptors beside it. Between supervisor
and keeper: frames (worker/frames.py). SETUP has the order, STOP a reason, CREDIT a number, FOLLOW nothing; READY has
the pid of the command, LOGS rows, SHARE a share and a message, ENDED the report. All bodies are JSON.
"""

from __future__ import annotations

import struct
from typing import Final, Literal, TypedDict

RECORD: Final = struct.Struct("<cxxxIiI")  # kind, number of the command, a value, length of the body that follows
RUN, KILL, PING = b"R", b"K", b"P"  # to the launcher; the body of RUN is a Place
FORKED, GONE, REFUSED, PONG = b"F", b"G", b"N", b"O"  # from it: values are pid, wait status, errno

Cause = Literal["exit", "timeout", "cancel", "gone", "shutdown", "deadline", "spawn"]


class Place(TypedDict):
    """The part of an order that the launcher needs to clean up when the keeper is killed."""

    name: str
    work_dir: str
    grace_seconds: float


class Order(TypedDict):
    """One attempt of a command, all secrets resolved. `name` names its working directory in `work_dir`.

    `limits` may have memory_bytes, processes, open_files, cpu_seconds and file_bytes. Without `uid` and `gid` the
    command runs as the worker's own user. `masks` are the values that must not be shown.
    """

    name: str
    seq: int
    argv: list[str]
    environment: dict[str, str]
    files: dict[str, str]
    masks: list[str]
    stdin: str | None
    uid: int | None
    gid: int | None
    groups: list[int]
    work_dir: str
    limits: dict[str, int]
    timeout_seconds: float | None
    grace_seconds: float


class Report(TypedDict):
    """The end of a command. All its processes are gone. Texts are masked.

    `cause` is what ended it first: "exit" if it ended on its own, "spawn" if it never ran: then `error` says why.
    `result` is JSON text; `result_fault` says why a result that the command gave cannot be used. `killed` counts the
    processes that had to be killed. `bytes_dropped` and `lines_dropped` are what the log does not have.
    """

    pid: int | None
    exit_code: int | None
    signal: int | None
    cause: Cause
    error: str | None
    result: str | None
    result_fault: str | None
    stdout_tail: str
    stderr_tail: str
    stdout_bytes: int
    stderr_bytes: int
    bytes_dropped: int
    lines_dropped: int
    user_ms: int
    system_ms: int
    max_rss_bytes: int
    killed: int


def make_report(cause: Cause, error: str | None = None) -> Report:
    """The report of a command that never ran."""
    return Report(
        pid=None,
        exit_code=None,
        signal=None,
        cause=cause,
        error=error,
        result=None,
        result_fault=None,
        stdout_tail="",
        stderr_tail="",
        stdout_bytes=0,
        stderr_bytes=0,
        bytes_dropped=0,
        lines_dropped=0,
        user_ms=0,
        system_ms=0,
        max_rss_bytes=0,
        killed=0,
    )
