"""An unknown name is answered with the one that was meant."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import psycopg
import pytest

from jobplane import (
    DefinitionNotFound,
    Invalid,
    InvalidPayload,
    JobHandle,
    Jobplane,
    QueueNotFound,
    Refused,
    UnknownDefinition,
    UnknownQueue,
)
from jobplane.control.access import Caller, Role
from jobplane.control.plane import TenantPlane
from jobplane.core.model import DEFAULT_TENANT
from tests.client import SqliteStore
from tests.database import Database


@pytest.fixture
def plane() -> Jobplane:
    """Not connected, and never will be."""
    return Jobplane("postgresql://nobody@127.0.0.1:1/nothing")


@pytest.mark.parametrize(
    ("given", "meant"),
    [*((name, name) for name in ("conn", "priority", "tenant", "dedupe_key")), ("run_at", "scheduled_for")],
)
def test_an_option_among_the_arguments_is_told_where_it_belongs(plane: Jobplane, given: str, meant: str) -> None:
    @plane.job("add")
    def add(a: int) -> None: ...

    arguments: Any = {"a": 1, given: 3}
    with pytest.raises(InvalidPayload) as caught:
        add.enqueue(**arguments)
    [row] = plane.enqueue_many([add.call(**arguments)])

    hint = f'"{meant}" is an option of the job: use .options({meant}=…).enqueue(…).'
    assert caught.value.message == f'Unknown argument "{given}". {hint}'
    assert caught.value.facts["pointer"] == f"/{given}"
    assert isinstance(row, Refused)
    assert row.error.message == caught.value.message


def test_an_option_whose_name_is_nearly_a_parameter_is_still_told_where_it_belongs(plane: Jobplane) -> None:
    @plane.job("add")
    def add(sources: list[str]) -> None: ...

    wrong: Any = add
    with pytest.raises(InvalidPayload) as caught:
        wrong.enqueue(source="web")

    hint = '"source" is an option of the job: use .options(source=…).enqueue(…). Did you mean "sources"?'
    assert caught.value.message == f'Unknown argument "source". {hint}'


def test_each_unknown_argument_is_explained(plane: Jobplane) -> None:
    @plane.job("add")
    def add(a: int) -> None: ...

    wrong: Any = add
    with pytest.raises(InvalidPayload) as caught:
        wrong.enqueue(1, foo=1, conn=object(), countdown=3)

    assert caught.value.message == (
        'Unknown argument "foo".'
        ' Unknown argument "conn". "conn" is an option of the job: use .options(conn=…).enqueue(…).'
        ' Unknown argument "countdown". "delay" is an option of the job: use .options(delay=…).enqueue(…).'
        " The handler takes a."
    )


def test_a_handler_keeps_a_parameter_that_is_called_as_an_option_is(jp: Jobplane) -> None:
    @jp.job("paint")
    def paint(priority: int, conn: str) -> str:
        return f"{priority} {conn}"

    jp.sync()
    job = paint.enqueue(priority=3, conn="c")
    jp.drain()

    assert jp.result(job) == "3 c"
    assert jp.get(job).priority == 100


def test_a_misspelt_argument_names_the_nearest(plane: Jobplane) -> None:
    @plane.job("paint")
    def paint(colour: str, priority: int = 1) -> None: ...

    wrong: Any = paint
    with pytest.raises(InvalidPayload, match=r'^Unknown argument "color"\. Did you mean "colour"\?$'):
        wrong.enqueue(color="red")
    with pytest.raises(InvalidPayload, match=r'^Unknown argument "zzz"\. The handler takes colour, priority\.$'):
        wrong.enqueue(zzz="red")


def test_a_misspelt_option_names_the_nearest(plane: Jobplane) -> None:
    @plane.job("add")
    def add(a: int) -> None: ...

    wrong: Any = plane
    with pytest.raises(TypeError, match=r'^Unknown option "timeout_second"\. Did you mean "timeout_seconds"\?$'):
        wrong.job("other", timeout_second=5)
    with pytest.raises(TypeError, match=r'^Unknown option "timeout"\. Did you mean "timeout_seconds"\?$'):
        wrong.job("other", timeout=5)
    wrong = add
    with pytest.raises(TypeError, match=r'^Unknown option "priorty"\. Did you mean "priority"\?$'):
        wrong.options(priorty=1)
    with pytest.raises(TypeError, match=r'^Unknown option "zzz"\. The options are tenant, conn, .*timeout_seconds\.$'):
        wrong.options(zzz=1)
    each = r'^Unknown option "priorty"\. Did you mean "priority"\? Unknown option "zzz"\. The options are .*\.$'
    with pytest.raises(TypeError, match=each):
        wrong.options(zzz=1, priorty=1)


async def test_a_misspelt_key_names_the_nearest_definition(on_loop: Jobplane) -> None:
    @on_loop.job("send-email")
    def send_email() -> None: ...

    await on_loop.sync_async()

    meant = r'^There is no definition "send-emial"\. Did you mean "send-email"\?$'
    with pytest.raises(UnknownDefinition, match=meant) as caught:
        await on_loop.enqueue_async("send-emial")
    assert caught.value.facts["definition"] == "send-emial"
    with pytest.raises(UnknownDefinition, match=r"jp\.sync\(\)"):
        await on_loop.enqueue_async("something-else")
    with pytest.raises(DefinitionNotFound, match=meant):
        await on_loop.get_definition_async("send-emial")


def test_a_definition_of_another_program_is_found_too(jp: Jobplane, url: str | None) -> None:
    @jp.job("send-email")
    def send_email() -> None: ...

    jp.sync()

    with Jobplane(url) as other, pytest.raises(UnknownDefinition, match='Did you mean "send-email"'):
        other.enqueue("send-emial")


def test_a_misspelt_queue_names_the_nearest(jp: Jobplane) -> None:
    @jp.job("add", queue="emails")
    def add(a: int) -> None: ...

    jp.sync()

    meant = r'^There is no queue "emials"\. Did you mean "emails"\?$'
    with pytest.raises(UnknownQueue, match=meant):
        add.options(queue="emials").enqueue(a=1)
    with pytest.raises(QueueNotFound, match=meant):
        jp.pause_queue("emials")


def define_two(jp: Jobplane) -> Any:
    @jp.job("add", queue="emails")
    def add(a: int) -> None: ...

    @jp.job("send-email")
    def send_email() -> None: ...

    jp.sync()
    return add


def test_a_batch_names_them_too(jp: Jobplane) -> None:
    add = define_two(jp)
    with Jobplane("postgresql://nobody@127.0.0.1:1/nothing") as other:

        @other.job("send-emial")
        def send_email() -> None: ...

        wrong = send_email.call()

    rows = jp.enqueue_many(
        [add.call(a=1), add.options(queue="emials").call(a=1), wrong, add.options(queue="zzzzz").call(a=1), wrong]
    )

    assert isinstance(rows[0], JobHandle)
    definition, queue = (
        'There is no definition "send-emial". Did you mean "send-email"?',
        'There is no queue "emials". Did you mean "emails"?',
    )
    refused = [row.error for row in rows if isinstance(row, Refused)]
    assert [type(error) for error in refused] == [UnknownQueue, UnknownDefinition, UnknownQueue, UnknownDefinition]
    assert [error.message for error in refused if "mean" in error.message] == [queue, definition, definition]


def test_a_batch_of_many_unknown_names_looks_some_of_them_up(jp: Jobplane, monkeypatch: pytest.MonkeyPatch) -> None:
    """To look each of ten thousand names up among a thousand would take minutes."""
    monkeypatch.setattr("jobplane.control.spelling._MOST_NAMES", 3)
    add = define_two(jp)

    rows = jp.enqueue_many([add.options(queue=f"email-{number}").call(a=1) for number in range(9)])

    told = [row.error.message for row in rows if isinstance(row, Refused)]
    assert [message.endswith('Did you mean "emails"?') for message in told] == [True] * 3 + [False] * 6


@pytest.fixture
def lent(request: pytest.FixtureRequest, url: str | None) -> Iterator[Any]:
    """A connection of the program's own."""
    if url is not None:
        with closing(sqlite3.connect(url.removeprefix("sqlite:///"))) as file:
            yield file
        return
    db: Database = request.getfixturevalue("db")
    with psycopg.connect(db.url("app")) as conn:
        yield conn


