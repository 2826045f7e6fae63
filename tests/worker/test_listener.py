from __future__ import annotations

import time
from collections.abc import Callable

from jobplane.process.contact import Contact
from jobplane.worker.claim_records import ClaimRecords
from jobplane.worker.journal import Journal
from jobplane.worker.listener import Listener
from tests.database import Database
from tests.worker.outage import shut_out
from tests.worker.stage import Stage


def test_a_listen_url_that_leads_nowhere_is_one_warning_and_jobs_run_on(stage: Stage, db: Database) -> None:
    nowhere = f"postgresql://jobplane_worker@/nowhere?host={db.cluster.server.socket_dir}"
    worker = stage.started(listen_url=nowhere)

    line = worker.until("listener_lost", 10)

    assert line["level"] == "warning"
    assert 'database "nowhere" does not exist' in line["error"]
    assert "listen_url" in line["hint"]
    stage.ended(stage.enqueue("nothing"))
    worker.stop()
    assert worker.left() == 0
    assert len(worker.lines("listener_lost")) == 1


def test_an_outage_of_the_database_is_not_said_twice(stage: Stage, db: Database) -> None:
    worker = stage.started()
    with shut_out(db):
        worker.until("database_lost", 10)
        time.sleep(2)  # it has tried to listen some times by now

    worker.until("database_found", 15)
    assert not worker.lines("listener_lost")


class Ear:
    """Listens once more, and hears of another's job."""

    on_lost: Callable[[Exception], None] | None = None
    on_schedules: Callable[[], None] | None = None

    async def listen(
        self, woken: Callable[[int | None], None], canceled: Callable[[str], None], kept_up: Callable[[], None]
    ) -> None:
        woken(None)
        woken(7)
        canceled("another")
        kept_up()

    async def close(self) -> None: ...


async def test_who_listens_again_looks_for_work_and_for_cancels_that_it_did_not_hear_of() -> None:
    told: list[object] = []
    journal = Journal("w", ClaimRecords())
    line = Contact(journal).connection("claims")

    canceled, kept_up = lambda: told.append("canceled"), lambda: told.append("kept up")
    await Listener(Ear(), line, journal, "w", told.append, canceled, kept_up).run()

    assert told == ["canceled", None, 7, "kept up"]
