"""The chain of digests shows an entry that was removed, changed or added later."""

from __future__ import annotations

from datetime import datetime
from typing import Final

import pytest

from jobplane.core.audit import AuditCheck
from tests.client import Store
from tests.clock import Clock
from tests.conformance.backend import Audit, Backend
from tests.conformance.factory import Factory

FIRST: Final = "select c.digest from jobplane.audit_chain c where c.position = 1"


@pytest.fixture
async def chained(store: Store, make: Factory, audit: Audit) -> list[int]:
    """Some entries in the chain; the ids of all."""
    for _ in range(4):
        await store.cancel(make.alice, [await make.job()])
    while await store.chain_audit(4):
        pass
    return [row[0] for row in audit.look("select audit_id from jobplane.audit_log order by 1")]


async def verify(store: Store, limit: int = 4) -> AuditCheck:
    """All parts as one."""
    check = await store.verify_audit(0, limit)
    while check.last is not None:
        check = check.then(await store.verify_audit(check.last, limit))
    return check


def whole(count: int, unchained: int = 0, oldest: datetime | None = None) -> AuditCheck:
    return AuditCheck(None, count, [], [], [], [], unchained, oldest)


async def test_an_empty_log_is_intact(store: Store) -> None:
    assert await store.chain_audit() == 0
    assert await verify(store) == whole(0)


async def test_each_entry_is_chained_once(store: Store, make: Factory, chained: list[int]) -> None:
    assert await store.chain_audit() == 0
    await store.cancel(make.alice, [await make.job()])

    assert await store.chain_audit() == 1
    assert await verify(store) == whole(len(chained) + 1)


async def test_entries_that_are_not_chained_yet_are_counted_with_their_age(
    store: Store, make: Factory, clock: Clock, chained: list[int]
) -> None:
    await store.cancel(make.alice, [await make.job()])

    check = await verify(store)

    assert check == whole(len(chained), 1, clock.now())
    assert check.is_intact


@pytest.mark.parametrize(
    ("statement", "found"),
    [
        ("delete from jobplane.audit_log where audit_id = {2}", {"removed": 2}),
        ("update jobplane.audit_log set login = 'nobody' where audit_id = {2}", {"changed": 2}),
        ("update jobplane.audit_log set action = 'x' where audit_id = {0}", {"changed": 0}),
        (f"update jobplane.audit_chain set digest = ({FIRST}) where audit_id = {{5}}", {"changed": 5}),
        ("delete from jobplane.audit_chain where audit_id = {2}", {"gaps": 2}),
    ],
)
async def test_a_forgery_is_found(
    store: Store, audit: Audit, chained: list[int], statement: str, found: dict[str, int]
) -> None:
    audit.unlock()
    audit.meddle(statement.format(*chained))

    for limit in (1, 3, 1000):
        check = await verify(store, limit)
        assert not check.is_intact
        for kind, place in found.items():
            assert getattr(check, kind) == [place + 1 if kind == "gaps" else chained[place]]


@pytest.mark.parametrize("statement", ["delete from jobplane.audit_log", "update jobplane.audit_log set action = 'x'"])
@pytest.mark.parametrize("table", ["audit_log", "audit_chain"])
async def test_the_log_cannot_be_changed_by_mistake(
    store: Store, audit: Audit, chained: list[int], statement: str, table: str
) -> None:
    column = "chained_at" if table == "audit_chain" else "at"
    refused = statement.replace("audit_log", table).replace("action = 'x'", f"{column} = {column}")

    with pytest.raises(Exception, match=r"append-only|permission denied"):
        audit.meddle(refused)

    assert await verify(store) == whole(len(chained))


@pytest.mark.needs("roles")
async def test_an_end_of_the_chain_that_was_cut_off_is_found(store: Store, audit: Audit, chained: list[int]) -> None:
    audit.unlock()
    audit.meddle("delete from jobplane.audit_chain where position > 4")

    assert (await verify(store)).gaps == [5, 6]


async def test_an_entry_that_was_added_among_older_ones_is_found(
    store: Store, audit: Audit, backend: Backend, chained: list[int]
) -> None:
    while "roles" in backend.features and audit.look("select low from jobplane.audit_head") != [(chained[-1],)]:
        assert await store.chain_audit() == 0  # until no older transaction of the server is open
    audit.unlock()
    audit.meddle(f"delete from jobplane.audit_chain where audit_id = {chained[2]}")

    assert (await verify(store)).inserted == [chained[2]]
