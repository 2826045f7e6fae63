"""log_lines and read_logs: in order, once, and only under the lease that a line was written under."""

from __future__ import annotations

import re
from datetime import datetime
from typing import TypedDict, Unpack
from uuid import uuid4

import pytest

from jobplane.core.errors import Invalid, JobNotFound
from jobplane.core.leases import Lease, Renewal
from jobplane.core.logs import LogLevel, LogLine, NewLogLine
from jobplane.core.model import Json, Outcome
from jobplane.store.verbs.jobs import ReadLogs
from tests.client import Store, WorkerStore
from tests.clock import START, Clock
from tests.conformance.factory import Factory
from tests.leases import Held


class Line(TypedDict, total=False):
    """What a line may have beside its number and its message."""

    at: datetime
    level: LogLevel
    fields: dict[str, Json] | None


def ticket(lease: Held) -> Held:
    return lease


def written(lease: Held, number: int, message: str, **line: Unpack[Line]) -> NewLogLine:
    whole: Line = {"at": START, "level": "info", **line}
    return NewLogLine(ticket(lease), number, whole["at"], whole["level"], message, whole.get("fields"))


async def test_lines_come_back_whole_and_in_order(store: Store, make: Factory) -> None:
    lease = await make.lease()
    last = written(lease, 2, "two", level="error", fields={"n": [1, None, "ü"]})

    assert await store.log_lines([last, written(lease, 1, "one\n  indented\ttab", level="debug")]) == []

    assert await store.read_logs(make.alice, lease.job_id) == [
        LogLine(1, 1, START, "debug", "one\n  indented\ttab", None),
        LogLine(1, 2, START, "error", "two", {"n": [1, None, "ü"]}),
    ]


async def test_a_line_again_changes_nothing(store: Store, make: Factory) -> None:
    lease = await make.lease()
    await store.log_lines([written(lease, 1, "first")])

    assert await store.log_lines([written(lease, 1, "other"), written(lease, 2, "second")]) == []

    assert [line.message for line in await store.read_logs(make.alice, lease.job_id)] == ["first", "second"]


async def test_a_late_line_of_a_lost_lease_is_refused_and_the_others_are_kept(
    store: Store, make: Factory, clock: Clock
) -> None:
    stale, fine = await make.lease(), await make.lease()
    clock.advance(31)
    await store.renew([fine])
    await store.reap()
    clock.advance(2)
    again = await make.again()
    assert again.job_id == stale.job_id

    refused = await store.log_lines([written(stale, 1, "late"), written(fine, 1, "kept"), written(again, 1, "new")])

    assert refused == [stale.seq]
    assert [(line.attempt_no, line.message) for line in await store.read_logs(make.alice, stale.job_id)] == [(2, "new")]
    assert [line.message for line in await store.read_logs(make.alice, fine.job_id)] == ["kept"]


async def test_a_guessed_token_writes_nothing(store: Store, make: Factory) -> None:
    lease = await make.lease()
    forged = NewLogLine(Lease(lease.seq, lease.attempt_no, uuid4()), 1, START, "info", "forged")

    assert await store.log_lines([forged, written(lease, 2, "real")]) == [lease.seq]
    assert [line.message for line in await store.read_logs(make.alice, lease.job_id)] == ["real"]


async def test_a_reader_goes_on_where_it_was_over_all_attempts(store: Store, make: Factory) -> None:
    lease = await make.lease()
    await store.log_lines([written(lease, number, f"1/{number}") for number in range(1, 6)])
    await make.settle(lease, Outcome.FAILED, retry_after=0)
    again = await make.again()
    await store.log_lines([written(again, number, f"2/{number}") for number in range(1, 4)])

    seen: list[str] = []
    after: tuple[int, int] | None = (0, 0)
    while after is not None:
        page = await store.run(ReadLogs(make.alice, lease.job_id, after, limit=3))
        seen += [line.message for line in page.items]
        after = page.next_cursor

    assert seen == [*(f"1/{n}" for n in range(1, 6)), *(f"2/{n}" for n in range(1, 4))]


async def test_logs_outlive_the_lease(store: Store, make: Factory) -> None:
    lease = await make.lease()
    await store.log_lines([written(lease, 1, "so it was")])
    await make.settle(lease, Outcome.SUCCEEDED)

    assert await store.log_lines([written(lease, 2, "too late")]) == [lease.seq]
    assert [line.message for line in await store.read_logs(make.alice, lease.job_id)] == ["so it was"]


@pytest.mark.parametrize(
    ("message", "kept"),
    [
        ("", ""),
        ("a\x00b", "a�b"),
        ("lone \ud800 surrogate", "lone ? surrogate"),
        ("\x1b[31mred\x1b[0m \x1b]0;title\x07", "\x1b[31mred\x1b[0m \x1b]0;title\x07"),
        ('"quoted" \\ back {brace}, NULL', '"quoted" \\ back {brace}, NULL'),
        ("NULL", "NULL"),
        ("\u2028\r\n\U0001f600", "\u2028\r\n\U0001f600"),
    ],
)
async def test_hostile_text_is_kept(store: Store, make: Factory, message: str, kept: str) -> None:
    lease = await make.lease()

    assert await store.log_lines([written(lease, 1, message), written(lease, 2, "next")]) == []

    assert [line.message for line in await store.read_logs(make.alice, lease.job_id)] == [kept, "next"]


