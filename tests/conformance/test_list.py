from __future__ import annotations

from datetime import timedelta
from typing import Any
from uuid import UUID, uuid4

import pytest

from jobplane.core.errors import Invalid
from jobplane.core.model import JobFilter, JobStatus, Json, NewJob, Outcome
from tests.client import Store
from tests.clock import START, Clock
from tests.conformance.factory import ENDS, STATES, Factory, new
from tests.conformance.test_triggers import schedule

QUEUED, RUNNING, SUCCEEDED = JobStatus.QUEUED, JobStatus.RUNNING, JobStatus.SUCCEEDED


async def ids(store: Store, tenant: UUID, where: JobFilter) -> list[UUID]:
    page = await store.list_jobs(tenant, where)
    assert page.next_cursor is None
    assert page.scanned_all
    return [job.id for job in page.items]


async def test_the_newest_come_first(store: Store, make: Factory) -> None:
    made = [await make.job() for _ in range(5)]

    assert await ids(store, make.alice, JobFilter()) == made[::-1]


async def test_a_listed_job_is_the_whole_job(store: Store, make: Factory) -> None:
    for state in reversed(STATES):
        await make.in_state(state)

    for job in (await store.list_jobs(make.alice)).items:
        assert job == await make.get(job.id)


async def test_a_status_is_a_filter(store: Store, make: Factory) -> None:
    made = {state: await make.in_state(state) for state in reversed(STATES)}

    for status in ENDS:
        assert await ids(store, make.alice, JobFilter(statuses=[JobStatus(status)])) == [made[status]]
    assert await ids(store, make.alice, JobFilter(statuses=[RUNNING])) == [made["running"]]
    assert await ids(store, make.alice, JobFilter(statuses=[QUEUED, SUCCEEDED])) == [
        made["ready"],
        made["upcoming"],
        made["held"],
        made["succeeded"],
    ]
    assert await ids(store, make.alice, JobFilter(statuses=[])) == []


FILTERS = {
    "definition": JobFilter(definitions=["e", "unknown"]),
    "queue": JobFilter(queues=["other", "unknown"]),
    "correlation_id": JobFilter(correlation_id="c"),
    "source": JobFilter(source="event"),
    "source_ref": JobFilter(source_ref="e-1"),
    "one tag": JobFilter(tags=["red"]),
    "both tags": JobFilter(tags=["blue", "red"]),
    "metadata": JobFilter(metadata={"owner": {"id": 7}}),
    "together": JobFilter(definitions=["e"], queues=["other"], source="event", tags=["red"], metadata={}),
    "with a status": JobFilter(statuses=[QUEUED], correlation_id="c", source="event"),
}
OTHERS = {
    "definition": JobFilter(definitions=["unknown"]),
    "queue": JobFilter(queues=["system"]),
    "correlation_id": JobFilter(correlation_id="C"),
    "source": JobFilter(source="schedule"),
    "source_ref": JobFilter(source_ref="e-2"),
    "tags": JobFilter(tags=["red", "green"]),
    "metadata": JobFilter(metadata={"owner": {"id": 8}}),
    "with a status": JobFilter(statuses=[RUNNING], correlation_id="c"),
    "no definitions": JobFilter(definitions=[]),
}


def special() -> NewJob:
    return new(
        definition="e",
        queue="other",
        correlation_id="c",
        source="event",
        source_ref="e-1",
        tags=["red", "blue"],
        metadata={"owner": {"id": 7, "name": "bob"}},
    )


async def test_each_filter_finds_what_it_names_and_nothing_else(store: Store, make: Factory) -> None:
    await store.put_queues(["other"])
    await make.define("e")
    await make.jobs(3)
    [answer] = await make.enqueue(special())
    await make.jobs(3, tags=["green"], metadata={"owner": 7}, correlation_id="other")

    for name, where in FILTERS.items():
        assert await ids(store, make.alice, where) == [answer.job_id], name
    for name, where in OTHERS.items():
        assert await ids(store, make.alice, where) == [], name


async def test_a_worker_is_a_filter_for_what_it_runs(store: Store, make: Factory) -> None:
    first, second, _, _ = await make.jobs(4)
    await make.claim(2, worker="w1")
    await make.claim(1, worker="w2")

    assert await ids(store, make.alice, JobFilter(worker_id="w1")) == [second, first]
    assert await ids(store, make.alice, JobFilter(worker_id="w1", statuses=[RUNNING])) == [second, first]
    assert await ids(store, make.alice, JobFilter(worker_id="w3")) == []


