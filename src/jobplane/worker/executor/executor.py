"""The executor: takes jobs from the socket, runs their handlers and sends the outcomes."""

from __future__ import annotations

import asyncio
import logging
import math
import os
from collections import OrderedDict, deque
from collections.abc import Callable, Mapping, Sequence
from contextvars import copy_context
from time import monotonic
from typing import Final

import orjson

from jobplane.core.claimed import KEY, TIMEOUT
from jobplane.core.leases import SUCCEEDED, Ending
from jobplane.execution.artifacts import Artifacts
from jobplane.execution.handler import Handler
from jobplane.execution.secret_sources import SecretSource
from jobplane.worker.executor import descriptors, verdicts
from jobplane.worker.executor.assignment import Assignment
from jobplane.worker.executor.job_logs import JobLogs
from jobplane.worker.executor.outbox import Outbox
from jobplane.worker.executor.places import Places
from jobplane.worker.executor.runner import Runner
from jobplane.worker.executor.stops import Stops
from jobplane.worker.frames import BROKEN, MARK, MOST_SLUGS, Kind, Setup, StopReason

_log: Final = logging.getLogger("jobplane.executor")
_TIMED: Final = 20  # plain successes in each window that say how long they took: the log shows so many in a second
_TIMED_SECONDS: Final = 0.25
_TOGETHER: Final = 64  # plain successes that leave at once; fewer wait for a moment, and are safe on the board


def _fatal(step: Callable[[Executor], None]) -> Callable[[Executor], None]:
    """End the process if a step raises: a broken executor would keep its jobs for ever."""

    def guard(self: Executor) -> None:
        try:
            step(self)
        except Exception:  # noqa: BLE001 a fault of our own
            _log.critical("The executor failed. Its process ends.", exc_info=True)
            os._exit(BROKEN)

    return guard


