"""SQLite keeps any bytes as a text: not UTF-8, not JSON, or with a line break in it. Other programs write such rows."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Generator
from pathlib import Path
from typing import Final
from uuid import UUID

import pytest

from jobplane import Jobplane
from jobplane.core.errors import TenantNotFound
from jobplane.core.leases import Lease
from jobplane.core.model import DEFAULT_TENANT, JobFilter, JobStatus, NewJob, NewWorker, Outcome
from jobplane.store.base import Driver
from jobplane.store.sqlite.drivers import Link, connect
from jobplane.store.verbs.operator import ListDefinitions, ListTenants
from tests.client import BlockingSqliteStore
from tests.leases import settlement

NOT_UTF8: Final = "cast(x'7b2261223a22ff227d' as text)"  # {"a":"\xff"}
BROKEN: Final = "'{\"a\":' || char(10) || char(9) || char(10)"
PRETTY: Final = "'{' || char(10) || char(9) || '\"a\": 1' || char(10) || '}'"


@pytest.fixture(params=["apsw", "stdlib"])
def driver(request: pytest.FixtureRequest) -> Driver:
    return request.param


@pytest.fixture
def store(path: Path, driver: Driver) -> Generator[BlockingSqliteStore]:
    with BlockingSqliteStore(path, driver=driver) as store:
        store.put_definitions([{"key": "d", "kind": "python"}])
        yield store


@pytest.fixture
def shell(path: Path, driver: Driver, store: BlockingSqliteStore) -> Generator[Link]:
    """A connection past the verbs, of the same library: another copy would drop the store's locks on the file."""
    store.check()
    link = connect(driver, path)
    yield link
    link.close()


def enqueue(store: BlockingSqliteStore, n: int, **options: str) -> list[UUID]:
    answers = store.enqueue(DEFAULT_TENANT, [NewJob(definition="d", **options) for _ in range(n)])  # pyright: ignore[reportArgumentType] texts of a job
    return [answer.job_id for answer in answers if answer.job_id]


def spoil(shell: Link, column: str, value: str, job_id: UUID, table: str = "jobs") -> None:
    which = f"(select seq from jobplane_jobs where id = '{job_id}')"
    shell.rows(f"update jobplane_{table} set {column} = {value} where seq = {which}")


def frames(store: BlockingSqliteStore, n: int) -> tuple[list[Lease], list[list[bytes]]]:
    taken = store.claim_encoded("default", "w", limit=n, lease_seconds=30)
    return taken.leases, [line.split(b"\t", 10) for line in taken.jobs.split(b"\n")]


def test_rows_with_texts_that_are_not_utf8_come_in_their_order_with_those_texts_as_bytes(shell: Link) -> None:
    statement = """
        with recursive n (i) as (select 3 union all select i - 1 from n where i > 1)
        select i, case i when 2 then cast(x'ff' as text) else 'ü' end, null, 1.5 from n where i > ? order by i desc"""

    assert shell.rows(statement, (0,)) == [(3, "ü", None, 1.5), (2, b"\xff", None, 1.5), (1, "ü", None, 1.5)]
    assert shell.rows("select 'ü'") == [("ü",)]


@pytest.mark.parametrize("payload", [NOT_UTF8, BROKEN])
def test_a_payload_that_breaks_a_line_leaves_the_other_lines_whole(
    store: BlockingSqliteStore, shell: Link, payload: str
) -> None:
    ids = enqueue(store, 3)
    spoil(shell, "payload", payload, ids[1])

    tickets, lines = frames(store, 3)

    assert [int(line[0]) for line in lines] == [ticket.seq for ticket in tickets]
    assert [line[5].decode() for line in lines] == [str(job_id) for job_id in ids]
    assert [line[10] for line in lines[::2]] == [b"{}", b"{}"]
    with pytest.raises(ValueError, match=r"decode|Expecting"):
        json.loads(lines[1][10])


def test_a_line_break_between_the_parts_of_a_json_text_is_harmless(store: BlockingSqliteStore, shell: Link) -> None:
    [job_id] = enqueue(store, 1)
    spoil(shell, "payload", PRETTY, job_id)

    [job] = store.get_jobs(DEFAULT_TENANT, [job_id])
    _, [line] = frames(store, 1)

    assert (job.payload, job.undecodable) == ({"a": 1}, ())
    assert json.loads(line[10]) == {"a": 1}


