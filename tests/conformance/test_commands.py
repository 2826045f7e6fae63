"""Definitions with a command, and what becomes of the workers that know them."""

from __future__ import annotations

from typing import Any, Final

import pytest

from jobplane.core.errors import DefinitionOwned, Invalid
from jobplane.core.model import Document, NewWorker
from tests.client import Store
from tests.conformance.backend import Backend
from tests.conformance.factory import COMMAND, Factory
from tests.conformance.vandal import Vandal

OTHER: Final[Document] = {"executable": "/bin/echo", "argv": ["goodbye"]}


@pytest.fixture
def vandal(backend: Backend) -> Vandal:
    return Vandal(backend)


async def test_a_definition_with_a_command_is_of_the_kind_command(store: Store, make: Factory) -> None:
    made = await make.command("c")

    assert (made.kind, made.command, made.origin) == ("command", COMMAND, "db")
    assert await store.definitions(["c"]) == [made]


async def test_a_put_makes_and_keeps_a_command(store: Store, make: Factory) -> None:
    [made] = await store.put_definitions([{"key": "c", "command": COMMAND}])
    [same] = await store.put_definitions([{"key": "c", "description": "x"}], by_person=True)

    assert (made.kind, made.command) == ("command", COMMAND)
    assert (same.kind, same.command, same.description) == ("command", COMMAND, "x")


async def test_a_change_replaces_a_command_as_a_whole(store: Store, make: Factory) -> None:
    await make.command("c", command={**COMMAND, "stdin": "payload"})

    changed = await store.change_definition("c", {"command": OTHER})

    assert (changed.kind, changed.command, changed.revision) == ("command", OTHER, 2)


async def test_a_definition_that_nobody_runs_becomes_a_command(store: Store, make: Factory) -> None:
    await store.create_definition({"key": "free"})

    changed = await store.change_definition("free", {"command": COMMAND})

    assert (changed.kind, changed.command) == ("command", COMMAND)


async def test_only_a_definition_of_a_person_can_have_a_command(store: Store, make: Factory) -> None:
    await store.sync_definitions("", "", [{"key": "mine", "kind": "python"}])

    with pytest.raises(Invalid, match=r'^Definition "mine" cannot have a command: its origin is code\. Use another'):
        await store.change_definition("mine", {"command": COMMAND})
    with pytest.raises(Invalid, match=r'^Definition "d" cannot have a command: its kind is python\. Use another'):
        await store.change_definition("d", {"command": COMMAND})
    for document in ({"origin": "code"}, {"origin": "manager"}, {"kind": "python"}, {"kind": "connector"}):
        with pytest.raises(Invalid, match="cannot have a command"):
            await store.put_definitions([{"key": "new", "command": COMMAND, **document}])
    with pytest.raises(Invalid, match="cannot have a command"):
        await store.sync_definitions("", "", [{"key": "new", "kind": "python", "command": COMMAND}])
    with pytest.raises(Invalid, match=r'^Definition "new" of the kind command needs a command\.$'):
        await store.put_definitions([{"key": "new", "kind": "command"}])

    assert await store.definitions(["new"]) == []


async def test_a_command_stays_one(store: Store, make: Factory) -> None:
    made = await make.command("c")

    with pytest.raises(
        Invalid, match=r'^Definition "c" is a command, and stays one\. Use another key, or delete it first\.$'
    ):
        await store.put_definitions([{"key": "c", "kind": "python"}])
    with pytest.raises(Invalid, match="needs a value for command"):
        await store.change_definition("c", {"command": None})

    assert await store.definitions(["c"]) == [made]


@pytest.mark.parametrize("value", [5, "echo", [], {"argv": ["x" * 65_536]}])
async def test_a_command_is_an_object_of_at_most_64_kib(store: Store, make: Factory, value: Any) -> None:
    await make.command("c")

    for document in ({"key": "c", "command": value}, {"key": "new", "command": value}):
        with pytest.raises(Invalid, match="The command must"):
            await store.put_definitions([document])
    with pytest.raises(Invalid, match="The command must"):
        await store.change_definition("c", {"command": value})


@pytest.mark.parametrize("app", ["", "shop"])
@pytest.mark.parametrize("force", [False, True])
async def test_no_code_takes_the_key_of_a_command(store: Store, make: Factory, app: str, force: bool) -> None:
    made = await make.command("c")
    code = {"key": "c", "kind": "python", "description": "mine"}

    refusal = (
        '^Definition "c" is a command, and code cannot take its key. Use another key, or delete the command first.$'
    )
    with pytest.raises(DefinitionOwned, match=refusal):
        await store.sync_definitions(app, "1", [code], force=force)
    with pytest.raises(DefinitionOwned, match=refusal):
        await store.put_definitions([{**code, "origin": "code"}])

    assert await store.definitions(["c"]) == [made]