class Executor:
    """Runs as many attempts at once as it has slots. Further attempts wait here."""

    def __init__(
        self,
        setup: Setup,
        handlers: Mapping[bytes, Handler],
        places: Places,
        outbox: Outbox,
        journal: JobLogs,
        artifacts: Artifacts | None,
        secret_source: SecretSource,
    ) -> None:
        base = copy_context()  # with what the startup hooks put into context variables
        self._loop = asyncio.get_running_loop()
        self._handlers = handlers
        self._uses, self._lines = places.uses, places.lines
        self._outbox = outbox
        self._journal = journal
        self._secret_source = secret_source
        self._linger = setup["linger_ms"] / 1000
        self._slots = setup["slots"]
        self._places = deque(range(places.count))  # the free ones: a board has more places than there are slots
        self._left: list[int] = []  # places of those whose outcome is not sent yet
        self._waiting: OrderedDict[int, Assignment] = OrderedDict()
        self._threadless: OrderedDict[int, Assignment] = OrderedDict()  # of those, what waits for a thread
        self._running: dict[int, Assignment] = {}
        self.stops = Stops(self._loop, outbox, self._running)
        self._runner = Runner(self._loop, setup["threads"], base, places, artifacts, self._on_ended)
        # A plain success is its number and nothing else; to who looks at every step it also says how long it took.
        self._plain = None if setup["log_level"] == "debug" else SUCCEEDED
        self._timed = 0
        self._timed_until = 0.0
        self._untimed_until = 0.0 if setup["log_level"] == "info" else math.inf
        self._turning = False
        self._lingering = False
        self._base = base
        self._idle: Callable[[], None] | None = None
        self._has_left = False

    def hear(self, kind: Kind, body: bytes) -> None:
        """Act on one frame."""
        match kind:
            case Kind.JOBS:
                self._deal([Assignment(row) for row in body.split(b"\n")])
            case Kind.STOP:
                self._stop_all(orjson.loads(body))
            case Kind.BACK:
                self._answer_back(orjson.loads(body)[0])
            case Kind.FOLLOW:
                for seq in orjson.loads(body):
                    self._journal.follow(seq)
            case Kind.CREDIT:
                self._credit(orjson.loads(body))
            case Kind.TENANTS:
                self._learn(orjson.loads(body))
            case _:
                raise ValueError(f"an executor is not told {kind.name}")

    def quit(self, idle: Callable[[], None]) -> None:
        """Give back the jobs that have not started; `idle` is called when the last attempt has ended."""
        self._give_back(len(self._waiting) + len(self._threadless))
        self._idle = idle
        self._turn_soon()

    def _deal(self, attempts: Sequence[Assignment]) -> None:
        waiting = self._waiting
        for attempt in attempts:
            waiting[attempt.seq] = attempt
        if self._idle is not None:
            self._give_back(len(waiting))
        if self._running or self._turning:
            self._turn_soon()
        else:  # nothing to wait for
            self._base.run(self._turn)

    def _answer_back(self, count: int) -> None:
        if not self._give_back(count):
            self._outbox.send(Kind.RETURNED, b"[]")  # who asked waits for an answer

    def _give_back(self, count: int) -> int:
        """Give back up to `count` jobs that have not started, the last dealt first. Returns their number."""
        given = 0
        for waiting in (self._waiting, self._threadless):
            while waiting and given < count:
                self._outbox.returned.append(waiting.popitem()[0])
                given += 1
        self._flush()
        return given

    def _credit(self, sizes: list[tuple[int, int]]) -> None:
        for seq, size in sizes:
            if attempt := self._running.get(seq):
                self._journal.credit(attempt, size)

    def _learn(self, slugs: dict[str, str]) -> None:
        if len(self._outbox.slugs) + len(slugs) > MOST_SLUGS:
            self._outbox.slugs.clear()
        self._outbox.slugs.update(slugs)

    def _stop_all(self, seqs: list[tuple[int, StopReason]]) -> None:
        for seq, why in seqs:
            self._stop(seq, why)

    def _stop(self, seq: int, why: StopReason) -> None:
        if attempt := self._running.get(seq):
            self.stops.stop(attempt, why)
            if why == "shutdown":
                self._journal.follow(seq)  # it may be killed soon, and what it said up to now should not go with it
        elif attempt := self._waiting.pop(seq, None) or self._threadless.pop(seq, None):
            if why == "cancel":
                self._outbox.ended.append(verdicts.row(attempt, verdicts.STOPPED[why]))
            else:
                self._outbox.returned.append(seq)
            self._flush()

    # Attempts begin

    def _turn_soon(self) -> None:
        """Schedule a turn: it sends the outcomes so far together, and starts waiting jobs."""
        if not self._turning:
            self._turning = True
            self._loop.call_soon(self._turn, context=self._base)

    @_fatal
    def _turn(self) -> None:
        self._turning = False
        outbox = self._outbox
        done = len(outbox.done)
        if outbox.is_urgent or done >= _TOGETHER or not (self._places and (self._running or self._waiting)):
            self._flush()
        elif done and not self._lingering:
            self._lingering = True
            self._loop.call_later(self._linger, self._flush, context=self._base)
        while self._has_room and self._threadless and not self._runner.is_full:
            self._begin(self._threadless.popitem(last=False)[1])
        while self._has_room and self._waiting:
            self._begin(self._waiting.popitem(last=False)[1])
            if outbox.ended:  # it has ended at once, and the next handler may end the process
                self._flush()
        if self._idle is not None and not self._running and not self._has_left:
            self._has_left = True
            self._flush()
            self._idle()

    @_fatal
    def _flush(self) -> None:
        self._lingering = False
        descriptors.expect_enough()
        self._outbox.flush()
        if not self._outbox.is_stuck:
            self._wipe()

    def on_written(self) -> None:
        """The socket has accepted all bytes."""
        self._flush()

    def _wipe(self) -> None:
        """Free the places of outcomes that the socket has accepted: they survive this process."""
        uses, was_full = self._uses, not self._places
        for place in self._left:
            use = uses[place]
            uses[place] = MARK | (-use if use < 0 else use)
        self._places += self._left
        self._left.clear()
        if was_full and (self._waiting or self._threadless):
            self._turn_soon()

    @property
    def _has_room(self) -> bool:
        return len(self._running) < self._slots and bool(self._places)

    def _begin(self, attempt: Assignment) -> None:
        fields = attempt.fields
        handler = self._handlers.get(fields[KEY])
        if handler is None:
            self._outbox.ended.append(verdicts.row(attempt, verdicts.end_unknown(attempt)))
            self._turn_soon()
            return
        if not handler.is_async and self._runner.is_full:
            self._threadless[attempt.seq] = attempt
            return
        attempt.handler = handler
        attempt.journal = self._journal
        attempt.outbox = self._outbox
        attempt.secret_source = self._secret_source
        attempt.place = place = self._places.popleft()
        self._lines[place] = 0
        self._running[attempt.seq] = attempt
        attempt.started = now = monotonic()
        if fields[TIMEOUT]:
            attempt.until = until = now + int(fields[TIMEOUT])
            if until < self.stops.next:
                self.stops.watch(until)
        self._runner.run(attempt)

    # Attempts end

    def _on_ended(self, attempt: Assignment, ending: Ending) -> None:
        outbox, now = self._outbox, monotonic()
        seq, place, stop = attempt.seq, attempt.place, attempt.stop
        outbox.count += 1
        outbox.seconds += now - attempt.started
        self._journal.close(attempt)
        if attempt.secrets is not None:
            attempt.secrets.release()
        if stop == "gone":
            outbox.returned.append(seq)
        elif ending is self._plain and attempt.share is None and attempt.message is None:
            outbox.done.append(seq)
            if stop is None and now < attempt.until:
                self._uses[place] = -seq
            if now >= self._untimed_until:
                self._time(attempt, now)
        else:
            outbox.ended.append(verdicts.row(attempt, ending) if attempt.row is None else orjson.Fragment(attempt.row))
            outbox.forget(attempt)
        del self._running[seq]
        attempt.task = None
        self._left.append(place)
        if stop is not None:
            self.stops.on_ended(attempt)
        self._turn_soon()

    def _time(self, attempt: Assignment, now: float) -> None:
        """Report the duration of a plain success, for the log of the supervisor."""
        if now >= self._timed_until:
            self._timed, self._timed_until = 0, now + _TIMED_SECONDS
        self._timed += 1
        if self._timed == _TIMED:
            self._untimed_until = self._timed_until
        self._outbox.took.append((attempt.seq, round((now - attempt.started) * 1000)))
