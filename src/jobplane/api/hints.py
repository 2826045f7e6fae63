"""Messages for arguments and options that a job does not have."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from typing import Final

from jobplane.core.errors import InvalidPayload
from jobplane.core.spelling import explain_each, suggest

# Names that other job queues have for our options.
_ALIASES: Final = {
    "at": "scheduled_for",
    "countdown": "delay",
    "delay_seconds": "delay",
    "eta": "scheduled_for",
    "retries": "max_attempts",
    "run_at": "scheduled_for",
    "timeout": "timeout_seconds",
}


def explain_unknown_argument(
    error: InvalidPayload, given: Iterable[str], taken: Collection[str], options: Collection[str]
) -> InvalidPayload:
    """The error, or one that says what each unknown argument may have meant: an option of the job, or a parameter."""
    hints = {name: _hint_at_argument(name, taken, options) for name in given if name not in taken}
    if not hints:
        return error
    otherwise = f"The handler takes {', '.join(taken) or 'no arguments'}."
    return InvalidPayload(explain_each("Unknown argument", hints, otherwise), **error.facts)


def _hint_at_argument(unknown: str, taken: Collection[str], options: Collection[str]) -> str:
    """An option of that very name comes first. Another queue's name for an option is the last that is thought of."""
    near = suggest(unknown, taken)
    if unknown in options:
        return f"{_hint_at_option(unknown)} {near}".rstrip()
    alias = _ALIASES.get(unknown)
    return near if near or alias is None else _hint_at_option(alias)


def _hint_at_option(option: str) -> str:
    return f'"{option}" is an option of the job: use .options({option}=…).enqueue(…).'


def explain_unknown_option(unknown: Collection[str], options: Collection[str]) -> str:
    """A message about unknown options, with the nearest option for each, or all options."""
    hints = {name: _suggest_option(name, options) for name in sorted(unknown)}
    return explain_each("Unknown option", hints, f"The options are {', '.join(options)}.")


def _suggest_option(unknown: str, options: Collection[str]) -> str:
    alias = _ALIASES.get(unknown)
    return f'Did you mean "{alias}"?' if alias in options else suggest(unknown, options)
