"""What a newcomer may get wrong: every mistake is answered in jobplane's words, and leaves nothing behind."""

from __future__ import annotations

import pickle
import re
from collections.abc import AsyncGenerator, Callable, Generator
from functools import partial
from typing import Annotated, Any, cast

import pytest
from pydantic import Field

from jobplane import Backoff, Context, Invalid, InvalidPayload, Jobplane, JobStatus, UnknownQueue


class Adder:
    def __call__(self, a: int) -> int:
        return a


def add(a: int, b: int = 2) -> int:
    return a + b


def counts(n: int) -> Generator[int]:
    yield n


async def counts_later(n: int) -> AsyncGenerator[int]:
    yield n


@pytest.fixture
def plane() -> Jobplane:
    """Not connected, and never will be."""
    return Jobplane("postgresql://nobody@127.0.0.1:1/nothing")


@pytest.mark.parametrize(
    "strange", [None, 5, "add", len, partial(add, 1), Adder(), counts, counts_later], ids=lambda one: f"{one!r:.12}"
)
def test_only_a_function_that_returns_can_be_a_handler(plane: Jobplane, strange: Any) -> None:
    with pytest.raises(Invalid, match=r"^Job strange: "):
        plane.job("strange")(strange)

    assert plane.keys == ()


@pytest.mark.parametrize(
    ("strange", "what"),
    [
        (Adder, "the class Adder"),
        (Adder(), "an object of the class Adder"),
        (len, "the built-in len"),
        (5, "5"),
        (None, "null"),
    ],
)
def test_what_is_no_function_is_named_without_its_address(plane: Jobplane, strange: Any, what: str) -> None:
    with pytest.raises(Invalid, match=f"^Job strange: {what} is not a function. Write a def that calls it.$"):
        plane.job("strange")(strange)


def test_a_parameter_that_cannot_be_json_is_named_with_its_type(plane: Jobplane) -> None:
    with pytest.raises(
        Invalid, match=r"^Job strange: the parameter b cannot be JSON: the type \S*Adder has no JSON form\."
    ):

        @plane.job("strange")
        def strange(a: int, b: list[Adder]) -> None: ...


@pytest.mark.parametrize("key", [None, 5, b"add"])
def test_a_key_is_a_text(plane: Jobplane, key: Any) -> None:
    with pytest.raises(Invalid, match="cannot be a key"):
        plane.job(key)(add)


@pytest.mark.parametrize(
    ("option", "message"),
    [
        ({"backoff": 5}, "Job add: backoff must be a Backoff"),
        ({"backoff": Backoff(factor=0.5)}, "backoff.factor of job add must be a number between 1 and 100, not 0.5"),
        ({"tags": "maths"}, "Job add: tags must be a list of strings."),
        ({"tags": [1]}, "Job add: tags must be a list of strings."),
        ({"isolation": "no"}, "Job add: isolation must be shared or process."),
        ({"on_lost_contact": "no"}, "Job add: on_lost_contact must be stop or continue."),
        ({"max_attempts": 0}, "max_attempts of job add must be between 1 and 1000, not 0"),
        ({"max_attempts": "3"}, "max_attempts of job add must be a whole number, not str"),
        ({"priority": True}, "priority of job add must be a whole number, not bool"),
        ({"timeout_seconds": 0.5}, "timeout_seconds of job add must be a whole number, not float"),
        ({"max_running": -1}, "max_running of job add must be between 0 and"),
        ({"queue": "Mail"}, "cannot be a queue."),
        ({"queue": None}, "cannot be a queue."),
    ],
)
def test_a_policy_that_means_nothing_is_refused_at_once(plane: Jobplane, option: Any, message: str) -> None:
    with pytest.raises(Invalid, match=re.escape(message)):
        plane.job("add", **option)(add)


def test_a_decorator_without_parentheses_says_what_to_write(plane: Jobplane) -> None:
    with pytest.raises(Invalid, match=re.escape('Write @jp.job("add") above add.')):
        cast("Any", plane.job)(add)


def test_a_context_by_keyword_alone_is_refused(plane: Jobplane) -> None:
    with pytest.raises(Invalid, match="first parameter"):

        @plane.job("late")
        def late(*, ctx: Context) -> None: ...


