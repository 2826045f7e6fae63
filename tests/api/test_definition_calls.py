"""Definitions by hand, through the library."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from jobplane import AlreadyExists, DefinitionNotFound, Invalid, InvalidSchema, Jobplane, RevisionMismatch
from jobplane.core.model import Json


@pytest.fixture
def plane(tmp_path: Path) -> Iterator[Jobplane]:
    with Jobplane(f"sqlite:///{tmp_path / 'jobs.db'}", app="shop", version="1") as plane:
        yield plane


def define(plane: Jobplane, *keys: str) -> None:
    for key in keys:

        @plane.job(key)
        def handler(to: str) -> None: ...


def test_a_person_makes_changes_and_deletes_a_definition(plane: Jobplane) -> None:
    made = plane.create_definition({"key": "send", "arg_schema": {"type": "object"}})
    with pytest.raises(AlreadyExists):
        plane.create_definition({"key": "send"})

    changed = plane.change_definition(
        made.id, {"arg_schema": {"maxProperties": 2}, "metadata": {"team": "a"}}, revision=1
    )
    assert (changed.arg_schema, changed.metadata) == ({"type": "object", "maxProperties": 2}, {"team": "a"})
    with pytest.raises(RevisionMismatch):
        plane.change_definition("send", {"priority": 1}, revision=1)

    assert not plane.disable_definition("send").active
    assert plane.enable_definition(made.id).active
    assert plane.delete_definition("send").deleted_at is not None
    assert [*plane.definitions()] == []
    assert plane.get_definition(made.id).key == "send"
    with pytest.raises(DefinitionNotFound):
        plane.enable_definition("send")


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"priority": 5000}, "Invalid priority in the changes"),
        ({"backoff": {"cap": -1}}, "Invalid backoff/cap in the changes"),
        ({"colour": 1}, "Invalid colour in the changes"),
        ({"priority": None}, "priority"),
    ],
)
def test_a_bad_change_is_refused_with_its_place(plane: Jobplane, changes: dict[str, Json], said: str) -> None:
    plane.create_definition({"key": "send"})

    with pytest.raises(Invalid, match=said):
        plane.change_definition("send", changes)


def test_a_changed_schema_must_judge_payloads(plane: Jobplane) -> None:
    plane.create_definition({"key": "send", "arg_schema": {"type": "object"}})

    with pytest.raises(InvalidSchema):
        plane.change_definition("send", {"arg_schema": {"type": "colour"}})


def test_a_sync_of_the_whole_program_switches_off_what_is_gone(plane: Jobplane, tmp_path: Path) -> None:
    define(plane, "send", "count")
    assert {done.key: done.outcome for done in plane.sync()} == {"send": "created", "count": "created"}

    with Jobplane(f"sqlite:///{tmp_path / 'jobs.db'}", app="shop", version="1") as part:
        define(part, "send")
        part.enqueue("send", {"to": "a"})
        assert plane.get_definition("count").active

        assert {done.key: done.outcome for done in part.sync(dry_run=True)} == {
            "send": "unchanged",
            "count": "deleted_from_code",
        }
        assert plane.get_definition("count").active
        part.sync()

    assert plane.get_definition("count").deleted_from_code


def test_a_program_without_definitions_switches_nothing_off(plane: Jobplane, tmp_path: Path) -> None:
    define(plane, "send")
    plane.sync()

    with Jobplane(f"sqlite:///{tmp_path / 'jobs.db'}", app="shop", version="2") as empty:
        assert empty.sync() == []

    assert plane.get_definition("send").active
