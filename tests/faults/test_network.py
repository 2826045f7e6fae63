"""What a proxy does to a worker's connections: frozen, cut, and answers that come leases too late."""

from __future__ import annotations

import re
import socket
import urllib.error
import urllib.request
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

import pytest

from tests.database import Database
from tests.faults.load import Load
from tests.faults.proxy import Proxy, Way, proxied
from tests.faults.recorder import Recorder
from tests.faults.sizes import on_postgres, size, slow
from tests.faults.stage import Stage
from tests.faults.waiting import PATIENCE, pause, until
from tests.faults.workers import LEASE_SECONDS, WorkerProcess, is_alive

FROZEN_ROUNDS: Final = size(1, 5)
RESUME_SECONDS: Final = 20.0
RED_SECONDS: Final = 15.0
LONG_LEASE: Final = 90  # so that nothing of it is over before the network is back
AGAIN_SECONDS: Final = size(0.1, 2.0 * LEASE_SECONDS)  # in full they run when the late ones arrive


@on_postgres
def test_frozen_connections_are_given_up(stage: Stage, proxy: Proxy) -> None:
    worker = stage.ready_worker()

    with Load(stage, "nap", seconds=0.1):
        for number in range(FROZEN_ROUNDS):
            until(stage.leases, PATIENCE, "a lease")
            stage.recorder.note("broken", name=f"frozen {number}")
            assert proxy.freeze() >= 3
            assert stage.start_delay(stage.enqueue("quick", 5)) <= RESUME_SECONDS, "work on new connections"
            stage.recorder.note("mended", name=f"frozen {number}")
    stage.drain(within=60)

    assert worker.process.poll() is None
    assert set(stage.statuses().values()) == {"succeeded"}


def _answer(worker: WorkerProcess, page: str) -> int:
    """The status of a page on the worker's own port, which its log names."""
    found = re.search(r'"health_started".*"port":(\d+)', worker.log())
    assert found, worker.log()
    try:
        with urllib.request.urlopen(f"http://127.0.0.1:{found[1]}{page}", timeout=2) as answer:
            return answer.status
    except urllib.error.HTTPError as error:
        return error.code


class _Way:
    """A path to the server that can be turned to a socket where nobody answers."""

    def __init__(self, directory: Path, server: Path) -> None:
        self.path = directory / "way"
        self.path.symlink_to(server)
        self._server = server
        self._nowhere = directory / "nowhere"

    @contextmanager
    def lost(self) -> Generator[None]:
        with socket.socket(socket.AF_UNIX) as deaf:
            deaf.bind(str(self._nowhere))
            deaf.listen(1000)
            self._turn(self._nowhere)
            yield
            self._turn(self._server)

    def _turn(self, to: Path) -> None:
        self.path.unlink()
        self.path.symlink_to(to)


@slow
@on_postgres
def test_a_network_that_swallows_everything_turns_health_red_and_back(
    stage: Stage, recorder: Recorder, db: Database
) -> None:
    """First no line says a word, old or new; then new ones do, and those that hang are never heard of again."""
    way = _Way(Path(recorder.path).parent, db.cluster.server.socket_dir / ".s.PGSQL.5432")
    with proxied(way.path) as proxy:
        stage.proxy = proxy
        worker = stage.ready_worker(worker_http="127.0.0.1:0", lease_seconds=str(LONG_LEASE))
        gate = stage.directory / "gate"
        stage.enqueue("wait", 8, max_attempts=1, gate=str(gate))
        until(lambda: stage.started() == 8, PATIENCE, "a busy worker")
        until(lambda: _answer(worker, "/readyz") == 200, PATIENCE, "green")

        stage.recorder.note("broken", name="black hole")
        with way.lost():
            assert proxy.freeze() >= 3
            until(lambda: _answer(worker, "/readyz") == 503, RED_SECONDS, "red")
            assert _answer(worker, "/healthz") == 200, "a restart would not help"
            gate.touch()
            proxy.freeze()
        assert stage.start_delay(stage.enqueue("quick", 5)) <= RESUME_SECONDS, "claims on new connections"
        until(lambda: _answer(worker, "/readyz") == 200, PATIENCE, "green by itself")
        stage.recorder.note("mended", name="black hole")
        stage.drain(within=60)

        assert worker.process.poll() is None
        assert [attempt.outcome for attempt in stage.begun()] == ["succeeded"] * 13
        stage.end()


