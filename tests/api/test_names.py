"""What users catch and hold has a name that they can import."""

from __future__ import annotations

import inspect
import sys
from collections.abc import Callable, Iterator
from typing import Final, get_args, get_origin

import pytest

import jobplane
from jobplane import AsyncJobManager, JobManager, Jobplane, JobplaneError, Schedules
from jobplane.api.job import Enqueuer
from jobplane.core import errors

# What the runner and the decorator need, and no user.
INTERNAL: Final = {"definition", "handler", "job"}


def test_every_error_can_be_caught_by_its_public_name() -> None:
    kinds = [kind for kind in vars(errors).values() if isinstance(kind, type) and issubclass(kind, JobplaneError)]

    assert len(kinds) > 20
    assert {kind.__name__ for kind in kinds} <= {*jobplane.__all__}


@pytest.mark.parametrize("kind", [Jobplane, Schedules, Enqueuer, JobManager, AsyncJobManager])
def test_what_a_verb_returns_can_be_imported(kind: type) -> None:
    verbs = [verb for name, verb in inspect.getmembers(kind, callable) if not name.startswith("_")]
    returned = [_returned(verb) for verb in verbs if verb.__name__ not in INTERNAL]

    ours = {part for answer in returned for part in _parts(answer) if part.__module__.startswith("jobplane.")}

    assert ours
    assert all(getattr(jobplane, part.__name__, None) is part for part in ours), ours


def _returned(verb: Callable[..., object]) -> object:
    """The modules name `list` otherwise where a verb has that name."""
    return eval(inspect.signature(verb).return_annotation, {**vars(sys.modules[verb.__module__]), "list_": list})


def _parts(answer: object) -> Iterator[type]:
    """The classes in an annotation."""
    if isinstance(answer, type) and not get_args(answer):
        yield answer
    for inner in (get_origin(answer), *get_args(answer)):
        if inner is not None and not isinstance(inner, list):
            yield from _parts(inner)
