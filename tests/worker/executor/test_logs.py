from __future__ import annotations

import os
import subprocess
import sys
import time
from itertools import islice
from pathlib import Path

import orjson
import pytest

from jobplane.core.logtext import clean_message
from jobplane.core.masking import NO_SECRETS
from jobplane.core.model import DEFAULT_TENANT
from jobplane.execution.output import encode_fields
from jobplane.worker.frames import Kind, log_bytes
from tests.worker.executor.conftest import PROGRAM
from tests.worker.executor.driver import Driver, row


def test_all_ways_to_say_something_are_one_log_in_order(own: Driver) -> None:
    own.run(row(1, "talk"))

    logs = own.logs(1)
    assert [(level, message) for level, message, _ in logs[:4]] == [
        ("info", "printed twice"),
        ("info", "in context"),
        ("warning", "by logging"),
        ("warning", "of stderr"),
    ]
    assert logs[1][2]["path"] == "/"
    assert logs[2][2] == {"logger": "app", "k": 1}
    assert logs[4][:2][0] == "error"
    assert logs[4][1].startswith("caught\nTraceback")
    assert [message for _, message, _ in logs[5:]] == ["no end"]
    assert own.quit() == 0
    told = [orjson.loads(told) for told in own.stderr[:4]]
    assert [each["message"] for each in told] == [message for _, message, _ in logs[:4]]
    assert {(each["definition_key"], each["attempt_no"], each["worker_id"]) for each in told} == {("talk", 1, "w1")}


def test_a_call_of_logging_whose_arguments_do_not_fit_is_one_line(executor: Driver) -> None:
    seq = next(executor.seqs)
    executor.run(row(seq, "misfit-record"))

    first, second, third = [message for _, message, _ in executor.logs(seq)]
    assert first == "bad args %d ('a',)"
    assert second == "bad args %d ('b',)"
    assert third.startswith("worse %d tuple, which cannot be shown\nTraceback")
    assert third.endswith("ValueError: caught")


def test_no_handler_can_pass_its_lines_off_as_those_of_another(own: Driver) -> None:
    own.run(row(1, "pretend"))
    assert own.quit() == 0

    told = [orjson.loads(told) for told in own.stderr]

    assert {(each["definition_key"], each["tenant_id"], each["worker_id"]) for each in told} == {
        ("pretend", str(DEFAULT_TENANT), "w1")
    }
    assert [each["level"] for each in told] == ["warning", "warning", "info"]
    assert [each["message"] for each in told[:2]] == ["in context", "by logging"]
    assert (told[0]["level_"], told[1]["k"]) == ("x", 1)


def test_a_line_names_its_tenant_by_the_slug_once_that_is_known(own: Driver) -> None:
    own.run(row(1, "name-a-tenant"))
    own.send(Kind.TENANTS, {str(DEFAULT_TENANT): "acme"})
    own.run(row(2, "name-a-tenant"), row(3, "talk"))
    assert own.quit() == 0

    told = [orjson.loads(told) for told in own.stderr]
    assert {(each["definition_key"], each["tenant"]) for each in told} == {
        ("name-a-tenant", "of the handler"),
        ("name-a-tenant", "acme"),
        ("talk", "acme"),
    }
    assert {each["tenant_id"] for each in told} == {str(DEFAULT_TENANT)}
    for seq in (1, 2):
        assert own.logs(seq) == [("warning", "mine", {"logger": "app", "tenant": "of the handler"})]


def test_what_is_cut_says_how_much_and_is_cut_once(executor: Driver) -> None:
    seq = next(executor.seqs)
    executor.run(row(seq, "pretend"))

    message = executor.logs(seq)[2][1]

    assert message.endswith("… [23656 bytes cut]")
    assert clean_message(message) == message


def test_a_log_comes_before_the_outcome(executor: Driver) -> None:
    seqs = [*islice(executor.seqs, 19)]
    executor.run(*(row(seq, "talk", {"n": 3}) for seq in seqs))

    for seq in seqs:
        kinds = [kind for kind, body in executor.heard if _speaks_of(kind, body, seq)]
        assert kinds[-1] is Kind.DONE
        assert Kind.LOGS in kinds[:-1]
        assert len(executor.logs(seq)) == 12


