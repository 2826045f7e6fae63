"""Two keys: `dedupe_key` is held while its job is active, `idempotency_key` as long as the job's record."""

from __future__ import annotations

from datetime import timedelta
from uuid import UUID

import pytest

from jobplane.core.model import OnDuplicate, Outcome
from tests.client import Store
from tests.clock import Clock
from tests.conformance.factory import ENDS, WAITS, Factory, new
from tests.conformance.hostile import OLD

REPLACE, POSTPONE = OnDuplicate.REPLACE, OnDuplicate.POSTPONE


async def waiting(make: Factory, state: str) -> None:
    """A job with the dedupe key k that waits in this state."""
    if state == "upcoming":
        await make.job(dedupe_key="k", payload={"n": 1}, delay_seconds=60)
        return
    await make.job(dedupe_key="k", payload={"n": 1})
    if state == "held":
        await make.store.pause_tenants([make.alice])
        assert await make.claim() == []


async def test_a_second_job_with_an_active_dedupe_key_is_the_first(make: Factory) -> None:
    waits = await make.job(dedupe_key="waits")
    comes = await make.job(dedupe_key="comes", delay_seconds=60)
    runs = await make.job(dedupe_key="runs", priority=1)
    assert await make.claim_ids() == [runs]

    answers = await make.enqueue(*[new(dedupe_key=key) for key in ("waits", "comes", "runs")])

    assert [(answer.outcome, answer.job_id) for answer in answers] == [
        ("existing", waits),
        ("existing", comes),
        ("existing", runs),
    ]


async def test_a_dedupe_key_is_free_again_when_its_job_has_ended(make: Factory) -> None:
    for status in ENDS:
        first = await make.over(status, dedupe_key="k")

        [second] = await make.enqueue(new(dedupe_key="k"))

        assert second.created
        assert second.job_id not in (first, None)
        await make.store.cancel(make.alice, [second.job_id])


@pytest.mark.parametrize("state", WAITS)
async def test_replace_gives_a_waiting_job_the_new_payload(store: Store, make: Factory, state: str) -> None:
    await waiting(make, state)
    [before] = (await store.list_jobs(make.alice)).items

    [answer] = await make.enqueue(new(dedupe_key="k", payload={"n": 2}, priority=1, on_duplicate=REPLACE))

    after = await make.get(before.id)
    assert (answer.outcome, answer.job_id) == ("replaced", before.id)
    assert (after.payload, after.priority, after.scheduled_for) == ({"n": 2}, 100, before.scheduled_for)


@pytest.mark.parametrize("state", WAITS)
async def test_postpone_moves_a_waiting_job_and_keeps_its_payload(
    store: Store, make: Factory, clock: Clock, state: str
) -> None:
    await waiting(make, state)

    [answer] = await make.enqueue(new(dedupe_key="k", payload={"n": 2}, delay_seconds=90, on_duplicate=POSTPONE))

    [job] = (await store.list_jobs(make.alice)).items
    assert (answer.outcome, answer.job_id) == ("postponed", job.id)
    assert (job.payload, job.scheduled_for) == ({"n": 1}, clock.now() + timedelta(seconds=90))


async def test_a_running_job_is_left_as_it_is(make: Factory) -> None:
    lease = await make.lease(dedupe_key="k", payload={"n": 1})
    before = await make.get(lease.job_id)

    answers = await make.enqueue(
        *[new(dedupe_key="k", payload={"n": 2}, delay_seconds=60, on_duplicate=on) for on in OnDuplicate]
    )

    assert [(answer.outcome, answer.job_id) for answer in answers] == [("existing", lease.job_id)] * 3
    assert await make.get(lease.job_id) == before


async def test_a_replaced_job_runs_once_with_the_last_payload(store: Store, make: Factory) -> None:
    await make.job(dedupe_key="k", payload={"n": 1})
    for n in (2, 3):
        await make.enqueue(new(dedupe_key="k", payload={"n": n}, on_duplicate=REPLACE))
    await store.promote()

    assert [lease.payload for lease in await make.claim(10)] == [{"n": 3}]