async def test_a_long_message_is_cut_and_says_so(store: Store, make: Factory) -> None:
    lease = await make.lease()
    await store.log_lines([written(lease, 1, "é" * 500_000), written(lease, 2, "x" * 16_384)])

    long, whole = await store.read_logs(make.alice, lease.job_id)

    assert long.message == "é" * 8172 + "… [983656 bytes cut]"
    assert len(long.message.encode()) <= 16_384
    assert whole.message == "x" * 16_384


@pytest.mark.parametrize(
    ("value", "kept"),
    [
        ("y" * 30_000, r"y{10000,}… \[[0-9]+ of 30000 bytes cut\]"),
        ([0] * 2000, r"\[0(,0)+\]"),
        ([0] * 20_000, r"\[0(,0)+… \[[0-9]+ of 40001 bytes cut\]"),
        ("\x00", r"\[not stored: .*NUL.*\]"),
        ({"half": "\ud800"}, r"\[not stored: .*surrogate.*\]"),
        (float("nan"), r"\[not stored: .*finite.*\]"),
    ],
)
async def test_a_field_that_cannot_be_kept_leaves_a_note_and_the_others(
    store: Store, make: Factory, value: Json, kept: str
) -> None:
    lease = await make.lease()
    fields: dict[str, Json] = {"order": 7, "bad": value, "name": "alice", "rows": [1, 2]}

    assert await store.log_lines([written(lease, 1, "m", fields=fields), written(lease, 2, "n")]) == []

    [line, _] = await store.read_logs(make.alice, lease.job_id)
    assert line.message == "m"
    assert line.fields is not None
    assert re.fullmatch(kept, str(line.fields["bad"]))
    assert line.fields | {"bad": None} == {"order": 7, "bad": None, "name": "alice", "rows": [1, 2]}


async def test_more_fields_than_a_line_may_have_are_counted(store: Store, make: Factory) -> None:
    lease = await make.lease()
    fields: dict[str, Json] = {f"field-{number}": "x" * 50 for number in range(2000)}

    await store.log_lines([written(lease, 1, "m", fields=fields)])

    [line] = await store.read_logs(make.alice, lease.job_id)
    assert line.fields is not None
    assert line.fields.pop("fields_not_stored") == 2000 - len(line.fields)
    assert line.fields == dict(list(fields.items())[: len(line.fields)])


async def test_a_level_that_there_is_not_is_info(store: Store, make: Factory) -> None:
    lease = await make.lease()
    await store.log_lines([written(lease, 1, "m", level="shout")])  # pyright: ignore[reportArgumentType] on purpose

    assert [line.level for line in await store.read_logs(make.alice, lease.job_id)] == ["info"]


@pytest.mark.parametrize("limit", [0, 10_001, -1])
async def test_a_limit_out_of_range_is_refused(store: Store, make: Factory, limit: int) -> None:
    job_id = await make.job()

    with pytest.raises(Invalid):
        await store.read_logs(make.alice, job_id, limit=limit)


async def test_a_job_that_is_not_there_is_an_error(store: Store, make: Factory) -> None:
    with pytest.raises(JobNotFound):
        await store.read_logs(make.alice, uuid4(), follow=True)


async def test_charlie_cannot_read_alices_log_nor_let_her_worker_know(store: Store, make: Factory) -> None:
    lease = await make.lease()
    await store.log_lines([written(lease, 1, "secret")])

    with pytest.raises(JobNotFound):
        await store.read_logs(make.charlie, lease.job_id)
    with pytest.raises(JobNotFound):
        await store.read_logs(make.charlie, lease.job_id, follow=True)


async def test_a_worker_hears_for_five_seconds_that_somebody_follows(
    store: Store, worker_store: WorkerStore, make: Factory, clock: Clock
) -> None:
    lease, other = await make.lease(), await make.lease()
    tickets = [ticket(lease), ticket(other)]

    async def answers() -> list[Renewal]:
        return await worker_store.renew_all(tickets, lease_seconds=30)

    await store.read_logs(make.alice, lease.job_id)
    assert await answers() == []
    await store.read_logs(make.alice, lease.job_id, follow=True)
    assert await answers() == [Renewal(lease.seq, "followed")]
    clock.advance(3)
    await store.read_logs(make.alice, lease.job_id, follow=True)
    clock.advance(4)
    assert await answers() == [Renewal(lease.seq, "followed")]
    clock.advance(2)
    assert await answers() == []


async def test_following_reads_the_same_and_harms_no_lease(store: Store, make: Factory, clock: Clock) -> None:
    lease = await make.lease()
    await store.log_lines([written(lease, 1, "one")])

    for _ in range(3):
        clock.advance(2)
        assert len(await store.read_logs(make.alice, lease.job_id, follow=True)) == 1

    assert [answer.answer for answer in await store.renew([lease])] == ["renewed"]
    assert (await make.settle(lease, Outcome.SUCCEEDED)).accepted
    assert len(await store.read_logs(make.alice, lease.job_id, follow=True)) == 1