@pytest.mark.parametrize("key", ["owner_user_id", "project_id"])
async def test_what_belongs_to_somebody_is_found_by_its_metadata(store: Store, make: Factory, key: str) -> None:
    done = await make.over("succeeded", metadata={key: "7", "x": [1]})
    await make.jobs(2, metadata={key: 8})
    await make.jobs(2, metadata={key: "8", "x": 1})
    await make.job()
    await make.jobs(2, metadata={key: "8"}, tenant=make.charlie)
    [waits] = await make.jobs(1, metadata={key: "7", "x": [1, 2]})
    [other] = await make.jobs(1, metadata={key: 7.0})

    assert await ids(store, make.alice, JobFilter(metadata={key: "7"})) == [waits, done]
    assert await ids(store, make.alice, JobFilter(metadata={key: 7})) == [other]
    assert await ids(store, make.alice, JobFilter(metadata={key: "7", "x": [2]})) == [waits]
    assert await ids(store, make.alice, JobFilter(metadata={key: "7"}, statuses=[SUCCEEDED])) == [done]
    assert await ids(store, make.alice, JobFilter(metadata={key: "7"}, worker_id="w1")) == []
    assert await ids(store, make.alice, JobFilter(metadata={key: "8"}, tags=["red"])) == []
    assert len(await ids(store, make.charlie, JobFilter(metadata={key: "8"}))) == 2


@pytest.mark.parametrize("owner", ["🦊" * 498, True, None, {"a": 1}, ["7"], 2**70])
async def test_whatever_metadata_says_of_an_owner_is_kept_and_found(store: Store, make: Factory, owner: Json) -> None:
    job_id = await make.job(metadata={"owner_user_id": owner, "project_id": owner})

    assert await ids(store, make.alice, JobFilter(metadata={"owner_user_id": owner})) == [job_id]
    assert await ids(store, make.alice, JobFilter(metadata={"project_id": owner})) == [job_id]
    assert await ids(store, make.alice, JobFilter(metadata={"project_id": 1})) == []


async def test_a_worker_and_a_correlation_id_are_both_kept(store: Store, make: Factory) -> None:
    await make.jobs(2, correlation_id="c")
    mine = await make.claim_ids(1, worker="w1")
    await make.claim(1, worker="w2")

    assert await ids(store, make.alice, JobFilter(worker_id="w1", correlation_id="c")) == mine


async def test_the_jobs_of_a_trigger_are_found_whatever_their_status(store: Store, make: Factory) -> None:
    trigger, other = [(await store.create_trigger(make.alice, schedule())).id for _ in range(2)]
    times = [START + timedelta(minutes=n) for n in range(3)]
    await store.fire_trigger(make.alice, other, 1, "manual", times[:1], [{}])
    fired = await store.fire_trigger(make.alice, trigger, 1, "backfill", times, [{"n": n} for n in range(3)])
    await make.jobs(2)
    made = [answer.job_id for answer in fired]
    await make.claim(2)  # the other's job, and the first

    async def found(**more: Any) -> list[UUID]:
        where = JobFilter(trigger_id=trigger, **more)
        listed = await ids(store, make.alice, where)
        assert listed == [job.id for job in (await store.list_all_jobs(where)).items]
        assert (await store.count_jobs(make.alice, where)).total == len(listed)
        assert (await store.count_all_jobs(where)).total == len(listed)
        return listed

    assert await found() == made[::-1]
    assert await found(statuses=[RUNNING]) == made[:1]
    assert await found(metadata={"owner_user_id": "u"}) == []
    assert await found(source="schedule") == made[::-1]
    assert await ids(store, make.charlie, JobFilter(trigger_id=trigger)) == []
    first = await store.list_jobs(make.alice, JobFilter(trigger_id=trigger), limit=2)
    rest = await store.list_jobs(make.alice, JobFilter(trigger_id=trigger), limit=2, cursor=first.next_cursor)
    assert [job.id for job in (*first.items, *rest.items)] == made[::-1]


async def test_a_worker_and_a_status_are_both_kept(store: Store, make: Factory) -> None:
    await make.lease()

    assert await ids(store, make.alice, JobFilter(worker_id="w1", statuses=[SUCCEEDED])) == []


async def test_the_time_of_creation_is_a_filter(store: Store, make: Factory, clock: Clock) -> None:
    start, made = clock.now(), list[UUID]()
    for _ in range(4):
        made.append(await make.job())
        clock.advance(60)

    after, before = start + timedelta(seconds=60), start + timedelta(seconds=180)
    assert await ids(store, make.alice, JobFilter(created_after=after, created_before=before)) == [made[2], made[1]]
    assert await ids(store, make.alice, JobFilter(created_after=before)) == [made[3]]
    assert await ids(store, make.alice, JobFilter(created_before=after)) == [made[0]]


