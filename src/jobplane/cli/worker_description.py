"""A worker in words, for people."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, Final

from jobplane.cli.allowing import Word, allowed_commands, is_ready, policy_of, word_of, words_on
from jobplane.cli.nouns import WORKERS
from jobplane.cli.output.tables import paint
from jobplane.cli.output.text import plain

Fields = dict[str, Any]

_SHOWN: Final = ("hostname", "pid", "version", "slots", "running_count", "started_at", "last_seen_at")


def describe_worker(worker: Fields) -> Iterator[str]:
    """The lines of a description: a sentence, facts, and the commands that its policy names."""
    status = next(column.cell(worker) for column in WORKERS.columns if column.is_status)
    yield f"Worker {plain(str(worker['worker_id']))} is {paint(str(status))}."
    yield ""
    for name in _SHOWN:
        if worker.get(name) not in (None, ""):
            yield f"{name:<20} {plain(str(worker[name]))}"
    yield f"{'queues':<20} {plain(', '.join(worker.get('queues') or ()))}"
    if worker.get("definitions") is not None:
        yield f"{'definitions':<20} {plain(', '.join(worker['definitions']))}"
    if commands := list(_commands(worker)):
        yield from ["", "Commands", *commands]


def _commands(worker: Fields) -> Iterator[str]:
    """A line for each command: `ready`, or why the worker does not run it."""
    named = {*allowed_commands(worker), *(worker.get("mismatched") or ()), *policy_of(worker)}
    yield from (allowing_line(word_of(worker, key), key) for key in sorted(named))


def describe_allowing(definition: Fields, workers: Sequence[Fields] | None) -> Iterator[str]:
    """The lines about the workers that may run the command of a definition; none where the workers are not known."""
    if definition.get("command") is None or workers is None:
        return
    words = list(words_on(definition, workers))
    yield from ["", "Workers", *(allowing_line(word, word.worker_id) for word in words)]
    if not words:
        key = plain(str(definition["key"]))
        yield f"  No live worker has it in its policy. On a worker's machine: jobplane policy write {key}"
    elif not any(map(is_ready, words)):
        yield "  No live worker may run it."


def allowing_line(word: Word, name: str) -> str:
    """A line with the state of a command on a worker. `name` is that of the worker or of the command."""
    shown = paint("active" if is_ready(word) else "failed", f"{plain(word.state):<20}")
    return f"  {shown}  {plain(name)}" + (f"  {plain(word.detail)}" if word.detail else "")
