"""A database, its workers and the record of what happens to them; every test ends before the judge."""

from __future__ import annotations

import random
import threading
import time
from collections.abc import Generator, Iterable
from contextlib import contextmanager, suppress
from dataclasses import replace
from itertools import count
from pathlib import Path
from uuid import UUID

from jobplane.core.errors import StoreBusy, StoreError
from jobplane.core.model import Json, NewJob
from tests.faults.checker import judge
from tests.faults.history import History, StoredAttempt
from tests.faults.places import ALICE, Place
from tests.faults.proxy import Proxy
from tests.faults.recorder import SOCKET, Recorder
from tests.faults.waiting import PATIENCE, until
from tests.faults.workers import WorkerProcess

_ACTIVE = """
select (select count(*) from jobplane.ready) + (select count(*) from jobplane.held)
     + (select count(*) from jobplane.upcoming) + (select count(*) from jobplane.leases)
"""


class Stage:
    def __init__(self, place: Place, recorder: Recorder, directory: Path) -> None:
        self.place = place
        self.recorder = recorder
        self.dice = random.Random(5)
        self.proxy: Proxy | None = None
        self.directory = directory
        self._marks = count(1)
        self._workers: list[WorkerProcess] = []

    def worker(self, **settings: str) -> WorkerProcess:
        """A new worker; its settings are named as in the environment, without the prefix."""
        named = {f"JOBPLANE_{name.upper()}": value for name, value in settings.items()}
        environment = {**self.place.environment(self.proxy), SOCKET: self.recorder.path, **named}
        log = self.directory / f"worker-{len(self._workers)}.log"
        self._workers.append(WorkerProcess(self.recorder, log, environment))
        return self._workers[-1]

    def ready_worker(self, **settings: str) -> WorkerProcess:
        """A new worker that has made its definitions known and claims."""
        [worker] = self.ready_workers(1, **settings)
        return worker

    def ready_workers(self, number: int, **settings: str) -> list[WorkerProcess]:
        workers = [self.worker(**settings) for _ in range(number)]
        for worker in workers:
            until(worker.is_ready, PATIENCE, "the start of a worker")
        return workers

    def enqueue(
        self,
        definition: str,
        times: int = 1,
        *,
        max_attempts: int | None = None,
        delay_seconds: float | None = None,
        dedupe_key: str | None = None,
        timeout_seconds: int | None = None,
        **payload: Json,
    ) -> list[UUID]:
        """Enqueue as alice's application; an answer that does not come is written down as unknown."""
        job = NewJob(
            definition=definition,
            max_attempts=max_attempts,
            delay_seconds=delay_seconds,
            dedupe_key=dedupe_key,
            timeout_seconds=timeout_seconds,
        )
        marks = [next(self._marks) for _ in range(times)]
        for mark in marks:
            self.recorder.note("invoke", mark=mark)
        return self._acknowledged(marks, [replace(job, payload={**payload, "mark": mark}) for mark in marks])

    def _acknowledged(self, marks: list[int], jobs: list[NewJob]) -> list[UUID]:
        try:
            answers = self.place.store.enqueue(ALICE, jobs)
        except StoreError:
            for mark in marks:
                self.recorder.note("info", mark=mark)
            return []
        for job, mark, answer in zip(jobs, marks, answers, strict=True):
            assert answer.job_id, f"refused: {answer.error}"
            self.recorder.note("ok", mark=mark, job=str(answer.job_id), name=job.dedupe_key or "")
        return [answer.job_id for answer in answers if answer.job_id]

    def insist(self, definition: str, times: int) -> list[UUID]:
        """Enqueue again until an answer comes, as an application does whose database is coming back."""
        jobs: list[UUID] = []
        until(lambda: jobs or jobs.extend(self.enqueue(definition, times)), PATIENCE, "an answer of the store")
        return jobs

    def started(self, jobs: Iterable[UUID] | None = None) -> int:
        """How many of these jobs, or of all, have started so far."""
        found = self.recorder.started
        return len(found) if jobs is None else sum(str(job) in found for job in jobs)

    def start_delay(self, jobs: Iterable[UUID]) -> float:
        """Wait until all have started; seconds from the last answer to an enqueue to the last start, by the record."""
        names = set(map(str, jobs))
        until(lambda: names <= self.recorder.started, PATIENCE, "their start")
        taken_at = max(event.at for event in self.recorder.having("ok") if event.job in names)
        first = {event.job: event.at for event in reversed(self.recorder.having("start")) if event.job in names}
        return max(first.values()) - taken_at

    def served(self, since: float, until: float) -> float:
        """The share of the jobs that were enqueued between two moments and have started by now."""
        asked = {event.job for event in self.recorder.having("ok") if event.job and since <= event.at <= until}
        return len(asked & self.recorder.started) / max(1, len(asked))

    def last_pulse(self, executors: Iterable[int]) -> float:
        """The last sign of life of what ran in these processes, in seconds since 1970."""
        pids = set(executors)
        return max(event.at for event in self.recorder.having("effect") if event.pid in pids) + self.offset

    @property
    def offset(self) -> float:
        """What the wall clock is ahead of the record's."""
        return time.time() - time.monotonic()

    def active(self) -> int:
        """How many jobs have not ended."""
        return self.place.peek(_ACTIVE)[0][0]

    def leases(self) -> int:
        return self.place.peek("select count(*) from jobplane.leases")[0][0]

    def await_renewal(self, lease_seconds: float) -> None:
        """Wait until every lease has been renewed once more."""
        asked_at = time.time()
        until(lambda: self.place.first_expiry() > asked_at + lease_seconds, PATIENCE, "a renewal")

    @contextmanager
    def kept_up(self) -> Generator[None]:
        """Somebody else who reaps and promotes twice a second, as a scheduler would."""
        over = threading.Event()
        keeper = threading.Thread(target=self._keep_up, args=(over,), daemon=True)
        keeper.start()
        try:
            yield
        finally:
            over.set()
            keeper.join(PATIENCE)

    def _keep_up(self, over: threading.Event) -> None:
        while not over.wait(0.5):
            with suppress(StoreBusy):
                self.place.store.reap()
                self.place.store.promote()

    def drain(self, within: float) -> float:
        """No fault from now on: wait until everything has ended."""
        self.recorder.note("healed")
        began = time.monotonic()
        while self.active() and time.monotonic() < began + within:
            time.sleep(0.05)
        self.recorder.note("drained", within=within)
        return time.monotonic() - began

    def history(self) -> History:
        return History(
            events=sorted(self.recorder.events, key=lambda event: event.at),
            **self.place.final()._asdict(),
            broken_rules=self.place.audit.faults(),
            offset=self.offset,
        )

    def attempts(self, outcome: str | None = None) -> list[StoredAttempt]:
        return [attempt for attempt in self.place.final()[1] if outcome in (None, attempt.outcome)]

    def begun(self) -> list[StoredAttempt]:
        """All but the claims whose answer came too late to start anything: they are given back, as they should be."""
        return [each for each in self.attempts() if (each.outcome, each.reason) != ("released", "unstarted")]

    def statuses(self) -> dict[str, str]:
        return {job.id: job.status for job in self.place.final()[0]}

    def judge(self) -> None:
        """The end of every test."""
        verdict = judge(self.history())
        print(verdict)  # noqa: T201 - pytest shows it with a failure
        assert not verdict.violations, f"{verdict}\n{self.logs()}"

    def logs(self) -> str:
        """The last words of each worker."""
        return "\n".join(f"worker {worker.pid}:\n{worker.log()[-3000:]}" for worker in self._workers)

    def end(self) -> None:
        """Stop all workers; one that was not killed leaves with 0."""
        for worker in self._workers:
            worker.terminate()
        for worker in self._workers:
            worker.end()
        bad = {worker.pid: worker.process.returncode for worker in self._workers if not worker.left_well()}
        assert not bad, f"workers left with {bad}\n{self.logs()}"

    def close(self) -> None:
        for worker in self._workers:
            worker.process.kill()
            worker.process.wait()
        self.place.close()