async def pages(store: Store, tenant: UUID, where: JobFilter, limit: int) -> list[list[UUID]]:
    found: list[list[UUID]] = []
    cursor = None
    while True:
        page = await store.list_jobs(tenant, where, limit=limit, cursor=cursor)
        found.append([job.id for job in page.items])
        cursor = page.next_cursor
        if cursor is None:
            return found


async def test_pages_follow_each_other_without_a_gap_or_a_repeat(store: Store, make: Factory) -> None:
    made = (await make.jobs(13, source="event"))[::-1]

    for where in (JobFilter(), JobFilter(statuses=[QUEUED]), JobFilter(source="event")):
        for limit in (1, 5, 13, 1000):
            found = await pages(store, make.alice, where, limit)
            assert [job_id for page in found for job_id in page] == made
            assert all(len(page) == limit for page in found[:-1])


async def test_pages_hold_while_jobs_change(store: Store, make: Factory) -> None:
    """What was there at the start and is still wanted is seen once, whatever moves or comes meanwhile."""
    made = await make.jobs(30)
    seen: list[UUID] = []
    cursor = None
    for _ in range(20):
        page = await store.list_jobs(make.alice, JobFilter(), limit=4, cursor=cursor)
        seen += [job.id for job in page.items]
        await make.claim(2)
        await store.cancel(make.alice, made[:1])
        await make.job()
        cursor = page.next_cursor
        if cursor is None:
            break

    assert seen == made[::-1]


async def test_a_look_that_stopped_says_so_and_goes_on(store: Store, make: Factory) -> None:
    [needle] = await make.jobs(1, tags=["needle"])
    await make.jobs(10_000)
    await make.jobs(1)

    first = await store.list_jobs(make.alice, JobFilter(tags=["needle"]))
    second = await store.list_jobs(make.alice, JobFilter(tags=["needle"]), cursor=first.next_cursor)

    assert (first.items, first.scanned_all) == ([], False)
    assert first.next_cursor is not None
    assert [job.id for job in second.items] == [needle]
    assert (second.scanned_all, second.next_cursor) == (True, None)


async def test_a_page_has_between_one_and_a_thousand_jobs(store: Store, make: Factory) -> None:
    for limit in (0, -1, 1001, 2**31):
        with pytest.raises(Invalid):
            await store.list_jobs(make.alice, limit=limit)


async def test_charlie_lists_nothing_of_alices(store: Store, make: Factory) -> None:
    await store.put_queues(["other"])
    await make.define("e")
    await make.enqueue(special())
    await make.claim(10, queue="other")
    for where in (JobFilter(), JobFilter(worker_id="w1"), *FILTERS.values()):
        assert await ids(store, make.charlie, where) == []


async def test_a_page_begins_after_the_id_of_a_job_too(store: Store, make: Factory) -> None:
    newest = [await make.job() for _ in range(5)][::-1]

    after = await store.list_jobs(make.alice, limit=2, cursor=newest[1])
    skipped = await store.list_jobs(make.alice, limit=2, offset=3)
    narrowed = await store.list_jobs(make.alice, JobFilter(queues=["default"]), limit=2, offset=1)

    assert [job.id for job in after.items] == newest[2:4]
    assert [job.id for job in skipped.items] == newest[3:]
    assert [job.id for job in narrowed.items] == newest[1:3]


async def test_a_page_after_an_unknown_job_is_refused(store: Store, make: Factory) -> None:
    with pytest.raises(Invalid, match="continue after"):
        await store.list_jobs(make.alice, cursor=uuid4())
    with pytest.raises(Invalid, match="offset"):
        await store.list_jobs(make.alice, offset=10_001)


TEXTS = {
    "payload": "ANN@example",
    "a name in the payload": "mailbox",
    "json": '"to": "ann',
    "error": "disk is FULL",
    "result": "all-done",
    "tag": "urg",
    "correlation id": "order-1",
    "beyond ascii": "ÄRGER",
}


async def searched(store: Store, make: Factory, text: str) -> list[UUID]:
    return [job.id for job in (await store.list_jobs(make.alice, JobFilter(text=text))).items]


