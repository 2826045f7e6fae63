"""Make the ending of an attempt from the report of its keeper."""

from __future__ import annotations

import signal
from collections.abc import Mapping
from typing import Final

from pydantic_core import from_json

from jobplane.core.command import Command
from jobplane.core.leases import Ending
from jobplane.core.model import Outcome
from jobplane.core.outputs import CommandOutput
from jobplane.execution.artifacts import Artifacts
from jobplane.execution.endings import end_timed_out, end_with_result
from jobplane.worker.commands.protocol import Report

_SHOWN: Final = 2000  # characters of stderr in an error
_LAST: Final = 300  # of its last line where there are more
_OUTCOMES: Final[Mapping[str, Outcome]] = {"retry": Outcome.FAILED, "fail": Outcome.FATAL}


def end_command(report: Report, command: Command, timeout_seconds: int | None, artifacts: Artifacts | None) -> Ending:
    """The ending of an attempt whose processes are all gone."""
    code, cause = report["exit_code"], report["cause"]
    match cause:
        case "cancel":
            return Ending(Outcome.CANCELED, exit_code=_code(report))
        case "timeout":
            return end_timed_out(timeout_seconds)._replace(exit_code=_code(report))
        case "shutdown" | "gone":
            return Ending(Outcome.RELEASED, "shutdown")
        case "deadline":
            return Ending(Outcome.RELEASED, "lost_contact")
        case "spawn":
            return Ending(Outcome.FAILED, "not_started", report["error"])
        case "exit":
            pass
    meaning = "succeed" if code == 0 else command.exit_codes.get(code, "retry") if code is not None else "retry"
    if meaning == "succeed":
        return _succeed(report, artifacts)._replace(exit_code=code)
    return Ending(_OUTCOMES[meaning], "exit_code" if code is not None else "signal", _explain(report), _code(report))


def _code(report: Report) -> int | None:
    """The exit code; the negative number of the signal that ended the command."""
    number = report["signal"]
    return report["exit_code"] if number is None else -number


def _succeed(report: Report, artifacts: Artifacts | None) -> Ending:
    text, fault = report["result"], report["result_fault"]
    if fault is None and text is not None:
        try:
            return end_with_result(from_json(text, allow_inf_nan=False), artifacts)
        except ValueError as error:
            fault = f"it is no JSON: {error}."
    if fault is not None:
        return Ending(Outcome.FATAL, "invalid_result", f"The command's result cannot be kept: {fault}")
    return Ending(Outcome.SUCCEEDED)


def _explain(report: Report) -> str:
    """Describe the end of the command: its exit code or signal, its last line on stderr, and the lines before that."""
    number = report["signal"]
    how = f"exit code {report['exit_code']}" if number is None else _name(number)
    said = report["stderr_tail"][-_SHOWN:].strip()
    if not said:
        return f"The command ended with {how}."
    last = said.rpartition("\n")[2].strip()
    lines = "" if last == said else f"\nIts last lines on stderr:\n{said}"
    return f"The command ended with {how}: {last[:_LAST] if lines else last}{lines}"


def _name(number: int) -> str:
    names = {each.value: each.name for each in signal.Signals}
    return f"signal {names.get(number, number)}"


def make_output(report: Report) -> CommandOutput:
    """The part of the report that a store keeps."""
    return CommandOutput(
        pid=report["pid"],
        signal=report["signal"],
        user_ms=report["user_ms"],
        system_ms=report["system_ms"],
        max_rss_bytes=report["max_rss_bytes"],
        stdout_tail=report["stdout_tail"],
        stderr_tail=report["stderr_tail"],
        stdout_bytes=report["stdout_bytes"],
        stderr_bytes=report["stderr_bytes"],
        bytes_dropped=report["bytes_dropped"],
    )