def test_a_line_without_the_texts_that_cannot_be_decoded_names_them(store: BlockingSqliteStore, shell: Link) -> None:
    ids = enqueue(store, 2, correlation_id="c", artifact_ref="a")
    spoil(shell, "artifact_ref", NOT_UTF8, ids[0])
    spoil(shell, "source", NOT_UTF8, ids[0])
    spoil(shell, "id", "'no uuid'", ids[0])

    _, lines = frames(store, 2)

    assert json.loads(lines[0][9]) == {"correlation_id": "c", "undecodable": ["job_id", "source", "artifact_ref"]}
    assert (lines[0][5], lines[0][8]) == (b"", b"")
    assert json.loads(lines[1][9]) == {"artifact_ref": "a", "correlation_id": "c"}


def test_a_claim_of_one_job_names_what_cannot_be_decoded_too(store: BlockingSqliteStore, shell: Link) -> None:
    for column, value, name in (("id", "'no uuid'", "job_id"), ("source", NOT_UTF8, "source")):
        [job_id] = enqueue(store, 1)
        spoil(shell, column, value, job_id)

        _, [line] = frames(store, 1)

        assert json.loads(line[9]) == {"undecodable": [name]}
    enqueue(store, 1)
    shell.rows(f"update jobplane_tenants set tenant_id = 'none' where tenant_id = '{DEFAULT_TENANT}'")
    _, [line] = frames(store, 1)
    assert json.loads(line[9]) == {"undecodable": ["tenant_id"]}


def test_a_job_whose_id_cannot_be_decoded_is_listed_found_by_its_facts_and_ended(
    store: BlockingSqliteStore, shell: Link
) -> None:
    [job_id] = enqueue(store, 1, correlation_id="c", dedupe_key="k")
    spoil(shell, "id", NOT_UTF8, job_id)

    for where in (JobFilter(), JobFilter(correlation_id="c", statuses=[JobStatus.QUEUED])):
        [job] = store.list_jobs(DEFAULT_TENANT, where).items
        assert (job.id, job.undecodable) == (None, ("id",))
    [again] = store.enqueue(DEFAULT_TENANT, [NewJob(definition="d", dedupe_key="k")])
    assert (again.job_id, again.outcome, again.error_code) == (None, "refused", "duplicate_job")
    [lease] = store.claim("default", "w").leases
    [settled] = store.settle([settlement(lease=lease, outcome=Outcome.FATAL)])
    assert (settled.accepted, settled.status) == (True, "failed")


def test_an_edit_mends_a_payload_and_leaves_what_it_does_not_name_as_it_is(
    store: BlockingSqliteStore, shell: Link
) -> None:
    [job_id] = enqueue(store, 1)
    spoil(shell, "payload", NOT_UTF8, job_id)
    spoil(shell, "tags", NOT_UTF8, job_id)

    store.edit(DEFAULT_TENANT, job_id, {"priority": 7})
    [job] = store.get_jobs(DEFAULT_TENANT, [job_id])
    assert (job.priority, job.undecodable) == (7, ("payload", "tags"))

    store.edit(DEFAULT_TENANT, job_id, {"payload": {"a": 1}, "tags": ["t"]})
    [job] = store.get_jobs(DEFAULT_TENANT, [job_id])
    assert (job.payload, job.tags, job.undecodable) == ({"a": 1}, ["t"], ())


def test_a_definition_is_put_again_over_what_cannot_be_decoded(store: BlockingSqliteStore, shell: Link) -> None:
    shell.rows(f"update jobplane_definitions set arg_schema = {NOT_UTF8}, description = {NOT_UTF8}")

    [definition] = store.put_definitions([{"key": "d", "arg_schema": {"type": "object"}}])

    assert (definition.arg_schema, definition.undecodable) == ({"type": "object"}, ("description",))


def test_a_tenant_whose_id_cannot_be_decoded_is_not_found_and_the_others_are(
    store: BlockingSqliteStore, shell: Link
) -> None:
    store.create_tenant("bad")
    shell.rows("update jobplane_tenants set tenant_id = 'none' where slug = 'bad'")

    with pytest.raises(TenantNotFound, match="cannot be decoded"):
        store.tenant_id("bad")
    assert store.tenant_id("default") == DEFAULT_TENANT
    assert [tenant.undecodable for tenant in store.tenants()] == [("tenant_id",), (), ()]


