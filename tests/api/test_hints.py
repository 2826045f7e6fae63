"""An unknown name is answered with the one that was meant."""

from __future__ import annotations

from typing import Any

import pytest

from jobplane import (
    DefinitionNotFound,
    InvalidPayload,
    Jobplane,
    QueueNotFound,
    Refused,
    UnknownDefinition,
    UnknownQueue,
)


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
