from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from jobplane import (
    DuplicateJob,
    IdempotencyMismatch,
    IllegalMove,
    Invalid,
    InvalidPayload,
    JobNotFound,
    Jobplane,
    JobStatus,
    OnDuplicate,
    Refused,
    TenantNotFound,
    UnknownDefinition,
    UnknownQueue,
)


def test_a_decorated_function_is_still_the_function(jp: Jobplane) -> None:
    @jp.job("add")
    def add(a: int, b: int = 2) -> int:
        """Add two numbers."""
        return a + b

    assert add(1) == 3
    assert (add.__name__, add.__doc__, add.key) == ("add", "Add two numbers.", "add")


def test_an_enqueued_call_is_a_job_with_its_arguments(jp: Jobplane) -> None:
    @jp.job("add", queue="sums", max_attempts=5, timeout_seconds=60, tags=["maths"])
    def add(a: int, b: int = 2) -> int:
        """Add two numbers."""
        return a + b

    jp.sync()
    handle = add.enqueue(1, b=5)

    job = jp.get(handle)
    assert (handle.created, handle.outcome, handle.definition_key) == (True, "created", "add")
    assert (job.status, job.payload, job.queue) == (JobStatus.QUEUED, {"a": 1, "b": 5}, "sums")
    assert (job.max_attempts, job.timeout_seconds, job.priority) == (5, 60, 100)


async def test_the_asynchronous_twin_does_the_same(on_loop: Jobplane) -> None:
    jp = on_loop

    @jp.job("add")
    async def add(a: int) -> int:
        return a

    await jp.sync_async()
    handle = await add.enqueue_async(a=1)

    assert (await jp.get_async(handle)).payload == {"a": 1}
    assert [job.id async for job in jp.list_async()] == [handle.id]
    assert (await jp.cancel_async(handle)).outcome == "canceled"
    assert (await jp.retry_async(handle)).outcome == "queued"


def test_wrong_arguments_are_refused_with_a_pointer(jp: Jobplane) -> None:
    @jp.job("add")
    def add(a: int) -> int:
        return a

    with pytest.raises(InvalidPayload) as wrong:
        add.enqueue(a="one")  # pyright: ignore[reportArgumentType]
    with pytest.raises(InvalidPayload) as missing:
        add.enqueue()  # pyright: ignore[reportCallIssue]
    with pytest.raises(InvalidPayload) as unknown:
        add.enqueue(a=1, b=2)  # pyright: ignore[reportCallIssue]
    with pytest.raises(InvalidPayload, match="two values for a"):
        add.enqueue(1, a=1)  # pyright: ignore[reportCallIssue]
    with pytest.raises(InvalidPayload, match="takes 1 positional"):
        add.enqueue(1, 2)  # pyright: ignore[reportCallIssue]

    assert [error.value.facts["pointer"] for error in (wrong, missing, unknown)] == ["/a", "/a", "/b"]
    assert wrong.value.facts["errors"]


def test_options_reach_the_job(jp: Jobplane) -> None:
    @jp.job("add")
    def add(a: int) -> int:
        return a

    jp.sync()
    tomorrow = datetime.now(UTC).replace(microsecond=0) + timedelta(days=1)

    options = add.options(priority=7, tags=["x"], metadata={"k": 1}, correlation_id="c").options(scheduled_for=tomorrow)
    job = jp.get(options.enqueue(a=1))

    assert (job.priority, job.tags, job.metadata, job.correlation_id) == (7, ["x"], {"k": 1}, "c")
    assert job.scheduled_for == tomorrow
    assert jp.get(add.options(delay=timedelta(hours=1)).enqueue(a=1)).scheduled_for > datetime.now(UTC)


def test_a_duplicate_is_the_job_that_is_there(jp: Jobplane) -> None:
    @jp.job("add")
    def add(a: int) -> int:
        return a

    jp.sync()
    first = add.options(dedupe_key="k").enqueue(a=1)

    second = add.options(dedupe_key="k").enqueue(a=2)
    third = add.options(dedupe_key="k", on_duplicate="replace").enqueue(a=3)

    assert (second.id, second.created, second.outcome) == (first.id, False, "existing")
    assert (third.id, third.outcome) == (first.id, "replaced")
    assert jp.get(first).payload == {"a": 3}


def test_a_refusal_is_the_error_of_its_code(jp: Jobplane) -> None:
    @jp.job("add")
    def add(a: int) -> int:
        return a

    jp.sync()
    add.options(idempotency_key="once").enqueue(a=1)

    with pytest.raises(IdempotencyMismatch):
        add.options(idempotency_key="once").enqueue(a=2)
    with pytest.raises(UnknownDefinition, match=r"jp\.sync\(\)"):
        jp.enqueue("nobody-knows", {})
    with pytest.raises(TenantNotFound):
        add.options(tenant="nobody").enqueue(a=1)
    with pytest.raises(JobNotFound):
        jp.get("0198c2f0-6f0d-7d53-8a34-5a2f8c0f7d11")


