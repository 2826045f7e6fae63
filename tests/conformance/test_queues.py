from __future__ import annotations

from typing import Any

import pytest

from jobplane.core.errors import Invalid
from jobplane.core.model import Queue
from jobplane.store.verbs.operator import ListQueues
from tests.client import Store
from tests.clock import Clock
from tests.conformance.factory import STATES, Factory


def empty(name: str) -> Queue:
    return Queue(
        name=name,
        description="",
        paused_at=None,
        paused_by=None,
        paused_reason=None,
        ready=0,
        held=0,
        upcoming=0,
        running=0,
    )


async def test_two_queues_are_there_from_the_start(store: Store) -> None:
    assert await store.queues() == [empty("default"), empty("system")]


async def test_a_queue_is_made_once(store: Store) -> None:
    assert sorted(await store.put_queues(["b", "a.b_c-1", "b", "default"])) == ["a.b_c-1", "b"]
    assert await store.put_queues(["b"]) == []
    assert await store.put_queues([]) == []

    assert [queue.name for queue in await store.queues()] == ["a.b_c-1", "b", "default", "system"]


async def test_a_name_that_cannot_be_refuses_the_whole_call(store: Store) -> None:
    for name in ("", "A", "a b", "-a", "a-", "a" * 101, "ä", "a\x00", "\ud800"):
        with pytest.raises(Invalid):
            await store.put_queues(["good", name])

    assert [queue.name for queue in await store.queues()] == ["default", "system"]


async def test_a_document_describes_a_queue_and_changes_only_what_it_names(store: Store) -> None:
    assert await store.put_queues([{"name": "mail", "description": "Letters"}, "sync"]) == ["mail", "sync"]
    assert await store.put_queues([{"name": "sync", "description": "Folders"}, "mail", {"name": "mail"}]) == []

    found = {queue.name: queue.description for queue in await store.queues()}
    assert found == {"default": "", "mail": "Letters", "sync": "Folders", "system": ""}


async def test_of_two_documents_of_a_name_the_later_one_counts(store: Store) -> None:
    both = [{"name": "mail", "description": "a"}, {"name": "mail", "description": "b"}, "mail"]

    assert await store.put_queues(both) == ["mail"]

    assert [queue.description for queue in await store.queues() if queue.name == "mail"] == ["b"]


@pytest.mark.parametrize(
    "document",
    [
        {},
        {"name": None},
        {"name": 5},
        {"description": "x"},
        {"name": "good", "description": "x" * 1001},
        {"name": "good", "description": None},
        {"name": "good", "description": "\x00"},
        {"name": "good", "color": "red"},
        ["good"],
    ],
    ids=repr,
)
async def test_a_document_that_cannot_be_refuses_the_whole_call(store: Store, document: Any) -> None:
    with pytest.raises(Invalid):
        await store.put_queues(["better", document])

    assert [queue.name for queue in await store.queues()] == ["default", "system"]


async def test_a_bare_text_is_no_list_of_queues(store: Store) -> None:
    with pytest.raises(Invalid, match="list"):
        await store.put_queues("mail")


async def test_queues_come_by_name_page_by_page(store: Store) -> None:
    await store.put_queues(["b", "a", "z"])
    pages: list[list[str]] = []
    after: str | None = ""
    while after is not None:
        page = await store.run(ListQueues(2, after))
        pages.append([queue.name for queue in page.items])
        after = page.next_cursor

    assert pages == [["a", "b"], ["default", "system"], ["z"]]


async def test_the_longest_name(store: Store) -> None:
    assert await store.put_queues(["q" * 100]) == ["q" * 100]


async def test_a_pause_has_its_first_time_and_is_over_with_the_resume(store: Store, clock: Clock) -> None:
    paused_at = clock.now()
    assert await store.pause_queues(["default", "nowhere"]) == ["default"]
    clock.advance(60)
    await store.pause_queues(["default"])
    assert [queue.paused_at for queue in await store.queues()] == [paused_at, None]

    assert await store.resume_queues(["default", "nowhere"]) == ["default"]
    assert [queue.paused_at for queue in await store.queues()] == [None, None]


async def test_a_paused_queue_still_takes_jobs_and_settles_what_runs(store: Store, make: Factory) -> None:
    lease = await make.lease()
    await store.pause_queues(["default"])
    await make.job()

    assert (await store.release([lease]))[0].accepted
    assert await make.claim() == []


async def test_a_queue_counts_all_tenants_jobs(store: Store, make: Factory) -> None:
    for state in reversed(STATES):
        await make.in_state(state)
    await make.jobs(2, tenant=make.charlie)

    [default, system] = await store.queues()

    assert default == Queue(
        name="default",
        description="",
        paused_at=None,
        paused_by=None,
        paused_reason=None,
        ready=3,
        held=1,
        upcoming=1,
        running=1,
    )
    assert system == empty("system")
