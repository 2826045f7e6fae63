"""Changes as they happen: who is told of what, and what it costs."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncGenerator
from contextlib import AsyncExitStack
from typing import Any, cast

import pytest

from jobplane.config import Config
from jobplane.core.changes import TOPICS
from jobplane.core.model import NewWorker, Outcome
from jobplane.server import listeners, streaming
from jobplane.server.listeners import Listener
from jobplane.store.verbs.operator import FindChanges
from jobplane.store.verbs.verb import Verb
from tests.client import SqliteStore, Store
from tests.server.listening import Ear, listening, until
from tests.server.site import Cast, Site, Voice, opened

EITHER = pytest.mark.parametrize("by", ["key", "session"])


@pytest.fixture(autouse=True)
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    """Ten looks, and five signs of life, in the time of one."""
    monkeypatch.setattr(listeners, "LOOK_SECONDS", 0.1)
    monkeypatch.setattr(streaming, "TICK_SECONDS", 0.2)


class CountingStore:
    """A store that counts the looks for changes."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self.looks = 0

    async def run(self, verb: Verb[Any], **more: Any) -> Any:
        self.looks += isinstance(verb, FindChanges)
        return await self._store.run(verb, **more)

    async def look(self, times: int) -> None:
        """Wait until so many more looks were begun."""
        wanted = self.looks + times
        await until(lambda: self.looks >= wanted)


@pytest.fixture
async def counting(site: Site) -> AsyncGenerator[tuple[Site, CountingStore]]:
    """A second server process on the same database."""
    store = CountingStore(site.store)
    url = "sqlite:///jobs.db" if isinstance(site.store, SqliteStore) else "postgresql://localhost/jobs"
    async with opened(cast("Store", store), Config(server_requests_per_second=0, database_url=url)) as counted:
        yield counted, store


async def enqueue(site: Site, voice: Voice, **fields: Any) -> Any:
    definition = await site.define(**fields)
    answer = await voice.post("/jobs", {"definition_key": definition.key})
    assert answer.status == 201
    return definition


async def test_a_change_is_told_to_those_who_may_see_it(site: Site, cast: Cast) -> None:
    async with (
        listening(cast.bob) as bob,
        listening(cast.root) as root,
        listening(cast.root.naming(cast.a.slug)) as named,
    ):
        definition = await enqueue(site, cast.alice)
        await bob.hear("jobs")
        await root.hear("jobs", "queues")
        await named.hear("jobs")

        await site.end(definition)
        await bob.hear("jobs")

        await site.store.register_worker(NewWorker(worker_id="w", queues=["default"], slots=4))
        await root.hear("workers")

    assert set(bob.data + root.data + named.data) == {"{}"}


async def test_a_dead_letter_and_a_pause_are_told_as_problems(site: Site, cast: Cast) -> None:
    definition = await enqueue(site, cast.alice, max_attempts=1)
    async with listening(cast.bob, "problems") as bob, listening(cast.root, "problems") as root:
        await site.plane.queues.pause(definition.queue)
        await bob.hear("problems")
        await root.hear("problems")

        await site.plane.queues.resume(definition.queue)
        await bob.hear("problems")

        await site.end(definition, Outcome.FAILED)
        await bob.hear("problems")

        assert set(bob.events) <= {"problems"}


async def test_a_tenant_hears_nothing_of_other_tenants(site: Site, cast: Cast) -> None:
    """Whatever happens in tenant a and in the installation: charlie of tenant b is told of none of it."""
    async with (
        listening(cast.bob) as bob,
        listening(cast.charlie) as charlie,
        listening(cast.root.naming(cast.b.slug)) as named,
    ):
        definition = await enqueue(site, cast.alice, max_attempts=1)
        await bob.hear("jobs")
        await site.plane.queues.pause(definition.queue)
        await site.store.register_worker(NewWorker(worker_id="other", queues=[definition.queue], slots=4))
        await site.plane.queues.resume(definition.queue)
        await site.end(definition, Outcome.FAILED)
        await bob.hear("problems")
        await cast.alice.post("/keys", {"role": "viewer"})
        await bob.hear("jobs")

        assert await charlie.settle() == []
        assert await named.settle() == []

        await enqueue(site, cast.charlie)
        await charlie.hear("jobs")
        await named.hear("jobs")


