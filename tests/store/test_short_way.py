"""One plain job goes a shorter way than a batch, and nobody can tell from the answer."""

from __future__ import annotations

from uuid import uuid4

import pytest

from jobplane.core.errors import TenantNotFound
from jobplane.core.model import DEFAULT_TENANT, Enqueued, NewJob
from tests.client import PostgresStore

ONE: dict[str, NewJob] = {
    "plain": NewJob(definition="d", payload={"i": 1}),
    "unknown": NewJob(definition="nobody"),
    "inactive": NewJob(definition="off"),
    "deep": NewJob(definition="d", payload={"i": "x" * 70_000}),
    "priority": NewJob(definition="d", priority=5_000),
    "source": NewJob(definition="d", source="moon"),
    "delay": NewJob(definition="d", delay_seconds=-1),
    "empty": NewJob(definition="d", correlation_id=""),
}


def told(answer: Enqueued) -> tuple[bool, str, str | None, str | None]:
    return answer.job_id is None, answer.outcome, answer.error_code, answer.error


@pytest.mark.parametrize("name", ONE)
async def test_one_job_is_answered_as_it_would_be_in_a_batch(store: PostgresStore, name: str) -> None:
    await store.put_definitions([{"key": "d", "kind": "python"}, {"key": "off", "kind": "python", "active": False}])

    [alone] = await store.enqueue(DEFAULT_TENANT, [ONE[name]])
    [beside, _] = await store.enqueue(DEFAULT_TENANT, [ONE[name], ONE["plain"]])

    assert told(alone) == told(beside)


async def test_a_quota_refuses_one_job_as_a_batch(store: PostgresStore) -> None:
    await store.put_definitions([{"key": "d", "kind": "python"}])
    tenant = (await store.create_tenant("small", max_pending=1)).tenant_id
    await store.enqueue(tenant, [ONE["plain"]])

    [answer] = await store.enqueue(tenant, [ONE["plain"]])

    assert told(answer)[1:3] == ("refused", "quota_exceeded")


async def test_what_is_wrong_with_the_call_is_raised(store: PostgresStore) -> None:
    await store.put_definitions([{"key": "d", "kind": "python"}])

    with pytest.raises(TenantNotFound):
        await store.enqueue(uuid4(), [ONE["plain"]])