def test_threads_of_a_handler_write_into_its_log(executor: Driver) -> None:
    executor.run(row(1, "talk-in-threads"))

    assert sorted(int(message) for _, message, _ in executor.logs(1)) == list(range(20))


@pytest.mark.quiet
def test_what_runs_is_heard_within_a_second_and_sooner_while_it_is_followed(own: Driver) -> None:
    started = time.monotonic()
    own.deal(row(10, "say-and-wait", {"message": "slow"}))
    own.until(lambda: own.logs(10))
    slow = time.monotonic() - started
    own.send(Kind.FOLLOW, [11])
    started = time.monotonic()
    own.deal(row(11, "say-and-wait", {"message": "fast"}))
    own.until(lambda: own.logs(11))
    fast = time.monotonic() - started
    own.send(Kind.STOP, [[10, "gone"], [11, "gone"]])
    own.until(lambda: {10, 11} <= {*own.rows(Kind.RETURNED)})

    assert 0.9 < slow < 3
    assert fast < 0.9


def test_what_was_said_before_a_stop_is_sent_at_once(own: Driver, tmp_path: Path) -> None:
    """Who does not stop is killed within a second, with all that is still here: it is sent before the next answer."""
    mark = tmp_path / "said"
    own.deal(row(12, "say-and-toil", {"message": "last words", "mark": str(mark), "seconds": 2}))
    own.until(mark.exists)
    own.send(Kind.STOP, [[12, "shutdown"]])
    own.send(Kind.BACK, [0])
    own.until(lambda: own.of(Kind.RETURNED))

    assert [message for _, message, _ in own.logs(12)] == ["last words"]
    kinds = [kind for kind, _ in own.heard]
    assert kinds.index(Kind.LOGS) < kinds.index(Kind.RETURNED)
    own.outcome(12)


def test_a_flood_keeps_its_first_and_its_last_lines_and_marks_the_gap(executor: Driver) -> None:
    seq = next(executor.seqs)
    executor.run(row(seq, "chatter", {"lines": 5000, "length": 1000}))

    logs = executor.logs(seq)
    [place] = [place for place, (_, _, fields) in enumerate(logs) if "lines_dropped" in fields]
    dropped = 5000 - len(logs) + 1
    assert logs[place] == ("warning", f"… {dropped:,} lines dropped …", {"lines_dropped": dropped})
    numbers = [fields["number"] for _, _, fields in logs if "number" in fields]
    assert numbers == [*range(place), *range(place + dropped, 5000)]
    assert place > 200
    assert len(logs) - place > 50
    assert sum(log_bytes(message) for _, message, _ in logs) < 400_000
    rows = [row for row in executor.rows(Kind.LOGS) if row[0] == seq]
    assert [row[1] for row in rows] == list(range(1, len(rows) + 1))
    assert [row[2] for row in rows] == sorted(row[2] for row in rows)


def test_a_flood_that_ends_in_an_exception_keeps_the_lines_before_it(executor: Driver) -> None:
    seq = next(executor.seqs)
    executor.run(row(seq, "chatter-and-raise", {"lines": 2000}))

    *_, before, last = executor.logs(seq)
    assert before[2] == {"number": 1999}
    assert last[:2] == ("info", "the last words")


def test_a_log_goes_on_behind_the_gap_in_order(executor: Driver, tmp_path: Path) -> None:
    seq, mark = next(executor.seqs), tmp_path / "credited"
    executor.deal(row(seq, "chatter-in-turns", {"mark": str(mark)}))
    executor.until(lambda: len(executor.logs(seq)) > 200)
    first = len(executor.logs(seq))
    executor.send(Kind.CREDIT, [[seq, 256 * 1024]])
    executor.until(lambda: len(executor.logs(seq)) > first + 50)
    mark.touch()
    executor.outcome(seq)

    fields = [fields for _, _, fields in executor.logs(seq)]
    assert [each["number"] for each in fields[-4:]] == [2999, 0, 1, 2]
    assert "lines_dropped" in fields[first]
    numbers = [each["number"] for each in fields[:-3] if "number" in each]
    assert numbers == sorted(numbers)
    assert sum(each.get("lines_dropped", 1) for each in fields) == 3003


