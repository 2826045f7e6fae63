from __future__ import annotations

import signal
import time
from itertools import product
from uuid import uuid4

import orjson
import pytest

from jobplane.core.model import Json
from jobplane.worker.frames import SPENT, Kind
from tests.worker.executor.conftest import PROGRAM
from tests.worker.executor.driver import SECONDS, Driver, row


def test_it_says_what_it_knows(executor: Driver) -> None:
    ready = executor.ready()

    assert ready["version"] == "7"
    assert ready["definitions"]["add"]["queue"] == "default"
    assert ready["definitions"]["add"]["document"]["arg_schema"]["required"] == ["a"]


def test_an_import_that_fails_is_told_and_ends_it() -> None:
    with Driver("tests.worker.executor.broken") as driver:
        failed = driver.ready()

        assert "no settings here" in failed["error"]
        assert driver.process.wait(SECONDS) == 3


def test_hooks_run_around_the_process_and_each_attempt() -> None:
    with Driver("tests.worker.executor.hooked", slots=1) as driver:
        driver.ready()
        awaited = driver.run(row(1, "tell"))[1]
        called = driver.run(row(2, "tell-def"))[2]
        swallowed = driver.run(row(3, "swallow"))[3]
        translated = driver.run(row(4, "translate"))[4]
        refused = driver.run(row(5, "refused"), row(6, "refused-async"))

        assert driver.quit() == 0
        assert orjson.loads(awaited[6]) == ["started", "second", "outer tell", "inner", "of the startup"]
        assert orjson.loads(called[6])[4:] == ["inner ends", "outer ends", "outer tell-def", "of the startup"]
        assert (swallowed[1], translated[1:3]) == ("failed", ["fatal", "translated"])
        assert all("refused by a middleware" in refused[seq][3] for seq in (5, 6))
        assert driver.stdout == ["closed first", "closed last"]


def test_a_quit_waits_for_what_runs_and_gives_the_rest_back(own: Driver) -> None:
    own.run(row(1, "leave-thread"))
    own.deal(*(row(seq, "poll") for seq in range(2, 6)), row(6, "nothing"), row(7, "nothing-def"))
    own.until(lambda: {*own.board} == {2, 3, 4, 5})

    own.send(Kind.QUIT)

    own.until(lambda: own.rows(Kind.RETURNED) == [7, 6])
    assert own.process.poll() is None
    own.send(Kind.STOP, [[seq, "shutdown"] for seq in range(2, 6)])
    own.until(lambda: own.outcomes().keys() == {1, 2, 3, 4, 5})
    assert own.process.wait(SECONDS) == 0


def test_a_handler_that_blocks_the_loop_past_a_timeout_ends_the_process_and_is_named(own: Driver) -> None:
    jobs = [uuid4(), uuid4()]
    own.deal(row(1, "poll", job_id=jobs[0]))
    own.until(lambda: 1 in own.board)  # what comes with one that blocks at its first step may not have begun
    own.deal(row(2, "block", timeout=1, job_id=jobs[1]))

    assert own.process.wait(SECONDS) == 4
    [said] = [each for each in map(orjson.loads, own.stderr) if each.get("event") == "event_loop_blocked"]
    assert "in block" in said["stack"]
    assert {*said["job_ids"]} == {*map(str, jobs)}
    assert (said["worker_id"], said["pid"]) == ("w1", own.process.pid)


def test_it_ends_with_its_supervisor(own: Driver) -> None:
    own.deal(row(1, "deaf"), row(2, "sleep"))
    own.until(lambda: {1, 2} <= {*own.board})

    own.hang_up()

    own.process.wait(SECONDS)


def test_signals_for_all_processes_are_the_supervisors(own: Driver) -> None:
    own.process.send_signal(signal.SIGTERM)
    own.process.send_signal(signal.SIGINT)

    assert own.run(row(1, "fork"))[1][6] == str(-signal.SIGTERM)
    assert own.quit() == 0


def test_a_fork_ends_where_its_handler_does(own: Driver) -> None:
    """Whichever way: nothing of it is left in the process, which goes on and ends as any other."""
    before = 0
    for key, (way, code, told) in product(
        ("fork-and-return", "fork-and-return-async"), (("return", 0, 0), ("raise", 1, 1), ("exit", 5, 0))
    ):
        forks, next_one = next(own.seqs), next(own.seqs)
        assert own.run(row(forks, key, {"way": way}))[forks][6] == str(code), (key, way)
        assert own.run(row(next_one, "nothing"))[next_one] is None

        lines = own.stderr
        said = [orjson.loads(each) for each in lines[before:]]
        assert [each["message"] for each in said] == ["in the child"] * 3 + ["A fork of a handler failed."] * told
        assert {each["definition_key"] for each in said} == {key}
        assert all("ValueError: of the child" in each["exception"] for each in said[3:])
        before = len(lines)
    assert own.quit() == 0
    assert len(own.stderr) == before


