"""delay = min(cap, base * factor^(n-1)), then delay * (1 - jitter * u) with u in [0, 1): never above the cap."""

from __future__ import annotations

from dataclasses import asdict
from datetime import timedelta

import pytest

from jobplane.core.model import Outcome
from jobplane.core.retry import preset
from tests.client import Store
from tests.clock import Clock
from tests.conformance.factory import Factory


async def delays(make: Factory, clock: Clock, n: int, outcome: Outcome = Outcome.FAILED) -> list[float]:
    """The seconds that a job of `d` waits after each of its first n failures."""
    job_id = await make.job(max_attempts=n + 1)
    found: list[float] = []
    for _ in range(n):
        await make.settle(await make.again(), outcome)
        wait = (await make.get(job_id)).scheduled_for - clock.now()
        found.append(wait.total_seconds())
        clock.advance(wait)
    await make.store.cancel(make.alice, [job_id])
    return found


async def test_without_jitter_the_table_is_exact_up_to_the_cap_and_beyond(make: Factory, clock: Clock) -> None:
    await make.define(backoff={"base": 1, "factor": 2, "cap": 3600, "jitter": 0})

    found = await delays(make, clock, 40)

    assert found == [min(2**n, 3600) for n in range(40)]


@pytest.mark.parametrize(("name", "base", "cap"), [("jobforge", 1, 3600), ("ayb", 5, 300)])
async def test_a_preset_is_the_exact_table_of_its_system(
    make: Factory, clock: Clock, name: str, base: int, cap: int
) -> None:
    await make.define(backoff=asdict(preset(name)))

    found = await delays(make, clock, 14)

    assert found == [min(base * 2**n, cap) for n in range(14)]


async def test_the_default_is_five_seconds_doubled_up_to_five_minutes(make: Factory, clock: Clock) -> None:
    await make.define("plain")
    clock.load_dice(0)
    job_id = await make.job(definition="plain", max_attempts=9)
    found: list[float] = []
    for _ in range(8):
        await make.settle(await make.again(), Outcome.FAILED)
        wait = (await make.get(job_id)).scheduled_for - clock.now()
        found.append(wait.total_seconds())
        clock.advance(wait)

    assert found == [5, 10, 20, 40, 80, 160, 300, 300]


async def test_jitter_only_shortens(make: Factory, clock: Clock) -> None:
    await make.define(backoff={"base": 8, "factor": 2, "cap": 10, "jitter": 0.5})
    for dice, share in ((0.0, 1.0), (0.5, 0.75), (0.999, 0.5005)):
        clock.load_dice(dice)

        found = await delays(make, clock, 3)

        assert found == pytest.approx([8 * share, 10 * share, 10 * share], abs=1e-5)


async def test_the_highest_factor_and_budget_do_not_overflow(make: Factory, clock: Clock) -> None:
    await make.define(backoff={"base": 86_400, "factor": 100, "cap": 2_592_000, "jitter": 0})

    found = await delays(make, clock, 40)

    assert found == [86_400] + [2_592_000] * 39


async def test_a_factor_of_one_and_a_base_of_nothing(make: Factory, clock: Clock) -> None:
    await make.define(backoff={"base": 7, "factor": 1})
    assert await delays(make, clock, 3) == [7, 7, 7]

    await make.define(backoff={"base": 0})
    assert await delays(make, clock, 2) == [0, 0]


async def test_a_timeout_waits_as_a_failure_does(make: Factory, clock: Clock) -> None:
    assert await delays(make, clock, 3, Outcome.TIMEOUT) == [5, 10, 20]


async def test_a_lost_attempt_waits_less_than_a_second(make: Factory, clock: Clock) -> None:
    clock.load_dice(0.25)

    assert await delays(make, clock, 3, Outcome.LOST) == [0.25] * 3


async def test_retry_after_is_the_handlers_own_word(make: Factory, clock: Clock) -> None:
    for outcome in (Outcome.FAILED, Outcome.TIMEOUT, Outcome.RELEASED):
        for wait in (0.0, 0.5, 86_400.0):
            lease = await make.lease()

            await make.settle(lease, outcome, retry_after=wait)

            assert (await make.get(lease.job_id)).scheduled_for == clock.now() + timedelta(seconds=wait)


async def test_a_retry_starts_the_table_again(store: Store, make: Factory, clock: Clock) -> None:
    job_id = await make.job(max_attempts=2)
    for _ in range(2):
        await make.settle(await make.again(), Outcome.FAILED)
        clock.advance(300)
    await store.retry(make.alice, [job_id])

    await make.settle(await make.again(), Outcome.FAILED)

    assert (await make.get(job_id)).scheduled_for == clock.now() + timedelta(seconds=5)


async def test_a_job_keeps_the_backoff_it_was_enqueued_with(make: Factory, clock: Clock) -> None:
    lease = await make.lease()
    await make.define(backoff={"base": 60})

    await make.settle(lease, Outcome.FAILED)

    assert (await make.get(lease.job_id)).scheduled_for == clock.now() + timedelta(seconds=5)