def test_a_large_value_is_cut_and_the_small_fields_stay(executor: Driver) -> None:
    seq = next(executor.seqs)
    executor.run(row(seq, "say-large-fields"))

    [(_, message, fields)] = executor.logs(seq)
    assert message.endswith("… [983656 bytes cut]")
    assert (fields["order"], fields["name"]) == (7, "alice")
    assert fields["body"].startswith("bbbb")
    assert fields["body"].endswith(" of 50000 bytes cut]")
    assert fields["rows"].startswith('["r","r"')
    assert fields["rows"].endswith(" of 80001 bytes cut]")
    assert len(orjson.dumps(fields)) <= 16 * 1024


def test_stored_lines_make_room_for_more(executor: Driver) -> None:
    """With a credit for each line that came, more is kept than a first credit allows."""
    seq = next(executor.seqs)
    executor.deal(row(seq, "chatter", {"lines": 3000, "length": 1000}))
    credited = [0]

    def give_credit() -> bool:
        rows = [row for row in executor.rows(Kind.LOGS) if row[0] == seq]
        if fresh := rows[credited[0] :]:
            credited[0] = len(rows)
            executor.send(Kind.CREDIT, [[seq, sum(log_bytes(row[4], 20) for row in fresh)]])
        return seq in executor.outcomes()

    executor.until(give_credit)

    fields = [fields for _, _, fields in executor.logs(seq)]
    kept = [each["number"] for each in fields if "number" in each]
    dropped = sum(each["lines_dropped"] for each in fields if "lines_dropped" in each)
    assert kept == sorted(kept)
    assert len(kept) + dropped == 3000
    assert len(kept) > 300


def test_a_line_after_the_end_is_not_under_the_attempt(own: Driver) -> None:
    own.run(row(1, "leave-task"))
    own.until(lambda: own.outcomes().keys() >= {1})
    own.run(row(2, "wait-for-left-behind"))

    assert own.quit() == 0
    assert own.logs(1) == own.logs(2) == []
    assert any("too late for its log" in told for told in own.stderr)


def _speaks_of(kind: Kind, body: object, seq: int) -> bool:
    if kind is Kind.LOGS:
        return any(row[0] == seq for row in body)  # type: ignore[attr-defined]
    return kind is Kind.DONE and seq in body  # type: ignore[operator]


def test_a_quiet_worker_keeps_the_logs_of_its_jobs() -> None:
    with Driver(PROGRAM, log_level="warning") as driver:
        driver.ready()
        driver.run(row(1, "talk"))

        assert driver.quit() == 0
        assert [level for level, _, _ in driver.logs(1)] == ["info", "info", "warning", "warning", "error", "info"]
        assert driver.stderr
        assert not any("in context" in told for told in driver.stderr)


def test_both_sides_count_fields_alike() -> None:
    fields = encode_fields({"nul": "a\x00", "path": "C:\\u0000", "line": "\n"}, NO_SECRETS)

    assert len(orjson.dumps(orjson.loads(fields))) == len(fields)


def test_what_no_handler_prints_leaves_in_whole_lines() -> None:
    """Also where Python does not buffer, as in most containers."""
    said = """
import os
from jobplane.worker.executor.capture import capture_streams
capture_streams()
print("the begin", end="")
os.write(1, b"a line of another process\\n")
print(" and the end")
"""
    environment = {**os.environ, "PYTHONUNBUFFERED": "1"}
    answer = subprocess.run([sys.executable, "-c", said], capture_output=True, text=True, check=True, env=environment)
    assert answer.stdout.splitlines() == ["a line of another process", "the begin and the end"]