@slow
@on_postgres
def test_connections_that_are_cut_cost_no_attempt(stage: Stage, proxy: Proxy) -> None:
    stage.ready_worker()

    with Load(stage, "nap", seconds=0.1):
        stage.recorder.note("broken", name="cut")
        for _ in range(100):
            proxy.cut()
            pause(stage.dice.uniform(0.05, 0.6))
        stage.recorder.note("mended", name="cut")
    stage.drain(within=60)

    assert set(stage.statuses().values()) == {"succeeded"}
    assert {attempt.outcome for attempt in stage.attempts()} <= {"succeeded", "released"}


def _claims(answer: bytes) -> bool:
    """Whether an answer hands out a job of ours, in text or in binary form."""
    return b"nap" in answer or b"nap".hex().encode() in answer


@on_postgres
def test_nothing_starts_on_a_claim_that_is_answered_two_leases_late(stage: Stage, proxy: Proxy) -> None:
    """The answer is kept back, the supervisor stopped meanwhile: when it wakes up, the answer is there and stale."""
    worker = stage.ready_worker()
    proxy.hold_answer(_claims)
    jobs = stage.enqueue("nap", 8, max_attempts=2, seconds=0.1)
    until(lambda: proxy.delayed, PATIENCE, "the claim's answer at the proxy")

    worker.freeze()
    proxy.let_go()
    pause(2 * LEASE_SECONDS)
    assert stage.started(jobs) == 0
    worker.thaw()
    stage.drain(within=60)

    assert set(stage.statuses().values()) == {"succeeded"}
    first = [attempt for attempt in stage.attempts() if attempt.attempt_no == 1]
    assert {attempt.outcome for attempt in first} == {"released"}
    assert stage.recorder.count("start") == len(jobs)


@slow
@on_postgres
def test_a_claim_whose_answer_never_comes_costs_no_attempt(stage: Stage, proxy: Proxy) -> None:
    stage.ready_worker()
    proxy.delay_answer(_claims, 2 * LEASE_SECONDS)
    jobs = stage.enqueue("nap", 8, max_attempts=2, seconds=0.1)
    stage.drain(within=60)

    assert proxy.delayed == 1
    assert set(stage.statuses().values()) == {"succeeded"}
    assert {attempt.outcome for attempt in stage.attempts()} == {"succeeded", "released"}
    assert stage.recorder.count("start") == len(jobs)


def _renews(data: bytes) -> bool:
    """Whether it asks for a renewal, or is the answer to one, which names its columns."""
    return b"jobplane.renew_all" in data or b"answer\0" in data


@pytest.mark.parametrize("way", ["answer", pytest.param("ask", marks=slow)])
@on_postgres
def test_handlers_stop_where_renewals_are_two_leases_late(stage: Stage, proxy: Proxy, way: Way) -> None:
    """The database has renewed them and the worker does not know; or it is asked when others have the jobs."""
    worker = stage.ready_worker(pooler="transaction" if way == "ask" else "none")  # there a question is sent in words
    jobs = stage.enqueue("nap", 8, max_attempts=2, seconds=600, again=AGAIN_SECONDS)
    until(lambda: stage.started(jobs) == len(jobs), PATIENCE, "their start")
    executors = worker.executors()

    stage.recorder.note("broken", name="late renewals")
    with proxy.delaying(way, _renews, 2 * LEASE_SECONDS):
        until(lambda: proxy.delayed, PATIENCE, "a renewal at the proxy")
        expires_at = stage.place.first_expiry()
        until(lambda: not any(map(is_alive, executors)), PATIENCE, "the end of its executors")
    assert stage.last_pulse(executors) < expires_at, "a lease ended before its handler"
    stage.recorder.note("mended", name="late renewals")
    stage.drain(within=60)

    assert worker.process.poll() is None
    assert set(stage.statuses().values()) == {"succeeded"}
    first = {attempt.job: attempt for attempt in sorted(stage.begun(), key=lambda it: -it.attempt_no)}
    assert [(attempt.outcome, attempt.reason) for attempt in first.values()] == [("released", "lost_contact")] * 8
    assert stage.recorder.count("start") == 2 * len(jobs)