def test_so_does_an_enqueue_on_a_connection_of_the_callers(url: str | None, lent: Any) -> None:
    with Jobplane(url, sqlite="stdlib") as jp:
        add = define_two(jp)

        with pytest.raises(UnknownQueue, match=r'"emials"\. Did you mean "emails"\?$'):
            add.options(conn=lent, queue="emials").enqueue(a=1)
        with pytest.raises(UnknownDefinition, match=r'"send-emial"\. Did you mean "send-email"\?$'):
            jp.enqueue("send-emial", conn=lent)
        [row] = jp.enqueue_many([add.options(queue="emials").call(a=1)], conn=lent)
        kept = add.options(conn=lent).enqueue(a=1)
        lent.commit()

        assert isinstance(row, Refused)
        assert row.error.message == 'There is no queue "emials". Did you mean "emails"?'
        assert jp.get(kept).queue == "emails"


def test_a_schedule_names_them_too(jp: Jobplane) -> None:
    define_two(jp)
    create: Any = jp.schedules.create
    update: Any = jp.schedules.update
    preview: Any = jp.schedules.preview

    with pytest.raises(Invalid, match=r'^Unknown option "cron_exprr"\. Did you mean "cron_expr"\?$'):
        create("x", "send-email", cron_exprr="@daily")
    with pytest.raises(Invalid, match=r'^Unknown option "paylod"\. Did you mean "payload"\?$'):
        create("x", "send-email", paylod={}, cron_expr="@daily")
    with pytest.raises(Invalid, match=r'^Unknown option "zzz"\. The options are .*cron_expr, .*\.$'):
        preview(zzz=1)
    meant = r'^There is no queue "emials"\. Did you mean "emails"\?$'
    with pytest.raises(UnknownQueue, match=meant):
        create("x", "send-email", cron_expr="@daily", queue="emials")

    made = create("x", "send-email", cron_expr="@daily")

    with pytest.raises(UnknownQueue, match=meant):
        update(made, queue="emials")
    with pytest.raises(UnknownDefinition, match=r'Did you mean "send-email"\?$'):
        update(made, definition="send-emial")
    with pytest.raises(Invalid, match=r'^Unknown option "laebl"\. Did you mean "label"\?$'):
        update(made, laebl="y")


def test_an_edit_names_them_too(jp: Jobplane) -> None:
    job = define_two(jp).options(delay=600).enqueue(a=1)

    with pytest.raises(Invalid, match=r'^Unknown field "priorty"\. Did you mean "priority"\?$'):
        jp.edit(job, {"priorty": 7})
    with pytest.raises(Invalid, match=r'^Unknown field "zzz"\. You can edit payload, .*metadata\.$'):
        jp.edit(job, {"zzz": 7})
    with pytest.raises(UnknownQueue, match=r'"emials"\. Did you mean "emails"\?$'):
        jp.edit(job, {"queue": "emials"})


async def test_a_caller_that_may_not_list_queues_learns_of_none(scratch: Path) -> None:
    path = scratch / "jobs.db"
    with Jobplane(f"sqlite:///{path}") as jp:
        job = define_two(jp).options(delay=600).enqueue(a=1)
    async with SqliteStore(path) as store:
        plane = TenantPlane(store, DEFAULT_TENANT, Caller(None, Role.TENANT_ADMIN, DEFAULT_TENANT))

        with pytest.raises(UnknownQueue) as caught:
            await plane.jobs.edit(job.id, {"queue": "emials"})

    assert "emails" not in caught.value.message
