"""A handler past its timeout ends as `timeout`, whatever it returns or raises."""

from __future__ import annotations

import pytest

from jobplane.core.model import Json
from tests.worker.executor.driver import Driver, row

TIMED_OUT = ["timeout", "timeout", "Job exceeded its timeout of 1 s."]


@pytest.mark.parametrize(
    ("key", "payload"),
    [
        ("sleep", {}),
        ("spin", {}),
        ("poll", {}),
        ("clean-up", {}),
        ("spin-def", {}),
        ("shrug", {}),
        ("swallow", {}),
        ("swallow-async", {}),
        ("oversleep", {"seconds": 1.2}),
        ("oversleep-async", {"seconds": 1.2}),
    ],
)
def test_a_handler_past_its_timeout_ends_as_timeout(executor: Driver, key: str, payload: dict[str, Json]) -> None:
    seq = next(executor.seqs)

    outcome = executor.run(row(seq, key, payload, timeout=1))[seq]

    assert outcome is not None, "it succeeded"
    assert outcome[1:4] == TIMED_OUT
    assert outcome[6] is None


@pytest.mark.parametrize("key", ["tidy-up", "check-and-tidy"])
def test_a_handler_cleans_up_in_finally(executor: Driver, key: str) -> None:
    seq = next(executor.seqs)

    outcome = executor.run(row(seq, key, timeout=1))[seq]

    assert outcome[1:4] == TIMED_OUT
    assert [line[1] for line in executor.logs(seq)] == ["tidied up"]


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("value", TIMED_OUT),
        ("exit", TIMED_OUT),
        ("fail", ["fatal", "no such picture", "no such picture"]),
        ("retry", ["failed", None, "again"]),
        ("snooze", ["released", "snooze", None]),
    ],
)
def test_only_an_exception_of_jobplane_says_otherwise(executor: Driver, name: str, expected: list[str | None]) -> None:
    seq = next(executor.seqs)

    outcome = executor.run(row(seq, "end-late", {"name": name}, timeout=1))[seq]

    assert outcome[1:4] == expected


def test_the_thread_of_a_handler_that_was_interrupted_runs_the_next_job(own: Driver) -> None:
    own.run(*(row(seq, "spin-def", timeout=1) for seq in range(1, 5)))

    after = own.run(*(row(seq, "return", {"kind": "set"}) for seq in range(11, 15)))

    assert [after[seq][1] for seq in range(11, 15)] == ["succeeded"] * 4
