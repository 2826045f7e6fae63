"""The states of commands that workers report of their policies. Metadata of a worker may have any shape."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final, NamedTuple, cast

Fields = Mapping[str, Any]

MISMATCH: Final = "policy_mismatch"
NOT_SERVED: Final = "queue_not_served"
_READY: Final = "ready"


class Word(NamedTuple):
    """The state of a command on a worker: `ready`, or the code of a reason, with a sentence in `detail`."""

    worker_id: str
    state: str
    detail: str


def policy_of(worker: Fields) -> Fields:
    """The commands in the policy of a worker, with the state that it reports of each."""
    metadata: Fields = worker.get("metadata") or {}
    policy = metadata.get("policy")
    return cast("Fields", policy) if isinstance(policy, Mapping) else {}


def allowed_commands(worker: Fields) -> list[str]:
    """The commands that the policy of a worker allows as they are now."""
    return sorted({*(worker.get("definitions") or ())} & {*policy_of(worker)})


def word_of(worker: Fields, key: str) -> Word:
    """The state that a worker reports of one command."""
    name = str(worker["worker_id"])
    if key in allowed_commands(worker):
        return Word(name, _READY, "")
    entry = policy_of(worker).get(key)
    said: Fields = cast("Fields", entry) if isinstance(entry, Mapping) else {}
    state = str(said.get("state") or MISMATCH)
    if state == _READY:  # the definition has changed, and the worker has not looked yet
        return Word(name, MISMATCH, "")
    return Word(name, state, str(said.get("detail") or ""))


def words_on(definition: Fields, workers: Sequence[Fields]) -> Iterator[Word]:
    """The states that live workers report of a command that their policies name; workers that run it come first."""
    key, queue = definition["key"], definition["queue"]
    naming = [each for each in workers if each["live"] and (key in policy_of(each) or key in each["mismatched"])]
    found = [(word_of(each, key), queue in each["queues"]) for each in naming]
    yield from (word for word, is_served in found if word.state == _READY and is_served)
    yield from (
        word._replace(state=NOT_SERVED, detail=f'It does not serve queue "{queue}".')
        for word, is_served in found
        if word.state == _READY and not is_served
    )
    yield from (word for word, _ in found if word.state != _READY)


def is_ready(word: Word) -> bool:
    """True if the worker runs the command."""
    return word.state == _READY
