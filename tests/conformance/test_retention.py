"""The retention as a whole, on each store."""

from __future__ import annotations

import os
from datetime import timedelta
from pathlib import Path
from typing import Final
from uuid import UUID

import pytest

from jobplane.control.pruned import PrunedDefinition
from jobplane.control.retention import Retention
from jobplane.core.artifacts import digest_of, path_of
from jobplane.core.logs import NewLogLine
from jobplane.core.model import JobFilter, Json, Outcome
from jobplane.execution.artifacts import Artifacts
from tests.client import Store
from tests.clock import START, Clock
from tests.conformance.factory import Factory, new

DAY: Final = timedelta(days=1)


async def no_pause(_: float) -> None:
    """Do not wait between the steps."""


def retention(store: Store, *, days: int = 30, days_logs: int = 7, count: int | None = None) -> Retention:
    return Retention(store, retention_days=days, retention_days_logs=days_logs, retention_count=count, pause=no_pause)


async def said(make: Factory, definition: str, lines: int) -> None:
    lease = await make.lease(definition=definition)
    await make.store.log_lines([NewLogLine(lease, number, START, "info", "x") for number in range(1, lines + 1)])
    await make.settle(lease, Outcome.SUCCEEDED)


async def test_a_run_removes_what_a_dry_run_has_counted(store: Store, make: Factory, clock: Clock) -> None:
    await make.define("counted", retention_count=1)
    for key, lines in (("d", 2), ("counted", 3), ("counted", 4), ("d", 5)):
        await said(make, key, lines)
        clock.advance(DAY)
    clock.advance(27 * DAY)
    tool = retention(store)

    dry = await tool.prune_jobs(dry_run=True)
    done = await tool.prune_jobs()
    assert (dry.dry_run, done.dry_run, dry.is_complete, done.is_complete) == (True, False, True, True)
    assert (done.jobs, done.lines) == (dry.jobs, dry.lines) == (2, 5)
    assert done.definitions == dry.definitions == {
        "d": PrunedDefinition(1, 2, START),
        "counted": PrunedDefinition(1, 3, START + DAY),
    }  # fmt: skip
    assert done.document()["definitions"] == [
        {"definition": "counted", "jobs": 1, "lines": 3, "oldest_at": (START + DAY).isoformat()},
        {"definition": "d", "jobs": 1, "lines": 2, "oldest_at": START.isoformat()},
    ]
    assert (await tool.prune_jobs()).jobs == 0

    dry, done = await tool.prune_logs(dry_run=True), await tool.prune_logs()
    assert dry.definitions == done.definitions == {"d": PrunedDefinition(0, 5), "counted": PrunedDefinition(0, 4)}
    assert (await tool.prune_logs()).lines == 0


async def test_a_walk_of_several_thousand_jobs_counts_exactly(store: Store, make: Factory) -> None:
    """Three steps and more, with jobs of two tenants and two definitions between each other."""
    await make.define("a", retention_count=700)
    await make.define("b")
    for _ in range(3):
        for tenant in (make.alice, make.charlie):
            jobs = [new(definition="a"), new(definition="b")] * 200
            ids = [answer.job_id for answer in await store.enqueue(tenant, jobs) if answer.job_id]
            await store.cancel(tenant, ids)

    done = await retention(store, count=500).prune_jobs()

    assert {key: found.jobs for key, found in done.definitions.items()} == {"b": 200}
    for tenant in (make.alice, make.charlie):
        assert [await count(store, tenant, key) for key in ("a", "b")] == [600, 500]


async def count(store: Store, tenant: UUID, key: str) -> int:
    return len((await store.list_jobs(tenant, JobFilter(definitions=[key]), limit=1000)).items)


def kept(directory: Path, content: Json, *, days: float) -> dict[str, Json]:
    """A large result as a worker has written it some days ago."""
    reference = Artifacts(directory).keep(content)
    path = path_of(directory, digest_of(reference) or "")
    at = path.stat().st_mtime - days * 86_400
    os.utime(path, (at, at))
    return reference


def suffixes(directory: Path) -> list[str]:
    return sorted(path.suffix for path in directory.rglob("*.*"))


async def test_a_file_goes_when_no_result_names_it_and_it_is_a_day_old(
    store: Store, make: Factory, clock: Clock, tmp_path: Path
) -> None:
    await make.define("short", retention_days=1)
    shared, own = kept(tmp_path, ["shared"], days=3), kept(tmp_path, ["own"], days=3)
    kept(tmp_path, ["young"], days=0.9)
    (tmp_path / "notes.txt").write_text("not ours")
    part = path_of(tmp_path, digest_of(own) or "").with_name("x.part")
    part.write_text("cut off")
    os.utime(part, (1, 1))
    for key, result in (("d", shared), ("short", shared), ("short", own)):
        await make.settle(await make.lease(definition=key), Outcome.SUCCEEDED, result=result)
    tool = retention(store)
    before = await tool.prune_artifacts(tmp_path)
    assert (before.files, before.bytes, before.is_complete) == (1, 7, True)
    clock.advance(2 * DAY)
    await tool.prune_jobs()

    dry = await tool.prune_artifacts(tmp_path, dry_run=True)
    done = await tool.prune_artifacts(tmp_path)

    assert (done.files, done.bytes) == (dry.files, dry.bytes) == (1, len(b'["own"]'))
    assert [Artifacts(tmp_path).read(digest_of(shared) or ""), (tmp_path / "notes.txt").exists()] == [["shared"], True]
    assert suffixes(tmp_path) == [".json", ".json", ".txt"]
    assert (await tool.prune_artifacts(tmp_path)).files == 0


async def test_a_file_that_a_worker_has_found_again_is_young(store: Store, make: Factory, tmp_path: Path) -> None:
    """Its result is not there yet."""
    kept(tmp_path, ["again"], days=30)
    reference = Artifacts(tmp_path).keep(["again"])

    done = await retention(store).prune_artifacts(tmp_path)

    assert (done.files, Artifacts(tmp_path).read(digest_of(reference) or "")) == (0, ["again"])


@pytest.mark.parametrize("directory", ["none", "empty"])
async def test_a_directory_without_files_is_no_fault(
    store: Store, make: Factory, tmp_path: Path, directory: str
) -> None:
    (tmp_path / "empty").mkdir()

    done = await retention(store).prune_artifacts(tmp_path / directory)

    assert (done.files, done.is_complete) == (0, True)
