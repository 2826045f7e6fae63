"""A `def` handler whose lease is gone and that has not stopped yet: its slot is taken, and nothing of it is heard."""

from __future__ import annotations

from pathlib import Path

import pytest

from jobplane.worker.fleet import listening
from tests.worker.fleet.stage import staged, until

pytestmark = pytest.mark.anyio


async def test_it_keeps_its_slot_until_it_ends_and_is_never_heard(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(listening, "GONE_SECONDS", 60)  # longer than the test
    async with staged(tmp_path, slots=4, prefetch=0) as stage:
        job = stage.job("mumble", signs=True)
        stage.deal(job)
        await stage.signed(job)

        stage.fleet.stop({job.seq: "gone"})

        others = [stage.job("long", signs=True) for _ in range(3)]
        assert stage.fleet.room() == 3
        stage.deal(*others)
        await stage.signed(*others)
        assert stage.fleet.room() == 0
        assert {pid for other in others for pid in other.pids} == set(job.pids)
        job.mark.with_name(f"{job.mark.name}-end").touch()
        await until(lambda: stage.fleet.room() == 1)
        assert job.seq not in stage.recorder.ends
        assert stage.recorder.lines == []
        assert not stage.recorder.heard("executor_retired")
