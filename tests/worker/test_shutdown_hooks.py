from __future__ import annotations

from pathlib import Path

from tests.worker.stage import Stage, Worker, until

APP = "tests.worker.lingering"


def lingering(stage: Stage, directory: Path, seconds: float, grace_seconds: int) -> Worker:
    """One executor and its spare."""
    bows = {"test_bows": str(directory), "test_bow_seconds": str(seconds)}
    return stage.started(worker_imports=APP, grace_seconds=str(grace_seconds), **bows)


def names(directory: Path, begin: str) -> set[str]:
    return {path.name.removeprefix(begin) for path in directory.glob(f"{begin}*")}


def test_shutdown_hooks_have_what_is_left_of_the_grace_time(file_stage: Stage, tmp_path: Path) -> None:
    worker = lingering(file_stage, tmp_path, seconds=3, grace_seconds=60)

    worker.stop()

    assert worker.left(60) == 0
    assert names(tmp_path, "ended-") == names(tmp_path, "began-") != set()


def test_one_that_takes_longer_is_told_of(file_stage: Stage, tmp_path: Path) -> None:
    worker = lingering(file_stage, tmp_path, seconds=300, grace_seconds=2)

    worker.stop()

    assert worker.left(60) == 0
    told = worker.lines("hooks_not_done")
    assert {str(each["pid"]) for each in told} >= names(tmp_path, "began-") != set()
    assert {each["level"] for each in told} == {"warning"}
    assert all(1.5 <= each["seconds"] <= 2 for each in told)


def test_a_second_signal_does_not_wait_for_them(file_stage: Stage, tmp_path: Path) -> None:
    worker = lingering(file_stage, tmp_path, seconds=300, grace_seconds=300)
    worker.stop()
    until(lambda: names(tmp_path, "began-"))

    worker.stop()

    assert worker.left(60) == 0
    assert not names(tmp_path, "ended-")
    assert not worker.lines("hooks_not_done")
