"""The worker's own log: a line for each event, each failed attempt, and up to twenty successes a second."""

from __future__ import annotations

import logging
from collections.abc import Iterable, Sequence
from itertools import islice
from typing import Final

from jobplane.core.leases import SUCCEEDED, Ending, Lease, Settled, Settlement
from jobplane.core.model import JobStatus, Outcome
from jobplane.process.events import LEVELS, EventLog
from jobplane.store.worker import WorkerStore
from jobplane.telemetry.logging import TRACEBACK
from jobplane.worker.claim_records import ClaimRecords
from jobplane.worker.ending_text import find_traceback, make_ending_text, message_of
from jobplane.worker.slugs import Slugs
from jobplane.worker.successes import SHOWN, Successes

log = logging.getLogger("jobplane.worker")

# A release is nobody's fault, and a cancel is somebody's wish.
_LEVEL_OF: Final = {Outcome.SUCCEEDED: "info", Outcome.RELEASED: "info", Outcome.CANCELED: "info"}


class Journal(EventLog):
    """Logs events of a worker and of its attempts, these with the ids of their jobs."""

    def __init__(self, worker_id: str, claim_records: ClaimRecords) -> None:
        super().__init__(log, worker_id=worker_id)
        self._claim_records = claim_records
        self.slugs = Slugs()
        self._successes = Successes(self._log_hidden)

    async def learn_tenants(self, store: WorkerStore, leases: Iterable[Lease]) -> None:
        """Read the slugs of these jobs' tenants, for lines that come later. Raises nothing."""
        found = map(self._claim_records.tenant_id, leases)
        await self.slugs.learn(store, {tenant_id for tenant_id in found if tenant_id is not None})

    async def learn_tenants_of_shown(self, store: WorkerStore, settlements: Sequence[Settlement]) -> None:
        """The same for all settlements that may have a line of their own."""
        told = [each for each in settlements if each[1] is not SUCCEEDED]
        good = (lease for lease, ending in told if ending.outcome is Outcome.SUCCEEDED)
        bad = (lease for lease, ending in told if ending.outcome is not Outcome.SUCCEEDED)
        if told:
            await self.learn_tenants(store, [*islice(good, SHOWN), *bad])

    def log_claimed(self, leases: Sequence[Lease]) -> None:
        """Log each claimed attempt at debug."""
        self._each(leases, "attempt_claimed")

    def log_begun(self, leases: Sequence[Lease]) -> None:
        """Log each attempt at debug whose start the database knows."""
        self._each(leases, "attempt_begun")

    def _each(self, leases: Sequence[Lease], name: str) -> None:
        for lease in leases if self.is_detailed else ():
            self.log_attempt(lease, name, "debug")

    def log_all_ended(self, settlements: Sequence[Settlement], answers: Sequence[Settled]) -> None:
        """Log settlements that the store has accepted; of the successes twenty a second, and count the others."""
        led = {(answer.seq, answer.attempt_no): answer for answer in answers}
        unsettled = {attempt for attempt, answer in led.items() if not answer.accepted}
        taken = [each for each in settlements if each[0][:2] not in unsettled] if unsettled else settlements
        told = [each for each in taken if each[1] is not SUCCEEDED]
        hidden = len(taken) - len(told)
        for lease, ending in told:
            if ending.outcome is Outcome.SUCCEEDED:
                hidden += not self._log_success(lease, ending)
            else:
                self.log_ended(lease, ending, led.get(lease[:2]))
        if hidden and log.isEnabledFor(logging.INFO):
            self._successes.hide(hidden)

    def _log_success(self, lease: Lease, ending: Ending) -> bool:
        """Whether the success has a line at info. Beyond twenty a second it has one at debug."""
        if not log.isEnabledFor(logging.INFO):
            return True
        is_shown = self._successes.take()
        if is_shown or self.is_detailed:
            self.log_ended(lease, ending, level="info" if is_shown else "debug")
        return is_shown

    def _log_hidden(self, count: int) -> None:
        jobs = "1 more job" if count == 1 else f"{count:,} more jobs"
        self.log_event("attempts_succeeded", f"{jobs} succeeded in the last second.", attempts=count)

    def flush(self) -> None:
        """Log the count of successes that have no line of their own, before the worker ends."""
        self._successes.flush()

    def log_ended(self, lease: Lease, ending: Ending, led: Settled | None = None, *, level: str | None = None) -> None:
        """Log the end of an attempt that the store has accepted, with the job's status since then if it is known."""
        level = "debug" if ending.reason == "unstarted" else level or _LEVEL_OF.get(ending.outcome, "warning")
        if log.isEnabledFor(LEVELS[level]):
            more = {
                **self._where(lease, ending, led),
                "reason": ending.reason,
                "error": message_of(ending.error),
                "exit_code": ending.exit_code,
                TRACEBACK: find_traceback(ending.error),
            }
            name, text = f"attempt_{ending.outcome.value}", make_ending_text(ending.outcome, led and led.status)
            self.log_attempt(lease, name, level, text=text, spent_ms=ending.spent_ms, **more)

    def _where(self, lease: Lease, ending: Ending, led: Settled | None) -> dict[str, object]:
        """The job's status now, how many attempts are left, and when the next one starts."""
        if led is None:
            return {}
        left: int | None = 0
        if led.status == JobStatus.QUEUED.value and (left := self._claim_records.attempts_left(lease)) is not None:
            left += ending.outcome is Outcome.RELEASED  # which is refunded
        next_at = None if led.next_at is None else led.next_at.isoformat(timespec="milliseconds")
        return {"status": led.status, "attempts_left": left, "next_at": next_at}

    def log_refused(self, lease: Lease, outcome: Outcome, status: str) -> None:
        """Log an outcome that does not count: the lease was no longer this worker's."""
        text = "The outcome was refused: the lease was no longer this worker's."
        self.log_attempt(lease, "outcome_refused", "warning", text=text, outcome=outcome.value, status=status)

    def log_attempt(
        self,
        lease: Lease,
        name: str,
        level: str = "info",
        *,
        text: str | None = None,
        spent_ms: int | None = None,
        **more: object,
    ) -> None:
        """Log an event of one attempt, with its ids from the claim.

        `spent_ms` is the handler's own time. Without it the duration is the time since the claim.
        """
        facts = self._claim_records.facts(lease)
        known: dict[str, object] = {} if facts is None else facts._asdict()
        if facts is not None:
            known["tenant"] = self.slugs.get(facts.tenant_id)
        known["duration_ms"] = known.get("held_ms") if spent_ms is None else spent_ms
        self.log_event(name, text, level=level, **known, seq=lease.seq, attempt_no=lease.attempt_no, **more)
