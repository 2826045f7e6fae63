"""search_logs and prune_logs."""

from __future__ import annotations

from datetime import timedelta
from typing import Any, get_args
from uuid import uuid4

import pytest

from jobplane.core.errors import Invalid
from jobplane.core.logs import LogLevel, LogLine
from jobplane.core.model import Outcome
from tests.client import Store
from tests.clock import START, Clock
from tests.conformance.factory import Factory
from tests.conformance.test_logs import written


async def found(store: Store, make: Factory, text: str) -> list[str]:
    return [hit.line.message for hit in (await store.search_logs(make.alice, text)).lines]


LINES = (
    "Connected to db-17.internal:5432",
    "ERROR timeout after 30s: upload_part failed",
    "Überweisung an Jürgen über 20 €",
    "100%_done\\now",
    "select * from jobs where id = 'x'; drop table jobs; --",
)


@pytest.mark.parametrize("indexed", [True, False], ids=["indexed", "new"])
@pytest.mark.parametrize(
    ("text", "hits"),
    [
        ("error", [1]), ("TIMEOUT Error", [1]), ("time", [1]), ("imeout", []), ("part", [1]), ("17.internal", [0]),
        ("überw", [2]), ("done", [3]), ("now 100%", [3]), ("drop table", [4]), ("' OR 1=1 --", []), ("a.*b", []),
        ("connected absent", []), ("(((", None), ("", None), ('"', None), ("%", None), ("_", None),
        (" ".join("abcdefghijklmnopq"), None), ("x" * 501, None),
    ],
)  # fmt: skip
async def test_a_search_finds_lines_by_their_words(
    store: Store, make: Factory, text: str, hits: list[int] | None, *, indexed: bool
) -> None:
    lease = await make.lease()
    await store.log_lines([written(lease, number, message) for number, message in enumerate(LINES, start=1)])
    if indexed:
        await store.tidy()

    if hits is None:
        with pytest.raises(Invalid):
            await store.search_logs(make.alice, text)
    else:
        assert await found(store, make, text) == [LINES[hit] for hit in hits]


async def test_the_lines_of_the_newest_jobs_come_first_with_their_job(store: Store, make: Factory) -> None:
    await make.define("other")
    old, new = await make.lease(), await make.lease(definition="other")
    await store.log_lines([written(old, 1, "same one"), written(new, 1, "same two"), written(new, 2, "same three")])

    hits, scanned_all = await store.search_logs(make.alice, "same")

    assert scanned_all
    assert [(hit.job_id, hit.definition_key, hit.line.line) for hit in hits] == [
        (new.job_id, "other", 1),
        (new.job_id, "other", 2),
        (old.job_id, "d", 1),
    ]
    assert hits[2].line == LogLine(1, 1, START, "info", "same one", None)


async def test_lines_of_a_job_that_waits_for_another_attempt_are_found(store: Store, make: Factory) -> None:
    for delay in (0, 3600):
        lease = await make.lease()
        await store.log_lines([written(lease, 1, f"failed {delay}")])
        await make.settle(lease, Outcome.FAILED, retry_after=delay)
    await make.jobs(20, delay_seconds=60)
    await store.promote()

    assert sorted(await found(store, make, "failed")) == ["failed 0", "failed 3600"]


async def test_a_search_is_narrowed_by_definition_time_and_limit(store: Store, make: Factory) -> None:
    await make.define("other")
    one, two = await make.lease(), await make.lease(definition="other")
    late = START + timedelta(hours=1)
    await store.log_lines([written(one, 1, "x"), written(two, 1, "x"), written(two, 2, "x", at=late)])

    by_definition = (await store.search_logs(make.alice, "x", definitions=["d"])).lines
    by_time = (await store.search_logs(make.alice, "x", since=late)).lines
    until = (await store.search_logs(make.alice, "x", until=late)).lines
    of_job = (await store.search_logs(make.alice, "x", until=late, job=two.job_id)).lines
    between = (await store.search_logs(make.alice, "x", since=START, until=late + timedelta(microseconds=1))).lines
    by_limit = (await store.search_logs(make.alice, "x", limit=1)).lines

    assert [hit.job_id for hit in by_definition] == [one.job_id]
    assert [(hit.job_id, hit.line.line) for hit in by_time] == [(two.job_id, 2)]
    assert [(hit.job_id, hit.line.line) for hit in until] == [(two.job_id, 1), (one.job_id, 1)]
    assert [(hit.job_id, hit.line.line) for hit in of_job] == [(two.job_id, 1)]
    assert len(between) == 3
    assert [hit.job_id for hit in by_limit] == [two.job_id]
    assert (await store.search_logs(make.alice, "x", definitions=[])).lines == []