async def test_code_takes_the_key_of_a_command_that_was_deleted(store: Store, make: Factory) -> None:
    for key in ("synced", "put"):
        await make.command(key)
        await store.delete_definition(key)

    [report] = await store.sync_definitions("shop", "1", [{"key": "synced", "kind": "python"}])
    await store.put_definitions([{"key": "put", "kind": "python", "origin": "code"}])

    assert report.outcome == "restored"
    assert [(d.kind, d.command, d.active) for d in await store.definitions(["synced", "put"])] == [
        ("python", None, True)
    ] * 2


async def test_a_deleted_command_comes_back_with_nothing_of_before(store: Store, make: Factory) -> None:
    await make.command("c")
    deleted = await store.delete_definition("c")

    made = await store.create_definition({"key": "c"})

    assert (deleted.kind, deleted.command) == ("command", COMMAND)
    assert (made.kind, made.command) == (None, None)


async def known(store: Store) -> dict[str, tuple[list[str] | None, bool]]:
    return {worker.worker_id: (worker.definitions, worker.outdated) for worker in await store.workers()}


@pytest.mark.parametrize("change", ["command", "arg_schema", "deleted"])
async def test_a_worker_forgets_a_command_that_has_changed(store: Store, make: Factory, change: str) -> None:
    await make.command("c")
    await make.worker("knows", "c", "d")
    await make.worker("differs", "d", mismatched=["c"])
    await make.worker("other", "d", mismatched=["e"])
    await store.register_worker(NewWorker(worker_id="any", queues=["default"]))
    await make.jobs(1, definition="c")

    if change == "deleted":
        await store.delete_definition("c")
    else:
        await store.change_definition("c", {change: OTHER if change == "command" else {"title": "x"}})

    assert await known(store) == {
        "knows": (["d"], True),
        "differs": (["d"], True),
        "other": (["d"], False),
        "any": (None, False),
    }
    assert [await store.see_worker(name) for name in ("knows", "differs", "other", "any")] == [False, False, True, True]
    assert await make.claim(worker="knows") == []
    await make.worker("knows", "c", "d")
    assert await store.see_worker("knows")
    assert (await known(store))["knows"] == (["c", "d"], False)


async def test_a_change_of_anything_else_leaves_the_workers_alone(store: Store, make: Factory) -> None:
    await make.command("c")
    await make.worker("knows", "c", mismatched=["e"])

    await store.change_definition("c", {"description": "x", "max_running": 1, "tags": ["t"]})
    await store.change_definition("c", {"active": False})
    await store.change_definition("c", {"command": COMMAND})
    await store.change_definition("d", {"arg_schema": {"title": "x"}})

    assert await known(store) == {"knows": (["c"], False)}


async def test_a_new_command_is_compared_before_a_worker_runs_it(store: Store, make: Factory) -> None:
    await make.worker("names", "c")
    await make.worker("waits", "d", mismatched=["c"])

    await make.command("c")
    await make.jobs(1, definition="c")

    assert await known(store) == {"names": ([], True), "waits": (["d"], True)}
    assert await make.claim(worker="names") == []


async def test_a_forged_command_does_not_break_the_list(store: Store, make: Factory, vandal: Vandal) -> None:
    await make.command("c")
    await make.command("e")

    vandal.forge("definitions", "command", """'{"executable": "/bin/sh"}'""", "key = 'd'")
    vandal.forge("definitions", "kind", "'python'", "key = 'c'")
    vandal.forge("definitions", "command", "'[1]'", "key = 'e'")

    found = {d.key: (d.kind, d.command, d.undecodable) for d in await store.definitions()}
    assert found == {
        "d": ("python", {"executable": "/bin/sh"}, ()),
        "c": ("python", COMMAND, ()),
        "e": ("command", None, ("command",)),
    }


async def test_code_brings_a_forged_definition_back(store: Store, make: Factory, vandal: Vandal) -> None:
    await store.sync_definitions("", "", [{"key": "mine", "kind": "python"}])
    vandal.forge("definitions", "command", """'{"executable": "/bin/sh"}'""", "key = 'mine'")

    await store.sync_definitions("", "", [{"key": "mine", "kind": "python"}])

    [found] = await store.definitions(["mine"])
    assert (found.kind, found.command) == ("python", None)
