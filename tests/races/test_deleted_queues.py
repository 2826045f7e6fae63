"""A queue is deleted while jobs are on their way to it: either it stays, or they are refused."""

from __future__ import annotations

from collections.abc import Callable

import psycopg
import pytest

from tests.races.hands import Admin, App
from tests.races.stage import Stage
from tests.races.waiting import at_once

Send = Callable[[App], object]
BUSY, IN_USE, UNKNOWN = "55P03", "JP019", "JP006"
LOST = """
select j.id from jobplane.jobs j join (
  select seq, queue_id from jobplane.ready union all select seq, queue_id from jobplane.upcoming) w using (seq)
 where not exists (select from jobplane.queues q where q.queue_id = w.queue_id)
"""


@pytest.fixture
def mail(stage: Stage) -> Stage:
    """The stage with a queue, and a definition that names it."""
    stage.admin.run("select jobplane.put_queues('{mail}')")
    stage.admin.define("letter", queue="mail")
    return stage


def delete(admin: Admin) -> str:
    """The SQLSTATE of a refusal, or nothing."""
    return refusal(lambda: admin.run("select jobplane.delete_queues('{mail}')"))


def refusal(call: Callable[[], object]) -> str:
    try:
        call()
    except psycopg.Error as error:
        return error.sqlstate or "?"
    return ""


def queues(stage: Stage) -> set[str]:
    return {row[0] for row in stage.probe.run("select name from jobplane.queues")} - {"default", "system"}


def _edit(stage: Stage) -> Send:
    job = stage.app().enqueue().job_id
    return lambda app: app.edit(job, queue="mail")


def _retry(stage: Stage) -> Send:
    job = stage.app().enqueue(queue="mail").job_id
    stage.app().cancel(job)
    return lambda app: app.retry(job)


ON_THEIR_WAY: dict[str, Callable[[Stage], Send]] = {
    "plain": lambda _: lambda app: app.enqueue("letter"),
    "one": lambda _: lambda app: app.enqueue(queue="mail"),
    "many": lambda _: lambda app: app.enqueue_many(2, queues=["mail", "mail"]),
    "later": lambda _: lambda app: app.enqueue(queue="mail", delay_seconds=60),
    "edited": _edit,
    "retried": _retry,
}


@pytest.mark.parametrize("way", ON_THEIR_WAY)
def test_a_queue_to_which_an_open_transaction_has_sent_a_job_stays(mail: Stage, way: str) -> None:
    send, app = ON_THEIR_WAY[way](mail), mail.app(in_transaction=True)
    send(app)
    mail.admin.define("letter", queue="default")

    assert delete(mail.admin) == BUSY
    app.commit()
    assert delete(mail.admin) == IN_USE

    assert (queues(mail), mail.probe.run(LOST)) == ({"mail"}, [])


@pytest.mark.parametrize("way", ["one", "many", "edited", "retried"])
def test_a_job_that_comes_while_its_queue_is_deleted_is_refused(mail: Stage, way: str) -> None:
    send, app = ON_THEIR_WAY[way](mail), mail.app()
    mail.admin.define("letter", queue="default")
    admin = Admin(mail.db.connect("admin"))
    admin.conn.autocommit = False
    assert delete(admin) == ""

    sent = mail.later(app, lambda: refusal(lambda: send(app)))
    assert sent.waits()
    admin.commit()

    assert sent.answer() == (UNKNOWN if way in ("one", "edited") else "")
    assert (queues(mail), mail.probe.run(LOST)) == (set(), [])


def test_a_worker_that_registers_keeps_its_queue(mail: Stage) -> None:
    mail.admin.define("letter", queue="default")
    worker = mail.worker(in_transaction=True)
    worker.call("register_worker", "w", ["mail"])

    assert delete(mail.admin) == BUSY
    worker.commit()

    assert delete(mail.admin) == IN_USE


def test_a_job_from_a_transaction_that_still_saw_the_queue_brings_it_back(mail: Stage) -> None:
    mail.admin.define("letter", queue="default")
    app = mail.app(in_transaction=True)
    app.conn.isolation_level = psycopg.IsolationLevel.REPEATABLE_READ
    app.run("select 1")
    assert delete(mail.admin) == ""
    job = app.enqueue(queue="mail").job_id
    app.commit()

    mail.worker().call("tidy")

    assert queues(mail) == {"mail"}
    assert [lease.job_id for lease in mail.worker().claim(queue="mail")] == [job]


def test_whoever_comes_and_goes_no_job_is_lost(mail: Stage) -> None:
    mail.admin.define("letter", queue="default")
    apps, admins = [mail.app() for _ in range(3)], [Admin(mail.db.connect("admin")) for _ in range(3)]

    def send(app: App) -> set[str]:
        return {refusal(lambda: app.cancel(app.enqueue(queue="mail").job_id)) for _ in range(40)}

    def drop(admin: Admin) -> set[str]:
        return {delete(admin) for _ in range(20)}

    def put(admin: Admin) -> set[str]:
        return {refusal(lambda: admin.run("select jobplane.put_queues('{mail}')")) for _ in range(20)}

    ways = [*(lambda app=app: send(app) for app in apps), *(lambda a=admins[n]: drop(a) for n in (0, 1))]
    found = set[str]().union(*at_once([*ways, lambda: put(admins[2])]))

    assert found <= {"", BUSY, IN_USE, UNKNOWN}
    assert mail.probe.run(LOST) == []
