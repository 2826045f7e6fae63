"""Whatever a handler returns or raises, its attempt ends as it should and the process goes on."""

from __future__ import annotations

from collections.abc import Generator, Iterator
from itertools import cycle, islice
from typing import Final

import pytest

from tests.faults.sizes import size
from tests.worker.executor.driver import Driver, line
from tests.worker.executor.hostile import BAD, FAULTS, GOOD

RUNS: Final = size(250, 2500)
FATAL: Final = ("fail", "forgetful", "exits")
ENDS: Final = {"bad": ["fatal", "invalid_result"], "good": ["succeeded", None], "breaks": ["failed", None]}


@pytest.fixture(scope="module")
def hostile() -> Generator[Driver]:
    with Driver("tests.worker.executor.hostile") as driver:
        driver.ready()
        yield driver


def _kinds() -> Iterator[tuple[str, str]]:
    names = [("bad", name) for name in BAD] + [("good", name) for name in GOOD] + [("raise", name) for name in FAULTS]
    return islice(cycle([*names, ("breaks", "")]), RUNS)


def _is_proper(kind: str, name: str, outcome: str, reason: str | None, error: str | None) -> bool:
    if kind == "raise":
        return (outcome == ("fatal" if name in FATAL else "failed")) and bool(error) and len(error or "") < 20_000
    return [outcome, reason] == ENDS[kind]


@pytest.mark.parametrize("key", ["act", "act-async"])
def test_hostile_results_and_errors_end_their_attempts(hostile: Driver, key: str) -> None:
    jobs = dict(zip(hostile.seqs, _kinds(), strict=False))

    outcomes = hostile.run(
        *(line(seq, key, {"kind": kind, "name": name, "seed": seq}) for seq, (kind, name) in jobs.items())
    )

    wrong = {jobs[seq]: outcomes[seq][:4] for seq in jobs if not _is_proper(*jobs[seq], *outcomes[seq][1:4])}
    assert len(jobs) == RUNS
    assert wrong == {}


def test_a_result_of_a_hundred_megabytes_is_refused(hostile: Driver) -> None:
    seq = next(hostile.seqs)

    [_, outcome, reason, error, *_] = hostile.run(line(seq, "enormous"))[seq]

    assert (outcome, reason) == ("fatal", "invalid_result")
    assert "artifacts_dir" in error
    assert len(error) < 1000
