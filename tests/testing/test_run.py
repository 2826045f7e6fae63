"""A handler that is run alone gets what a worker would give it, and what it raises comes out."""

from __future__ import annotations

import time
from collections.abc import Generator
from datetime import UTC, datetime
from uuid import uuid4

import pytest

from jobplane import Canceled, Context, DeadlinePassed, Fail, Invalid, InvalidPayload, Jobplane, LeaseLost
from jobplane.testing import Attempt, Sandbox, run
from tests.testing import shop


def test_it_returns_what_the_handler_returns() -> None:
    assert run(shop.send_receipt, 7) == "receipt for 7 to alice"


async def test_an_async_handler_is_awaited() -> None:
    provider = uuid4()

    assert await run(shop.watch, provider) == str(provider)


def test_arguments_go_through_json_and_come_back(jobs: Sandbox) -> None:
    at = datetime(2026, 1, 1, tzinfo=UTC)

    assert run(shop.take_order, order=1, at=at) == {"order": 1, "attempt": 1, "at": at}


def test_arguments_that_do_not_fit_are_refused() -> None:
    with pytest.raises(InvalidPayload, match="order"):
        run(shop.send_receipt, order="seven")  # pyright: ignore[reportArgumentType]


def test_what_the_handler_raises_comes_out() -> None:
    with pytest.raises(Fail, match="no such order"):
        run(shop.take_order, -1)


def test_a_result_that_could_not_be_kept_is_an_error() -> None:
    with pytest.raises(Invalid, match="result cannot be kept"):
        run(shop.odd)


def test_the_context_is_the_tests_choice(jobs: Sandbox) -> None:
    attempt = Attempt(number=3)

    assert attempt.run(shop.take_order, 1)["attempt"] == 3
    assert attempt.shares == [0.5]


async def test_progress_and_checkpoints_act_at_the_call() -> None:
    jp = Jobplane()
    attempt = Attempt()

    @jp.job("forgetful")
    async def forgetful(ctx: Context) -> None:
        ctx.progress(0.5)
        attempt.answer = "cancel"
        ctx.checkpoint()

    with pytest.raises(Canceled):
        await attempt.run(forgetful)
    assert attempt.shares == [0.5]


def test_a_result_that_comes_after_the_deadline_is_none() -> None:
    jp = Jobplane()

    @jp.job("oversleep", timeout_seconds=1)
    def oversleep() -> str:
        time.sleep(1.1)
        return "slept"

    with pytest.raises(DeadlinePassed, match=r"Job exceeded its timeout of 1 s\."):
        run(oversleep)


@pytest.mark.parametrize(("answer", "raised"), [("cancel", Canceled), ("gone", LeaseLost)])
async def test_a_checkpoint_hears_what_the_test_says(answer: str, raised: type[Exception]) -> None:
    attempt = Attempt()
    attempt.answer = "cancel" if answer == "cancel" else "gone"

    with pytest.raises(raised):
        await attempt.run(shop.watch, uuid4())


def test_what_the_handler_enqueues_is_there_and_inherits(jobs: Sandbox) -> None:
    acme = shop.jp.create_tenant("acme")

    Attempt(tenant_id=acme.tenant_id, correlation_id="order 1").run(shop.take_order, 1)

    jobs.assert_enqueued(shop.send_receipt, {"order": 1}, tenant="acme", correlation_id="order 1")


def test_middlewares_surround_it() -> None:
    jp, seen = Jobplane("sqlite:///:memory:"), list[str]()

    @jp.middleware
    def note(ctx: Context) -> Generator[None]:
        seen.append(f"{ctx.job.key} begins")
        yield
        seen.append("ends")

    @jp.job("greet")
    def greet() -> None:
        seen.append("runs")

    run(greet)

    assert seen == ["greet begins", "runs", "ends"]


def test_an_answer_that_no_checkpoint_hears_is_refused() -> None:
    with pytest.raises(Invalid, match="answer must be one of renewed, cancel, gone, not "):
        Attempt(answer="nonsense")  # pyright: ignore[reportArgumentType]


def test_the_priority_is_the_definitions_unless_the_test_says_otherwise() -> None:
    plane = Jobplane("sqlite:///:memory:")

    @plane.job("rank", priority=7)
    def rank(ctx: Context) -> int:
        return ctx.priority

    assert (run(rank), Attempt(priority=3).run(rank)) == (7, 3)
