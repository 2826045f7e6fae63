from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Any

from jobplane import wiring
from jobplane.config import Config
from jobplane.core.lines import Taken, Ticket
from jobplane.core.model import NewWorker
from jobplane.worker.contact import Contact
from jobplane.worker.dockets import Dockets
from jobplane.worker.fetcher import Fetcher, in_order
from jobplane.worker.journal import Journal
from jobplane.worker.logbook import Logbook
from jobplane.worker.settings import WorkerSettings
from jobplane.worker.settler import Settler


def test_each_queue_is_first_as_often_as_its_weight_says() -> None:
    firsts = Counter(in_order({"a": 3, "b": 1}, woken=())[0] for _ in range(4000))

    assert 2850 < firsts["a"] < 3150
    assert firsts["a"] + firsts["b"] == 4000


def test_a_queue_that_was_woken_goes_first() -> None:
    assert {in_order({"a": 1000, "b": 1}, woken={"b"})[0] for _ in range(100)} == {"b"}


class Roomy:
    """A fleet with room, beside a renewer that has nothing to renew."""

    def room(self) -> int:
        return 10

    def quota(self, queue: str) -> int:
        return 10

    def deal(self, taken: Taken, asked_at: float, queue: str) -> list[Ticket]:
        return []

    async def anew(self) -> None: ...


async def test_a_queue_that_is_missing_is_made_again(tmp_path: Path) -> None:
    stores = await wiring.open_worker_stores(Config(database_url=f"sqlite:///{tmp_path / 'jobs.db'}"))
    await stores.claims.register_worker(NewWorker(worker_id="w", queues=[]))
    settings = WorkerSettings(imports=(), queues={"vanished": 1}, worker_id="w", poll_seconds=0.01)
    fetcher = _fetcher(stores.claims, settings)

    await fetcher.step()

    assert "vanished" in [queue.name for queue in await stores.claims.queues()]
    await stores.close()


def _fetcher(store: Any, settings: WorkerSettings) -> Fetcher:
    journal, house = Journal("w", Dockets()), Roomy()
    line = Contact(journal).line("claims")
    settler = Settler(line, store, Logbook(line, store, journal, lambda _: None), journal, lambda: None)
    return Fetcher(line, store, house, house, settler, Dockets(), journal, settings=settings, listens=False)
