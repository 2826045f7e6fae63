from __future__ import annotations

from uuid import uuid4

import pytest

from jobplane.core.errors import JobNotFound
from jobplane.core.model import Outcome
from tests.client import Store
from tests.conformance.factory import STATES, Factory


async def test_a_result_is_read_by_itself_and_with_its_job(store: Store, make: Factory) -> None:
    lease = await make.lease()
    await make.settle(lease, Outcome.SUCCEEDED, result={"files": [1, 2]})

    assert await store.result(make.alice, lease.job_id) == {"files": [1, 2]}
    assert (await make.get(lease.job_id)).result == {"files": [1, 2]}


async def test_there_is_none_while_there_is_nothing(store: Store, make: Factory) -> None:
    for state in reversed(STATES):
        assert await store.result(make.alice, await make.in_state(state)) is None, state


async def test_a_result_that_cannot_be_kept_leaves_a_note_and_the_job_succeeds(store: Store, make: Factory) -> None:
    lease = await make.lease()

    answer = await make.settle(lease, Outcome.SUCCEEDED, result={"x": "a" * 300_000})

    assert answer.status == "succeeded"
    note = await store.result(make.alice, lease.job_id)
    assert isinstance(note, dict)
    assert "300008 bytes" in str(note["result_not_stored"])


async def test_a_job_that_is_not_there_is_an_error(store: Store, make: Factory) -> None:
    with pytest.raises(JobNotFound):
        await store.result(make.alice, uuid4())


async def test_charlie_cannot_read_alices_result(store: Store, make: Factory) -> None:
    lease = await make.lease()
    await make.settle(lease, Outcome.SUCCEEDED, result="secret")

    with pytest.raises(JobNotFound):
        await store.result(make.charlie, lease.job_id)
