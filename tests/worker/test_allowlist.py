"""A command is approved by the policy and the definition as they are when it starts, not when it was claimed."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Callable, Generator
from pathlib import Path
from typing import Any

import pytest

from jobplane.core.model import Definition, Document
from jobplane.process.contact import Contact
from jobplane.store.verbs.engine import RegisterWorker
from jobplane.worker.allowlist import Allowlist, Approved
from jobplane.worker.claim_records import ClaimRecords
from jobplane.worker.journal import Journal
from jobplane.worker.registration import Registration
from tests.client import BlockingStore, Store
from tests.database import Database
from tests.worker.command_site import SHELL, CommandSite
from tests.worker.commands.site import open_directory
from tests.worker.settings import settings
from tests.worker.stage import Stage

pytestmark = [pytest.mark.anyio, pytest.mark.parametrize("any_stage", ["postgres"], indirect=True)]


@pytest.fixture
def site(any_stage: Stage, any_store: BlockingStore, tmp_path: Path) -> CommandSite:
    return CommandSite(any_stage, any_store, tmp_path)


@pytest.fixture
def program() -> Generator[Path]:
    with open_directory() as directory:
        path = directory / "program"
        path.write_text("#!/bin/sh\n")
        path.chmod(0o755)
        yield path


@pytest.fixture
def definition(site: CommandSite, program: Path) -> Definition:
    found = site.define("c", str(program))
    site.allow(found)
    return found


@pytest.fixture
async def allowlist(site: CommandSite, definition: Definition, store: Store) -> Allowlist:
    assert definition.key == "c"
    found = Allowlist(site.policy, lambda *_, **__: None)
    found.bind(store.run)
    await found.refresh(store.run)
    assert found.ready == {"c"}
    return found


async def approve(allowlist: Allowlist) -> str:
    found = await allowlist.approve("c")
    if isinstance(found, Approved):
        found.executable.close()
        return "approved"
    return found


async def test_what_fits_is_approved_with_its_executable_open(allowlist: Allowlist, program: Path) -> None:
    found = await allowlist.approve("c")

    assert isinstance(found, Approved)
    assert os.fstat(found.executable.fd).st_ino == program.stat().st_ino  # noqa: ASYNC240
    found.executable.close()


async def test_what_a_registration_finds_ready_is_approved(allowlist: Allowlist, db: Database, store: Store) -> None:
    """Else its jobs would be claimed and released again and again."""
    db.peek("update jobplane.definitions set updated_at = 'infinity' where key = 'c'")

    await allowlist.refresh(store.run)

    assert allowlist.ready == {"c"}
    assert await approve(allowlist) == "approved"


@pytest.mark.parametrize(
    ("change", "answer"),
    [
        ({"active": False}, "inactive"),
        ({"command": {"executable": "/bin/sh", "argv": ["-c", "reboot"]}}, "policy_mismatch"),
        ({"arg_schema": {"properties": {"more": {"type": "string"}}}}, "policy_mismatch"),
        ({"timeout_seconds": 60}, "approved"),
        ({"max_running": 3, "description": "another text"}, "approved"),
    ],
)
async def test_a_change_of_the_definition_counts_from_the_next_start(
    allowlist: Allowlist, site: CommandSite, definition: Definition, change: dict[str, Any], answer: str
) -> None:
    assert await approve(allowlist) == "approved"

    site.store.change_definition(definition.id, change)

    assert await approve(allowlist) == answer


async def test_a_deleted_definition_starts_nothing(allowlist: Allowlist, site: CommandSite) -> None:
    site.store.delete_definition("c")

    assert await approve(allowlist) == "inactive"


async def test_a_change_of_the_policy_counts_from_the_next_start(
    allowlist: Allowlist, site: CommandSite, store: Store
) -> None:
    site.forget("c")

    assert await approve(allowlist) == "policy_mismatch"
    await allowlist.refresh(store.run)
    assert allowlist.ready == set()


async def test_a_policy_that_cannot_be_read_allows_nothing(
    allowlist: Allowlist, site: CommandSite, store: Store
) -> None:
    site.policy.write_text("[commands")

    assert await approve(allowlist) == "policy_mismatch"
    await allowlist.refresh(store.run)
    assert allowlist.ready == set()


async def test_a_policy_that_others_may_write_allows_nothing(allowlist: Allowlist, site: CommandSite) -> None:
    site.policy.chmod(0o666)

    assert await approve(allowlist) == "policy_mismatch"


async def test_calls_of_one_moment_share_a_statement(allowlist: Allowlist, store: Store) -> None:
    calls: list[object] = []

    async def ask(verb: Any) -> Any:
        calls.append(verb)
        return await store.run(verb)

    allowlist.bind(ask)
    answers = await asyncio.gather(*(approve(allowlist) for _ in range(50)))

    assert set(answers) == {"approved"}
    assert len(calls) <= 2


class Hesitating:
    """A store at which something happens just before the worker registers, once."""

    def __init__(self, store: Store, happens: Callable[[], object]) -> None:
        self._store = store
        self._happens: Callable[[], object] | None = happens

    async def run(self, verb: Any) -> Any:
        if isinstance(verb, RegisterWorker) and self._happens is not None:
            self._happens()
            self._happens = None
        return await self._store.run(verb)


@pytest.mark.parametrize("is_corrected", [True, False])
async def test_a_change_while_the_worker_registers_is_found_at_its_next_look(
    site: CommandSite, store: Store, is_corrected: bool
) -> None:
    """The definition is compared before the registration, so that one may be wrong, but not for long."""
    first = site.define("c", SHELL)
    second: Document = {"command": {"executable": SHELL, "argv": ["-c", "exit"]}}
    site.allow(site.store.change_definition("c", second))
    before, after = ({"command": first.command}, second) if is_corrected else (second, {"command": first.command})
    site.store.change_definition("c", before)
    journal = Journal("w", ClaimRecords())
    hesitating: Any = Hesitating(store, lambda: site.store.change_definition("c", after))
    line = Contact(journal).connection("registration")
    allowlist = Allowlist(site.policy, lambda *_, **__: None)
    registration = Registration(line, hesitating, journal, settings({}), {}, lambda: 0, allowlist=allowlist)

    await registration.introduce()
    await registration.look(line, hesitating)

    [worker] = site.store.workers()
    assert (worker.definitions, worker.mismatched) == ((["c"], []) if is_corrected else ([], ["c"]))