@pytest.mark.parametrize("indexed", [True, False], ids=["indexed", "new"])
async def test_a_search_is_for_a_level_and_what_is_above_it(store: Store, make: Factory, *, indexed: bool) -> None:
    levels: tuple[LogLevel, ...] = get_args(LogLevel)
    lease = await make.lease()
    await store.log_lines([written(lease, n, f"x {level}", level=level) for n, level in enumerate(levels, start=1)])
    if indexed:
        await store.tidy()

    for lowest, level in enumerate(levels):
        for job in (None, lease.job_id):
            hits = (await store.search_logs(make.alice, "x", level=level, job=job)).lines
            assert [hit.line.level for hit in hits] == [*levels[lowest:]]


async def test_a_search_may_be_in_one_job(store: Store, make: Factory) -> None:
    """Of all its attempts, in order, whatever became of it, and together with what else narrows a search."""
    await make.define("other")
    one, waits, two = await make.lease(), await make.lease(), await make.lease(definition="other")
    late = START + timedelta(hours=1)
    await store.log_lines([written(lease, 2, "x two", at=late) for lease in (one, waits, two)])
    await store.log_lines([written(lease, 1, "x one") for lease in (one, waits, two)])
    await make.settle(one, Outcome.SUCCEEDED)
    await make.settle(waits, Outcome.FAILED, retry_after=3600)
    await make.jobs(1)
    await store.tidy()

    for lease in (one, waits, two):
        hits, scanned_all = await store.search_logs(make.alice, "x", job=lease.job_id)
        assert scanned_all
        assert [(hit.job_id, hit.line.message) for hit in hits] == [(lease.job_id, "x one"), (lease.job_id, "x two")]
    narrowed = [
        await store.search_logs(make.alice, "two", job=two.job_id),
        await store.search_logs(make.alice, "x", job=two.job_id, since=late),
        await store.search_logs(make.alice, "x", job=two.job_id, limit=1),
        await store.search_logs(make.alice, "x", job=two.job_id, definitions=["other"], limit=1),
        await store.search_logs(make.alice, "x", job=two.job_id, definitions=["d"]),
        await store.search_logs(make.alice, "absent", job=two.job_id),
        await store.search_logs(make.alice, "x", job=uuid4()),
    ]
    assert [[hit.line.line for hit in hits.lines] for hits in narrowed] == [[2], [2], [1], [1], [], [], []]
    assert all(hits.scanned_all for hits in narrowed)


async def test_a_long_log_of_one_job_is_searched_to_its_end(store: Store, make: Factory) -> None:
    lease = await make.lease()
    await store.log_lines([written(lease, number, f"word {number}") for number in range(1, 100_002)])

    for number in (1, 5000, 5001, 10_000, 10_001):
        hits = await store.search_logs(make.alice, f"word {number}", job=lease.job_id, limit=1)
        assert [hit.line.line for hit in hits.lines] == [number]
    last = await store.search_logs(make.alice, "word 100001", job=lease.job_id)
    assert [hit.line.line for hit in last.lines] == [100_001] * last.scanned_all  # the time was over before, or not


async def test_lines_are_found_whether_they_came_before_the_tidying_or_after(store: Store, make: Factory) -> None:
    lease = await make.lease()
    for number in range(1, 4):
        await store.log_lines([written(lease, number, f"word {number}")])
        await store.tidy()
    await store.log_lines([written(lease, 4, "word 4")])

    assert await found(store, make, "word") == ["word 1", "word 2", "word 3", "word 4"]


async def test_charlie_finds_nothing_of_alices(store: Store, make: Factory) -> None:
    lease = await make.lease()
    await store.log_lines([written(lease, 1, "secret")])
    for _ in range(2):
        for job in (None, lease.job_id):
            assert (await store.search_logs(make.charlie, "secret", job=job)).lines == []
        await store.tidy()

    assert await found(store, make, "secret") == ["secret"]


@pytest.mark.parametrize("limit", [0, 1001])
async def test_a_limit_out_of_range_is_refused(store: Store, make: Factory, limit: int) -> None:
    with pytest.raises(Invalid):
        await store.search_logs(make.alice, "x", limit=limit)


@pytest.mark.parametrize(
    "narrowed", [{"level": "loud"}, {"level": "INFO"}, {"level": ""}, {"level": 20}, {"job": "x"}, {"job": 7}], ids=str
)
async def test_a_level_or_a_job_that_cannot_be_is_refused(
    store: Store, make: Factory, narrowed: dict[str, Any]
) -> None:
    [name] = narrowed

    with pytest.raises(Invalid, match=f"{name} must be .*, not "):
        await store.search_logs(make.alice, "x", **narrowed)


async def test_nothing_is_pruned_before_its_time(store: Store, make: Factory, clock: Clock) -> None:
    lease = await make.lease()
    await store.log_lines([written(lease, 1, "kept")])
    await make.settle(lease, Outcome.SUCCEEDED)
    clock.advance(timedelta(days=6))

    assert (await store.prune_logs()).pruned == []
    assert await found(store, make, "kept") == ["kept"]
    with pytest.raises(Invalid):
        await store.prune_logs(retention_days=-1)
