"""Messages for arguments and options that a job does not have."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from typing import Final

from jobplane.core.errors import InvalidPayload
from jobplane.core.spelling import nearest, suggest

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
    """The error, or one that says what an unknown argument may have meant: an option of the job, or a parameter."""
    unknown = next((name for name in given if name not in taken), None)
    if unknown is None:
        return error
    option = unknown if unknown in options else _ALIASES.get(unknown)
    if option is not None and nearest(unknown, taken) is None:
        what = f'"{option}" is an option of the job: use .options({option}=…).enqueue(…).'
    else:
        what = suggest(unknown, taken, f"The handler takes {', '.join(taken) or 'no arguments'}.")
    return InvalidPayload(f'Unknown argument "{unknown}". {what}', **error.facts)


def explain_unknown_option(unknown: Collection[str], options: Collection[str]) -> str:
    """What is wrong with names that are no options, with the nearest option of the first, or all options."""
    first = min(unknown)
    alias = _ALIASES.get(first)
    known = alias if alias in options else None
    what = f'Did you mean "{known}"?' if known else suggest(first, options, f"The options are {', '.join(options)}.")
    return f'Unknown option "{first}". {what}'