def test_a_fork_counts_no_lines_that_its_parent_does_not_send(own: Driver) -> None:
    own.run(row(1, "fork-and-return", {"way": "exit"}))

    assert not any(own.counts)
    assert not own.logs(1)


def test_a_handler_that_ends_the_process_is_on_the_board(own: Driver) -> None:
    own.deal(row(1, "deaf"), row(2, "exit-process"))

    assert own.process.wait(SECONDS) == 0
    assert {1, 2} <= {*own.board}
    assert not own.outcomes()


def test_what_has_ended_stays_on_the_board_until_its_outcome_is_sent() -> None:
    with Driver(PROGRAM, slots=1, spare_places=2, linger_ms=60_000) as driver:
        driver.ready()
        driver.deal(row(1, "nothing"), row(2, "exit-process"))

        assert driver.process.wait(SECONDS) == 0
        assert {*driver.board} == {0, -1, 2}


def test_a_thread_notes_its_own_return_while_the_loop_is_blocked(own: Driver) -> None:
    own.deal(row(1, "nothing-def"), row(2, "block"))

    own.until(lambda: {*own.board} >= {-1, 2})
    assert not own.outcomes()


@pytest.mark.parametrize(("key", "payload"), [("leave-variable", {}), ("raise", {"name": "fail"})])
def test_a_thread_notes_its_outcome_while_the_loop_is_blocked(own: Driver, key: str, payload: dict[str, Json]) -> None:
    own.deal(row(1, key, payload), row(2, "block"))

    own.until(lambda: {*own.board} >= {-1, 2})
    assert not own.outcomes()


def test_a_handler_that_was_not_called_is_not_on_the_board(own: Driver) -> None:
    own.deal(row(1, "exit-process-async"), row(2, "nothing"), row(3, "nothing"))

    assert own.process.wait(SECONDS) == 0
    assert {*own.board} == {0, 1}


def test_a_result_is_sent_before_the_next_handler_begins() -> None:
    with Driver(PROGRAM, slots=1, spare_places=2, linger_ms=60_000) as driver:
        driver.ready()
        driver.deal(row(1, "add", {"a": 40}), row(2, "exit-process"))

        assert driver.process.wait(SECONDS) == 0
        driver.hear_all()
        assert driver.outcomes()[1][6] == "42"
        assert {*driver.board} == {0, 2}


def test_what_the_socket_does_not_take_stays_on_the_board(own: Driver) -> None:
    own.deal(*(row(seq, "return", {"kind": "long"}) for seq in range(1, 41)))
    deadline = time.monotonic() + SECONDS
    while 0 in own.board or not own.unread:  # nobody reads: the socket is full, and then the board
        assert time.monotonic() < deadline
        time.sleep(0.01)
    own.process.kill()
    own.process.wait()

    own.hear_all()

    begun = {*own.board} | own.outcomes().keys()
    assert begun == {*range(1, len(begun) + 1)}


def test_who_asks_for_jobs_back_is_answered_where_there_are_none(own: Driver) -> None:
    own.send(Kind.BACK, [3])

    own.until(lambda: own.of(Kind.RETURNED) == [[]])


def test_a_board_full_of_what_has_ended_holds_nobody_up() -> None:
    with Driver(PROGRAM, slots=3, spare_places=1) as driver:
        driver.ready()
        quick = [row(seq, "nothing") for seq in (2, 3, 5)]

        driver.deal(row(1, "sleep"), quick[0], quick[1], row(4, "sleep"), quick[2])

        driver.until(lambda: driver.outcomes().keys() == {2, 3, 5})


def test_jobs_beyond_the_threads_wait_and_those_that_need_none_do_not() -> None:
    with Driver(PROGRAM, slots=4, threads=1) as driver:
        driver.ready()
        driver.deal(row(1, "deaf"), row(2, "nothing-def"), row(3, "nothing"))
        driver.outcome(3)

        assert driver.outcomes().keys() == {3}
        driver.run(row(4, "release"))
        driver.until(lambda: driver.outcomes().keys() == {1, 2, 3, 4})


def test_it_says_how_long_its_jobs_took(own: Driver) -> None:
    own.run(*(row(seq, "nothing") for seq in range(1, 101)))

    spent = [SPENT.unpack(body) for body in own.of(Kind.SPENT)]
    assert sum(count for count, _ in spent) == 100
    assert 0 < sum(seconds for _, seconds in spent) < 60