async def test_nothing_is_told_while_nothing_changes(
    counting: tuple[Site, CountingStore], site: Site, cast: Cast
) -> None:
    """PostgreSQL counts what other sessions did up to ten seconds later: there the installation is left out."""
    counted, store = counting
    definition = await enqueue(site, cast.alice)
    lease = await site.claim(definition)
    everything = None if isinstance(site.store, SqliteStore) else "workers"
    bob, root = Voice(counted.client, cast.bob.key), Voice(counted.client, cast.root.key)
    async with listening(bob, "jobs") as heard, listening(root, everything) as all_:
        await site.store.renew([lease])
        await store.look(8)

        assert await heard.settle() == []
        assert set(await all_.settle()) <= {"problems"}  # with the minute


async def test_two_hundred_listeners_cost_one_query_a_look_and_none_when_they_have_gone(
    counting: tuple[Site, CountingStore], cast: Cast
) -> None:
    counted, store = counting
    voices = [Voice(counted.client, cast.voices[name].key) for name in ("bob", "alice", "charlie", "root")]
    async with AsyncExitStack() as stack:
        ears: list[Ear] = []
        for _ in range(10):  # twenty at once: beside other tests the server would refuse two hundred as too many
            opening = (stack.enter_async_context(listening(voice)) for voice in voices * 5)
            ears += await asyncio.gather(*opening)
        before, began = store.looks, time.monotonic()

        await store.look(10)

        assert len(ears) == 200
        assert store.looks - before <= 1 + (time.monotonic() - began) / listeners.LOOK_SECONDS
    await until(lambda: counted.app.state.jobplane.listeners._task is None)
    after = store.looks
    await asyncio.sleep(5 * listeners.LOOK_SECONDS)
    assert store.looks == after


async def test_a_listener_that_does_not_read_keeps_each_topic_once() -> None:
    listener = Listener(None, frozenset(TOPICS))
    for _ in range(1000):
        listener.tell(["workers", "jobs"])

    assert await listener.take(0) == ["jobs", "workers"]
    assert await listener.take(0) == []
    listener.tell(["jobs"])
    listener.tell(["reset"])
    assert await listener.take(0) == ["reset"]


@EITHER
async def test_a_stream_ends_with_the_key_or_the_session(site: Site, cast: Cast, by: str) -> None:
    made = (await cast.alice.post("/keys", {"role": "viewer"})).json
    voice = Voice(site.client, made["key"])
    if by == "session":
        voice = await site.signed_in(voice)
    async with listening(voice) as ear:
        if by == "session":
            assert (await voice.delete("/session")).status == 204
        else:
            assert (await cast.alice.post(f"/keys/{made['key_id']}/revoke")).status == 204
            site.forget()
        await ear.hear("error", "over")

        assert '"unauthenticated"' in ear.data[-1]


async def test_a_stream_ends_when_the_server_stops(counting: tuple[Site, CountingStore], cast: Cast) -> None:
    counted, _ = counting
    async with listening(Voice(counted.client, cast.bob.key)) as ear:
        counted.app.state.jobplane.stopping.set()

        await ear.hear("over")


async def test_topics_that_a_caller_may_not_read_are_left_out_and_refused_where_none_is_left(
    site: Site, cast: Cast
) -> None:
    made = (await cast.alice.post("/keys", {"role": "viewer", "owner_user_id": "u-1"})).json
    narrow = Voice(site.client, made["key"])
    refused = {
        (cast.bob, "queues"): (403, "forbidden"),
        (cast.bob, "queues,workers"): (403, "forbidden"),
        (narrow, "problems"): (403, "forbidden"),
        (cast.eve, "jobs"): (403, "forbidden"),
        (cast.wanda, "workers"): (403, "forbidden"),
        (cast.root.naming(cast.a.slug), "queues"): (422, "invalid"),
        (cast.charlie.naming(cast.a.slug), "jobs"): (404, "tenant_not_found"),
        (cast.bob, "jobs,weather"): (422, "invalid_request"),
        (cast.bob, ""): (422, "invalid_request"),
    }
    for (voice, topics), expected in refused.items():
        answer = await voice.get("/stream", topics=topics)
        assert (answer.status, answer.code) == expected, topics

    async with listening(narrow, "jobs,problems") as ear, listening(cast.bob, ",".join(TOPICS)) as bob:
        definition = await enqueue(site, cast.alice, max_attempts=1)
        await site.end(definition, Outcome.FAILED)
        await bob.hear("jobs", "problems")
        assert set(await ear.settle()) == {"jobs"}