async def test_a_debounced_job_runs_when_it_is_quiet(store: Store, make: Factory, clock: Clock) -> None:
    for _ in range(3):
        await make.enqueue(new(dedupe_key="k", delay_seconds=10, on_duplicate=POSTPONE))
        clock.advance(9)
        await store.promote()
        assert await make.claim() == []

    clock.advance(1)
    await store.promote()
    assert len(await make.claim(10)) == 1


@pytest.mark.parametrize(
    ("on_duplicate", "outcome", "payload", "delay"),
    [
        (OnDuplicate.RETURN, "existing", {"n": 1}, 0),
        (REPLACE, "replaced", {"n": 2}, 0),
        (POSTPONE, "postponed", {"n": 1}, 60),
    ],
)
async def test_rows_of_one_batch_meet_each_other(
    make: Factory, clock: Clock, on_duplicate: OnDuplicate, outcome: str, payload: dict[str, int], delay: int
) -> None:
    first, second = await make.enqueue(
        new(dedupe_key="k", payload={"n": 1}),
        new(dedupe_key="k", payload={"n": 2}, delay_seconds=60, on_duplicate=on_duplicate),
    )

    assert first.created
    assert first.job_id
    assert (second.outcome, second.job_id) == (outcome, first.job_id)
    job = await make.get(first.job_id)
    assert (job.payload, job.scheduled_for) == (payload, clock.now() + timedelta(seconds=delay))


@pytest.mark.parametrize("state", [*WAITS, "running"])
@pytest.mark.parametrize("on_duplicate", [REPLACE, POSTPONE])
async def test_a_job_of_another_definition_is_never_changed(
    store: Store, make: Factory, state: str, on_duplicate: OnDuplicate
) -> None:
    await make.define("other")
    if state == "running":
        await make.lease(dedupe_key="k", payload={"n": 1})
    else:
        await waiting(make, state)
    [before] = (await store.list_jobs(make.alice)).items

    [answer] = await make.enqueue(
        new(definition="other", dedupe_key="k", payload={"n": 2}, delay_seconds=90, on_duplicate=on_duplicate)
    )

    assert (answer.outcome, answer.error_code, answer.job_id) == ("refused", "duplicate_job", before.id)
    assert str(before.id) in (answer.error or "")
    assert (await store.list_jobs(make.alice)).items == [before]


async def test_a_job_of_another_definition_is_returned_where_that_is_asked_for(make: Factory) -> None:
    await make.define("other")
    first = await make.job(dedupe_key="k")

    [answer] = await make.enqueue(new(definition="other", dedupe_key="k"))

    assert (answer.outcome, answer.job_id) == ("existing", first)


@pytest.mark.parametrize("on_duplicate", [REPLACE, POSTPONE])
async def test_a_row_of_another_definition_in_the_same_batch_is_never_changed(
    make: Factory, clock: Clock, on_duplicate: OnDuplicate
) -> None:
    await make.define("other")

    first, second, third = await make.enqueue(
        new(dedupe_key="k", payload={"n": 1}),
        new(definition="other", dedupe_key="k", payload={"n": 2}, delay_seconds=60, on_duplicate=on_duplicate),
        new(dedupe_key="k", payload={"n": 1}, on_duplicate=on_duplicate),
    )

    assert first.created
    assert first.job_id
    assert (second.outcome, second.error_code, second.job_id) == ("refused", "duplicate_job", first.job_id)
    assert (third.outcome, third.job_id) == (f"{on_duplicate}d", first.job_id)
    job = await make.get(first.job_id)
    assert (job.payload, job.scheduled_for) == ({"n": 1}, clock.now())


async def test_a_row_that_met_another_definition_keeps_no_idempotency_key(make: Factory) -> None:
    """The rows of its batch that repeat it share its refusal; asked again when the key is free, it is a new job."""
    await make.define("other")
    first = await make.job(dedupe_key="k")
    row = new(definition="other", dedupe_key="k", idempotency_key="i", on_duplicate=REPLACE)
    named = new(definition="other", dedupe_key="k", id=UUID(int=7), on_duplicate=REPLACE)

    answers = await make.enqueue(row, row, new(definition="other", idempotency_key="i"), named, named)

    assert [(answer.error_code, answer.job_id) for answer in answers] == [("duplicate_job", first)] * 5
    await make.store.cancel(make.alice, [first])
    assert [answer.outcome for answer in await make.enqueue(row)] == ["created"]


