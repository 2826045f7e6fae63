from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from jobplane.core.errors import Invalid
from jobplane.core.model import DEFAULT_TENANT, JobFilter, NewJob, Outcome
from tests.client import BlockingSqliteStore
from tests.leases import settlement


def test_threads_share_one_store(path: Path) -> None:
    """None of them has used it before."""
    with BlockingSqliteStore(path) as store:

        def enqueue(n: int) -> str:
            store.put_definitions([{"key": "d", "kind": "python"}])
            store.list_jobs(DEFAULT_TENANT)
            return store.enqueue(DEFAULT_TENANT, [NewJob(definition="d", payload={"n": n})])[0].outcome

        with ThreadPoolExecutor(16) as threads:
            outcomes = list(threads.map(enqueue, range(64)))

        assert outcomes == ["created"] * 64
        assert len(store.list_jobs(DEFAULT_TENANT, JobFilter(), limit=100).items) == 64


def test_a_closed_store_opens_again(store: BlockingSqliteStore) -> None:
    before = store.tenants()
    store.close()
    store.close()

    assert store.tenants() == before


def test_a_call_that_fails_leaves_nothing_behind_and_the_next_one_works(store: BlockingSqliteStore) -> None:
    with pytest.raises(Invalid):
        store.put_definitions([{"key": "a"}, {"key": "b", "priority": 5000}])

    assert [definition.key for definition in store.definitions()] == ["d"]
    assert [definition.key for definition in store.put_definitions([{"key": "a"}])] == ["a"]


@pytest.mark.parametrize("seq", [-1, 0, 2**63 - 1, 2**63])
def test_a_lease_that_cannot_be_changes_nothing(store: BlockingSqliteStore, seq: int) -> None:
    store.enqueue(DEFAULT_TENANT, [NewJob(definition="d")])
    [lease] = store.claim("default", "w").leases
    forged = lease._replace(seq=seq)
    [answer] = store.settle([settlement(lease=forged, outcome=Outcome.SUCCEEDED)])

    assert not answer.accepted
    assert [renewed.answer for renewed in store.renew([forged])] == ["gone"]
    with pytest.raises(Invalid, match="64-bit"):
        store.renew([lease._replace(seq=2**100)])
    assert store.summary(DEFAULT_TENANT).running == 1


@pytest.mark.parametrize("text", ["'; drop table jobplane_jobs; --", '"', "\\", "%", "\n", "ü\U0001f600", "?1", ":a"])
def test_a_text_is_only_ever_a_text(store: BlockingSqliteStore, text: str) -> None:
    job = NewJob(definition="d", payload={text: text}, dedupe_key=text, correlation_id=text, tags=[text])

    [made] = store.enqueue(DEFAULT_TENANT, [job])

    [found] = store.list_jobs(DEFAULT_TENANT, JobFilter(correlation_id=text)).items
    assert found.id == made.job_id
    [lease] = store.claim("default", "w").leases
    assert lease.payload == {text: text}
    store.settle([settlement(lease=lease, outcome=Outcome.FATAL, error=text, reason=text)])
    [found] = store.list_jobs(DEFAULT_TENANT, JobFilter(tags=[text])).items
    assert (found.error, found.reason, found.dedupe_key) == (text, text, text)
