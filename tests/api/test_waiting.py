"""A program that waits for a job that nobody can run is told so, once."""

from __future__ import annotations

import logging
import re

import pytest

from jobplane import Jobplane
from jobplane.control import stuck


@pytest.fixture(autouse=True)
def hasty(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(stuck, "LOOK_SECONDS", 0.05)


def warnings(caplog: pytest.LogCaptureFixture) -> list[logging.LogRecord]:
    return [record for record in caplog.records if record.name == "jobplane" and "nobody" in record.getMessage()]


def test_a_job_without_a_worker_is_warned_of_once(jp: Jobplane, caplog: pytest.LogCaptureFixture) -> None:
    @jp.job("paint", queue="colours")
    def paint() -> None: ...

    jp.sync()
    job = paint.enqueue()

    with pytest.raises(TimeoutError):
        jp.wait(job, timeout=0.5)

    [warning] = warnings(caplog)
    assert warning.levelname == "WARNING"
    told = warning.getMessage()
    assert re.fullmatch(rf'Job {job.id} .* nobody can run it\. .*No live worker serves queue "colours"\..*', told)
    assert warning.__dict__["gates"] == ["queue_not_served", "no_worker"]


async def test_a_held_job_is_warned_of_with_its_gate(on_loop: Jobplane, caplog: pytest.LogCaptureFixture) -> None:
    @on_loop.job("paint")
    def paint() -> None: ...

    await on_loop.sync_async()
    job = await paint.enqueue_async()
    await on_loop.disable_definition_async("paint")
    await on_loop.drain_async()

    with pytest.raises(TimeoutError):
        await on_loop.wait_async(job, timeout=0.5)

    [warning] = warnings(caplog)
    assert "held_by: definition_inactive" in warning.getMessage()
    assert warning.__dict__["held_by"] == "definition_inactive"


@pytest.mark.parametrize("delay", [0, 600])
def test_a_job_whose_worker_is_busy_or_whose_time_has_not_come_is_not(
    jp: Jobplane, caplog: pytest.LogCaptureFixture, delay: int
) -> None:
    waited = list[bool]()

    @jp.job("first")
    def first() -> None:
        with pytest.raises(TimeoutError):
            jp.wait(second.options(delay=delay).enqueue(), timeout=0.5)
        waited.append(True)

    @jp.job("second")
    def second() -> None: ...

    jp.sync()
    first.enqueue()
    jp.drain()

    assert waited == [True]
    assert warnings(caplog) == []