async def test_a_faulty_row_holds_no_key(make: Factory) -> None:
    answers = await make.enqueue(
        new(dedupe_key="k", idempotency_key="i", priority=-1), new(dedupe_key="k", idempotency_key="i")
    )

    assert [answer.outcome for answer in answers] == ["refused", "created"]


async def test_a_requeued_job_keeps_its_dedupe_key(store: Store, make: Factory, clock: Clock) -> None:
    lease = await make.lease(dedupe_key="k")
    await make.settle(lease, Outcome.FAILED)
    [after_failure] = await make.enqueue(new(dedupe_key="k"))
    clock.advance(5)
    await make.again()
    clock.advance(31)
    await store.reap()
    [after_loss] = await make.enqueue(new(dedupe_key="k"))

    assert (after_failure.outcome, after_failure.job_id) == ("existing", lease.job_id)
    assert (after_loss.outcome, after_loss.job_id) == ("existing", lease.job_id)


async def test_the_same_request_is_the_same_job_whatever_its_options(make: Factory) -> None:
    first = await make.job(idempotency_key="i", payload={"a": 1, "b": [2.0]})

    answers = await make.enqueue(
        new(idempotency_key="i", payload={"b": [2.0], "a": 1}),
        new(idempotency_key="i", payload={"a": 1, "b": [2.0]}, priority=5, delay_seconds=60, tags=["x"]),
    )

    assert [(answer.outcome, answer.job_id) for answer in answers] == [("existing", first)] * 2
    assert (await make.get(first)).priority == 100


async def test_the_same_key_with_other_content_is_refused(make: Factory) -> None:
    await make.job(idempotency_key="i", payload={"n": 1})

    [answer] = await make.enqueue(new(idempotency_key="i", payload={"n": 2}))

    assert (answer.outcome, answer.error_code) == ("refused", "idempotency_mismatch")
    assert await make.count() == 1


async def test_an_idempotency_key_outlives_the_end_of_its_job(make: Factory) -> None:
    for status in ENDS:
        first = await make.over(status, idempotency_key=status)

        [answer] = await make.enqueue(new(idempotency_key=status))

        assert (answer.outcome, answer.job_id) == ("existing", first)


async def test_an_idempotency_key_belongs_to_one_definition(make: Factory) -> None:
    await make.define("e")

    answers = await make.enqueue(new(idempotency_key="i"), new(definition="e", idempotency_key="i"))

    assert [answer.outcome for answer in answers] == ["created", "created"]


async def test_rows_of_one_batch_share_an_idempotency_key(make: Factory) -> None:
    one, same, other = await make.enqueue(
        new(idempotency_key="i", payload={"n": 1}),
        new(idempotency_key="i", payload={"n": 1}),
        new(idempotency_key="i", payload={"n": 2}),
    )

    assert one.created
    assert (same.outcome, same.job_id) == ("existing", one.job_id)
    assert (other.outcome, other.error_code) == ("refused", "idempotency_mismatch")


async def test_a_request_that_met_a_duplicate_gets_that_job_again(make: Factory) -> None:
    """Asked again after the duplicate has ended, the same request still names it and starts nothing new."""
    lease = await make.lease(dedupe_key="k")
    [met] = await make.enqueue(new(dedupe_key="k", idempotency_key="i"))
    await make.settle(lease, Outcome.SUCCEEDED)

    [again] = await make.enqueue(new(dedupe_key="k", idempotency_key="i"))

    assert met.job_id == again.job_id == lease.job_id
    assert again.outcome == "existing"


async def test_jobs_without_keys_never_meet(make: Factory) -> None:
    assert len(set(await make.jobs(3, payload={"n": 1}))) == 3


async def test_a_time_that_cannot_be_is_refused_beside_a_key_too(make: Factory) -> None:
    """One row with a key has the whole batch looked at row by row; the faults found there are the ones that count."""
    bad = [new(scheduled_for=OLD), new(scheduled_for=OLD, dedupe_key="k"), new(scheduled_for=OLD, idempotency_key="i")]

    answers = await make.enqueue(*bad)

    assert [(answer.outcome, answer.error_code) for answer in answers] == [("refused", "invalid")] * 3
    assert [answer.outcome for answer in await make.enqueue(new(dedupe_key="k", idempotency_key="i"))] == ["created"]
