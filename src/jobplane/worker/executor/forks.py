"""A fork of a handler ends when the handler returns: the event loop and the socket are its parent's."""

from __future__ import annotations

import logging
import os
from typing import Final

from jobplane.core.leases import Ending
from jobplane.core.model import Outcome
from jobplane.telemetry.logging import TRACEBACK

_log: Final = logging.getLogger("jobplane.executor")
_forks: Final[list[int]] = []  # this process, where it is one: known without asking the system for each job
os.register_at_fork(after_in_child=lambda: _forks.append(os.getpid()))


def is_fork() -> bool:
    return bool(_forks)


def leave(ending: Ending) -> None:
    """In a fork, exit as a script would. Its result is dropped, its exception is logged."""
    if not _forks:
        return
    code = int(ending.outcome is not Outcome.SUCCEEDED) if ending.exit_code is None else ending.exit_code
    if code and ending.reason != "system_exit":
        _log.error("A fork of a handler failed.", extra={"facts": {"pid": os.getpid(), TRACEBACK: ending.error}})
    os._exit(code)
