"""Every way in which a handler can end is an outcome, and the process goes on."""

from __future__ import annotations

from pathlib import Path

import pytest

from jobplane.worker.frames import Kind
from tests.worker.executor.driver import Driver, row

ENDS: dict[str, tuple[str, str | None, str, int | None, float | None]] = {
    "value": ("failed", None, "bad", None, None),
    "unspeakable": ("failed", None, "Unspeakable", None, None),
    "exit": ("failed", "system_exit", "SystemExit: 3", 3, None),
    "interrupt": ("failed", "keyboard_interrupt", "KeyboardInterrupt", None, None),
    "base": ("failed", None, "of its own", None, None),
    "canceled": ("failed", None, "CancelledError", None, None),
    "recursion": ("failed", None, "RecursionError", None, None),
    "snooze": ("released", "snooze", "", None, 7.0),
    "retry": ("failed", None, "again", None, 9.0),
    "fail": ("fatal", "no such picture", "no such picture", None, None),
}


@pytest.mark.parametrize("key", ["raise", "raise-async"])
def test_whatever_a_handler_raises_ends_its_attempt_alone(executor: Driver, key: str) -> None:
    seqs = dict(zip(executor.seqs, ENDS, strict=False))

    outcomes = executor.run(*(row(seq, key, {"name": name}) for seq, name in seqs.items()))

    for seq, name in seqs.items():
        outcome, reason, error, exit_code, retry_after = ENDS[name]
        assert outcomes[seq][:3] == [seq, outcome, reason]
        assert error in (outcomes[seq][3] or "")
        assert outcomes[seq][4:6] == [exit_code, retry_after]
        assert "jobplane/worker" not in (outcomes[seq][3] or "")


def test_of_a_long_error_the_begin_and_the_end_are_kept(executor: Driver) -> None:
    seq = next(executor.seqs)

    error = executor.run(row(seq, "raise", {"name": "long"}))[seq][3]

    assert error.startswith("Traceback")
    assert "\nValueError: xxx" in error
    assert error.strip().endswith("the end")
    assert " characters left out …] " in error
    assert len(error) < 16 * 1024 + 50


def test_a_result_is_carried_as_json(executor: Driver) -> None:
    outcomes = executor.run(row(1, "add", {"a": 40}), row(2, "nothing"), row(3, "nothing-def"))

    assert outcomes[1][:-2] == [1, "succeeded", None, None, None, None, "42", None]
    assert executor.rows(Kind.DONE).count(2) == executor.rows(Kind.DONE).count(3) == 1
    assert {seq for seq, _ in executor.rows(Kind.TOOK)} == {2, 3}, "how long they took, for the log"
    assert executor.until(lambda: not any(executor.board))


@pytest.mark.parametrize("kind", ["object", "nan", "surrogate", "large", "keys"])
def test_a_result_that_cannot_be_kept_fails_the_job(executor: Driver, kind: str) -> None:
    seq = next(executor.seqs)

    [_, outcome, reason, error, *_] = executor.run(row(seq, "return", {"kind": kind}))[seq]

    assert (outcome, reason) == ("fatal", "invalid_result")
    assert "result cannot be kept" in error
    assert ("artifacts_dir" in error) == (kind == "large")


def test_a_payload_is_judged_before_the_handler_runs(executor: Driver) -> None:
    outcomes = executor.run(
        row(10, "add", {"a": "one"}),
        row(11, "add", {"a": 1, "c": 1}),
        row(12, "picky", {"n": -1}),
        row(13, "picky", {"n": 0}),
        row(14, "add", {"a": 10**25}),
    )

    assert [outcomes[seq][1:3] for seq in (10, 11, 12)] == [["fatal", "invalid_payload"]] * 3
    assert outcomes[13][1] == "failed"
    assert "a fault of the validator" in outcomes[13][3]
    assert outcomes[14][6] == str(10**25 + 2)


@pytest.mark.parametrize("key", ["add", "nothing", "nothing-def"])
@pytest.mark.parametrize(
    "payload", [b"", b"{", b'{"a":\xff}', b'{"a":NaN}', b'{"a":"\x00"}', rb'{"a":"\ud800"}', b"[]"]
)
def test_a_payload_that_cannot_be_decoded_fails_the_job_at_once(executor: Driver, key: str, payload: bytes) -> None:
    seq = next(executor.seqs)

    outcome = executor.run(row(seq, key).rpartition(b"\t")[0] + b"\t" + payload)[seq]

    assert outcome[1:3] == ["fatal", "invalid_payload"]
    assert outcome[3]


def test_a_job_of_which_something_cannot_be_decoded_is_not_run(executor: Driver) -> None:
    seq, lost = next(executor.seqs), {"undecodable": ["artifact_ref", "source"]}

    outcome = executor.run(row(seq, "nothing", rest=lost))[seq]

    assert outcome[1:4] == ["fatal", "invalid_payload", "The job cannot be decoded: artifact_ref, source."]


def test_a_definition_that_it_does_not_know_fails_the_attempt_and_no_neighbour(executor: Driver) -> None:
    executor.deal(row(19, "sleep"))
    outcome = executor.run(row(20, "unheard-of"))[20]
    executor.send(Kind.STOP, [[19, "gone"]])

    assert outcome[1:3] == ["failed", "unknown_definition"]


def test_what_a_handler_leaves_behind_harms_nobody(executor: Driver) -> None:
    """A task that exits would end asyncio's loop; a variable would be there for the next handler."""
    executor.run(row(30, "leave-task"), row(31, "leave-variable"), row(32, "leave-variable-async"))

    keys = ["leave-variable", "leave-variable-async", "leave-variable-async", "leave-variable-async"] * 5
    outcomes = executor.run(*(row(40 + number, key) for number, key in enumerate(keys)))

    assert {outcomes[seq][6] for seq in range(40, 60)} == {'""'}


def test_a_large_result_is_an_artifact_where_there_is_a_directory(tmp_path_factory: pytest.TempPathFactory) -> None:
    directory = tmp_path_factory.mktemp("artifacts")
    with Driver("tests.worker.executor.program", artifacts_dir=str(directory)) as driver:
        driver.ready()
        outcome = driver.run(row(1, "return", {"kind": "large"}))[1]

    [file] = directory.rglob("*.json")
    assert outcome[1] == "succeeded"
    assert file.stem in outcome[6]
    assert file.read_text() == '"' + "x" * 1_000_000 + '"'
    (beside := directory / "beside").touch()  # with whatever mode this process gives its files
    assert file.stat().st_mode == beside.stat().st_mode
    assert [*directory.rglob("*.part")] == []


def test_a_directory_that_takes_no_artifact_fails_the_attempt_alone(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with Driver("tests.worker.executor.program", artifacts_dir=str(tmp_path / "file")) as driver:
        driver.ready()
        outcome = driver.run(row(1, "return", {"kind": "large"}))[1]

    assert outcome[1:4] == ["failed", None, f"The result cannot be written to {tmp_path / 'file'}: Not a directory."]