@pytest.mark.parametrize("name", TEXTS)
async def test_a_text_is_found_wherever_a_job_shows_it(store: Store, make: Factory, name: str) -> None:
    payload: Json = {"to": "ann@example.com", "mailbox": {"a": ["Ärger"]}}
    one = await make.lease(payload=payload, tags=["Urgent"], correlation_id="Order-17", max_attempts=2)
    await make.settle(one, Outcome.FAILED, error="OSError: the disk is full")
    two = await make.lease(payload={"n": 2})
    await make.settle(two, Outcome.SUCCEEDED, result={"said": "ALL-done"})
    await make.job(payload={"n": 3})

    assert await searched(store, make, TEXTS[name]) == [two.job_id if name == "result" else one.job_id]
    assert await searched(store, make, TEXTS[name] + "x") == []


async def test_only_the_last_error_is_searched(store: Store, make: Factory, clock: Clock) -> None:
    lease = await make.lease()
    await make.settle(lease, Outcome.FAILED, error="first")
    clock.advance(600)
    await make.settle(await make.again(), Outcome.FAILED, error="second")

    assert await searched(store, make, "second") == [lease.job_id]
    assert await searched(store, make, "first") == []


async def test_either_end_of_an_id_is_a_text(store: Store, make: Factory) -> None:
    made = await make.job(id=UUID("0192f0c1-1111-7222-8333-abcdef012345"))
    await make.job()

    for text in ("0192f0", "0192F0C1-11", "012345", "-abcdef012345", str(made), made.hex):
        assert await searched(store, make, text) == [made], text
    for text in ("0192f", "12345", "f0c111", "abcdef01234"):
        assert await searched(store, make, text) == [], text


async def test_a_whole_id_finds_a_job_however_old_and_another_filter_still_holds(store: Store, make: Factory) -> None:
    made = await make.job(payload={"n": 1})
    await make.jobs(10_000)

    found = await store.list_jobs(make.alice, JobFilter(text=str(made), statuses=[QUEUED]), limit=5)
    other = await store.list_jobs(make.alice, JobFilter(text=str(made), statuses=[RUNNING]), limit=5)
    charlies = await store.list_jobs(make.charlie, JobFilter(text=str(made)))

    assert ([job.id for job in found.items], found.scanned_all) == ([made], True)
    assert other.items == charlies.items == []


async def test_a_search_that_stopped_says_where(store: Store, make: Factory) -> None:
    oldest = await make.job(payload={"name": "needle"})
    await make.jobs(10_000)

    first = await store.list_jobs(make.alice, JobFilter(text="needle"))
    second = await store.list_jobs(make.alice, JobFilter(text="needle"), cursor=first.next_cursor)

    assert (first.items, first.scanned_all) == ([], False)
    assert first.next_cursor is not None
    assert ([job.id for job in second.items], second.scanned_all, second.next_cursor) == ([oldest], True, None)


async def test_pages_of_a_search_have_each_job_once(store: Store, make: Factory) -> None:
    made = [await make.job(payload={"name": "needle" if n % 3 else "hay"}) for n in range(30)]
    wanted = [job for n, job in enumerate(made) if n % 3][::-1]

    found: list[UUID] = []
    cursor: int | None = None
    while True:
        page = await store.list_jobs(make.alice, JobFilter(text="needle"), limit=7, cursor=cursor)
        found += [job.id for job in page.items]
        if (cursor := page.next_cursor) is None:
            break

    assert found == wanted
    skipped = await store.list_jobs(make.alice, JobFilter(text="needle"), limit=5, offset=4)
    assert [job.id for job in skipped.items] == wanted[4:9]


@pytest.mark.parametrize("text", ["", "x" * 201])
async def test_a_text_has_1_to_200_characters(store: Store, make: Factory, text: str) -> None:
    with pytest.raises(Invalid, match="text must have 1 to 200 characters"):
        await store.list_jobs(make.alice, JobFilter(text=text))


async def test_no_character_of_a_text_has_a_meaning(store: Store, make: Factory) -> None:
    percent = await make.job(payload={"share": "100%_\\"})
    await make.job(payload={"share": "100 percent"})

    for text in ("100%", "%_", "_\\"):
        assert await searched(store, make, text) == [percent], text


async def test_who_enqueued_a_job_is_a_filter(store: Store, make: Factory) -> None:
    made = await make.job()

    assert await ids(store, make.alice, JobFilter(triggered_by="login")) == [made]
    assert await ids(store, make.alice, JobFilter(triggered_by="key")) == []


async def test_charlie_finds_nothing_of_alices(store: Store, make: Factory) -> None:
    await make.job(payload={"name": "needle"}, tags=["needle"], correlation_id="needle")

    assert await ids(store, make.charlie, JobFilter(text="needle")) == []
    assert await ids(store, make.charlie, JobFilter(triggered_by="login")) == []