def test_a_batch_answers_row_by_row(jp: Jobplane) -> None:
    @jp.job("add")
    def add(a: int) -> int:
        return a

    jp.sync()
    bad = add.call(a="x")  # pyright: ignore[reportArgumentType]
    calls = [add.call(a=1), bad, add.options(priority=1).call(a=3), add.options(tenant="nobody").call(a=4)]

    rows = jp.enqueue_many(calls)

    assert [row.outcome for row in rows] == ["created", "refused", "created", "refused"]
    assert isinstance(rows[1], Refused)
    assert isinstance(rows[1].error, InvalidPayload)
    assert [job.payload for job in jp.list()] == [{"a": 3}, {"a": 1}]
    with pytest.raises(InvalidPayload):
        jp.enqueue_many([bad], raise_refused=True)


def test_a_list_goes_over_pages_and_filters(jp: Jobplane) -> None:
    @jp.job("add")
    def add(a: int) -> int:
        return a

    jp.sync()
    rows = jp.enqueue_many([add.call(a=number) for number in range(7)], raise_refused=True)
    jp.cancel(rows[3], reason="no")

    assert [job.id for job in jp.list(page_size=2)] == [row.id for row in reversed(rows)]
    assert [job.reason for job in jp.list(statuses=[JobStatus.CANCELED])] == ["no"]


def test_by_name_the_stored_schema_judges(jp: Jobplane, url: str | None) -> None:
    @jp.job("add")
    def add(a: int) -> int:
        return a

    jp.sync()
    with Jobplane(url) as other:
        handle = other.enqueue("add", {"a": 1}, priority=3)
        with pytest.raises(InvalidPayload) as refused:
            other.enqueue("add", {"a": "1"})

    assert jp.get(handle).priority == 3
    assert refused.value.facts["pointer"] == "/a"
    with pytest.raises(InvalidPayload):
        jp.enqueue("add", {"a": 1, "b": 2})


def test_a_payload_that_is_too_large_is_told_where_to_go(jp: Jobplane) -> None:
    @jp.job("greet")
    def greet(name: str) -> None: ...

    jp.sync()
    with pytest.raises(InvalidPayload, match="artifact_ref"):
        greet.enqueue(name="x" * 70_000)


def test_an_option_that_cannot_be_is_refused(jp: Jobplane) -> None:
    @jp.job("greet")
    def greet() -> None: ...

    jp.sync()
    with pytest.raises(Invalid, match="time zone"):
        greet.options(expires_at=datetime(2026, 1, 1)).enqueue()  # noqa: DTZ001
    with pytest.raises(Invalid, match="on_duplicate"):
        greet.options(on_duplicate="drop").enqueue()  # pyright: ignore[reportArgumentType]
    with pytest.raises(UnknownQueue):
        greet.options(queue="nowhere").enqueue()
    with pytest.raises(Invalid, match="one connection"):
        jp.enqueue_many([greet.options(conn=object()).call(), greet.call()])


def test_a_move_that_the_state_does_not_allow_is_an_error(jp: Jobplane) -> None:
    @jp.job("greet")
    def greet() -> None: ...

    jp.sync()
    first = greet.options(dedupe_key="k").enqueue()

    with pytest.raises(IllegalMove, match="queued"):
        jp.retry(first)
    assert jp.cancel(first).outcome == "canceled"
    assert jp.cancel(first).outcome == "ended"
    second = greet.options(dedupe_key="k").enqueue()
    with pytest.raises(DuplicateJob) as duplicate:
        jp.retry(first)
    assert duplicate.value.facts["job_id"] == first.id
    jp.cancel(second)
    assert jp.retry(first, max_attempts=7).outcome == "queued"
    assert jp.get(first).max_attempts == 7


@pytest.mark.parametrize("value", [float("nan"), [float("inf")]])
def test_a_number_that_json_does_not_have_is_refused_and_not_made_nothing(value: object) -> None:
    with Jobplane("sqlite:///:memory:") as jp:

        @jp.job("keep")
        def keep(d: dict[str, object]) -> None: ...

        with pytest.raises(InvalidPayload, match="not finite"):
            keep.enqueue(d={"a": value})


@pytest.mark.parametrize("on_duplicate", [OnDuplicate.REPLACE, OnDuplicate.POSTPONE])
def test_a_key_that_another_definition_holds_raises_with_the_id_of_its_job(
    jp: Jobplane, on_duplicate: OnDuplicate
) -> None:
    @jp.job("first")
    def first(n: int) -> None: ...

    @jp.job("second")
    def second(n: int) -> None: ...

    jp.sync()
    holder = first.options(dedupe_key="k").enqueue(n=1)

    with pytest.raises(DuplicateJob, match=str(holder.id)) as refused:
        second.options(dedupe_key="k", on_duplicate=on_duplicate).enqueue(n=2)

    assert refused.value.facts["existing_id"] == holder.id
    assert jp.get(holder).payload == {"n": 1}
    assert second.options(dedupe_key="k").enqueue(n=2).id == holder.id