@pytest.mark.parametrize("name", ["cast(x'62ff' as text)", "cast(x'6200fe63' as text)", "'b' || char(0) || 'c'"])
def test_a_walk_goes_on_behind_a_name_that_cannot_be_decoded(
    store: BlockingSqliteStore, shell: Link, name: str
) -> None:
    for last in ("b", "c"):
        store.create_tenant(last)
        store.put_definitions([{"key": last}])
    shell.rows(f"update jobplane_tenants set slug = {name} where slug = 'b'")
    shell.rows(f"update jobplane_definitions set key = {name} where key = 'b'")

    tenants, definitions = list[str](), list[str]()
    after: str | None = ""
    while after is not None:
        page = store.run(ListTenants(1, after))
        tenants += [tenant.slug for tenant in page.items if not tenant.undecodable]
        after = page.next_cursor
    after = ""
    while after is not None:
        found = store.run(ListDefinitions(None, 1, after))
        definitions += [definition.key for definition in found.items if not definition.undecodable]
        after = found.next_cursor

    assert tenants[-3:] == ["c", "default", "system"]
    assert definitions[-2:] == ["c", "d"]


def test_a_slot_comes_back_from_a_lease_that_cannot_say_what_it_counts_against(
    store: BlockingSqliteStore, shell: Link
) -> None:
    store.put_definitions([{"key": "d", "max_running": 2}])
    enqueue(store, 3)
    leases = store.claim("default", "w", limit=3).leases
    assert len(leases) == 2
    shell.rows(f"update jobplane_leases set limit_keys = {NOT_UTF8} where seq = {leases[0].seq}")

    store.settle([settlement(lease=leases[0], outcome=Outcome.SUCCEEDED)])
    store.sweep()

    assert shell.rows("select used from jobplane_limits") == [(1,)]
    assert len(store.claim("default", "w", limit=3).leases) == 1


def test_what_is_held_by_a_gate_that_cannot_be_decoded_is_let_back(store: BlockingSqliteStore, shell: Link) -> None:
    enqueue(store, 1)
    shell.rows("update jobplane_definitions set active = 0 where key = 'd'")
    assert store.claim("default", "w").leases == []
    shell.rows("update jobplane_definitions set active = 1 where key = 'd'")
    shell.rows(f"update jobplane_held set gate = {NOT_UTF8}")

    store.sweep()

    assert len(store.claim("default", "w").leases) == 1


@pytest.mark.parametrize("column", ["queues", "definitions"])
def test_a_worker_whose_row_cannot_be_decoded_must_register_again(
    store: BlockingSqliteStore, shell: Link, column: str
) -> None:
    worker = NewWorker(worker_id="w", queues=["default"], definitions=["d"])
    store.register_worker(worker)
    assert store.see_worker("w")

    shell.rows(f"update jobplane_workers set {column} = {NOT_UTF8}")

    assert not store.see_worker("w")
    store.register_worker(worker)
    assert store.see_worker("w")


def test_a_dedupe_key_that_belongs_to_no_job_is_taken_over(store: BlockingSqliteStore, shell: Link) -> None:
    [job_id] = enqueue(store, 1, dedupe_key="k", idempotency_key="i")
    shell.rows("delete from jobplane_ready")
    shell.rows("delete from jobplane_jobs")

    [again] = enqueue(store, 1, dedupe_key="k", idempotency_key="i")

    assert again != job_id
    assert enqueue(store, 1, dedupe_key="k") == [again]


def test_a_lent_connection_reads_the_same(tmp_path: Path) -> None:
    path = tmp_path / "app.db"
    with Jobplane(f"sqlite:///{path}", sqlite="stdlib") as jp:

        @jp.job("d")
        def d() -> None: ...

        handle = d.enqueue()
        with sqlite3.connect(path) as conn:
            conn.execute(f"update jobplane_jobs set payload = {NOT_UTF8}")
            found = jp.get(handle, conn=conn)

    assert (found.id, found.payload, found.undecodable) == (handle.id, None, ("payload",))