def test_a_pattern_that_cannot_be_in_linear_time_is_refused_at_once(plane: Jobplane) -> None:
    with pytest.raises(Invalid, match=r"^Job ahead: the parameter a cannot be JSON"):

        @plane.job("ahead")
        def ahead(a: Annotated[str, Field(pattern="^(?=a)")]) -> None: ...


def test_a_default_that_is_no_number_stays_the_handlers(plane: Jobplane) -> None:
    @plane.job("mean")
    def mean(weight: float = float("nan")) -> None: ...

    assert mean.definition.signature.payload((), {}) == {}


def test_bytes_that_are_no_text_are_refused_at_enqueue(plane: Jobplane) -> None:
    @plane.job("keep")
    def keep(content: bytes) -> None: ...

    with pytest.raises(InvalidPayload, match="cannot be JSON"):
        keep.enqueue(b"\xff")


def test_a_function_may_have_one_handler_in_each_plane(plane: Jobplane) -> None:
    @plane.job("later")
    async def later(a: int) -> int:
        return a

    again = Jobplane().job("again")(later)

    assert (again.key, again.definition.is_async) == ("again", True)


def test_a_static_method_is_the_function_in_it(plane: Jobplane) -> None:
    class Sums:
        @plane.job("add")
        @staticmethod
        async def add(a: int) -> int:
            return a

    assert cast("Any", Sums.add).definition.is_async


def test_a_decorated_function_is_pickled_by_its_name() -> None:
    assert pickle.loads(pickle.dumps(pickled)) is pickled


pickled = Jobplane().job("pickled")(add)
pickled.__qualname__ = "pickled"


def test_a_call_that_is_none_is_refused_before_anything_is_written(jp: Jobplane) -> None:
    sums = jp.job("add")(add)
    jp.sync()

    for strange in (5, None, sums, "add"):
        with pytest.raises(Invalid, match=r"\.call\("):
            jp.enqueue_many([sums.call(1), cast("Any", strange)])

    assert list(jp.list()) == []


@pytest.mark.parametrize("job", [None, 5, add])
def test_a_job_that_is_none_is_invalid(jp: Jobplane, job: Any) -> None:
    with pytest.raises(Invalid, match="by its handle or its UUID"):
        jp.get(job)


def test_a_tenant_is_a_slug_or_a_uuid(jp: Jobplane) -> None:
    sums = jp.job("add")(add)
    jp.sync()

    with pytest.raises(Invalid, match="slug or its UUID"):
        sums.options(tenant=cast("Any", 5)).enqueue(1)
    with pytest.raises(Invalid, match="slug or its UUID"):
        next(jp.list(tenant=cast("Any", 5)))


@pytest.mark.parametrize("verb", [Jobplane.run_once, Jobplane.drain])
def test_queues_are_a_list(jp: Jobplane, verb: Callable[..., int]) -> None:
    jp.job("add")(add)
    jp.sync()

    with pytest.raises(Invalid, match="queues must be a list"):
        verb(jp, queues="default")


@pytest.mark.parametrize("name", ["statuses", "definitions", "queues", "tags"])
def test_a_filter_with_many_values_is_a_list(jp: Jobplane, name: str) -> None:
    where: Any = {name: "queued"}

    with pytest.raises(Invalid, match=f"{name} must be a list"):
        next(jp.list(**where))


def test_a_timeout_is_a_number(jp: Jobplane) -> None:
    sums = jp.job("add")(add)
    jp.sync()

    with pytest.raises(Invalid, match="timeout"):
        jp.wait(sums.enqueue(1), timeout=cast("Any", "soon"))


def test_a_queue_that_was_refused_is_not_served(jp: Jobplane) -> None:
    sums = jp.job("add")(add)
    jp.sync()
    with pytest.raises(UnknownQueue):
        sums.options(queue="nowhere").enqueue(1)
    with pytest.raises(Invalid):
        sums.options(queue=cast("Any", 5)).enqueue(1)
    handle = sums.enqueue(1)

    assert jp.drain() == 1
    assert jp.get(handle).status is JobStatus.SUCCEEDED
