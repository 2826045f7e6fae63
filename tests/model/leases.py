"""What the holder of a lease may do, as the specification has it: renew and settle; and what its slot leads to."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import timedelta
from typing import NamedTuple, cast

from jobplane.core.leases import Settlement
from jobplane.core.lifecycle import decide
from jobplane.core.model import Attempt, JobStatus, Outcome
from tests.leases import Held
from tests.model.life import LIMITS, Gate, Life, Place
from tests.model.plane import Plane


def _is_reaped(reason: str | None) -> bool:
    """Whether the reaper ended the attempt: nobody else gives this reason."""
    return reason == "lease_expired"


class Bounds(NamedTuple):
    """How many of those whom a gate holds come back."""

    least: int
    most: int


@dataclass
class Leases(Plane):
    choices: dict[Gate, Bounds] = field(default_factory=dict[Gate, Bounds])

    def owner(self, lease: Held) -> Life | None:
        """The job whose lease this still is."""
        life = self.find(lease.tenant_id, lease.job_id)
        return life if life and life.run and life.run.lease.token == lease.token else None

    def renew(self, lease: Held, lease_seconds: int, progress: float | None) -> str:
        life = self.owner(lease)
        if life is None or life.run is None:
            return "gone"
        life.run.lease_expires_at = self.now + timedelta(seconds=lease_seconds)
        life.run.renewed_at = self.now
        life.run.progress = life.run.progress if progress is None else progress
        return "renewed" if life.run.cancel_requested_at is None else "cancel"

    def renew_all(self, lease: Held, lease_seconds: int, progress: float | None, *, begun: bool) -> str:
        answer = self.renew(lease, lease_seconds, progress)
        if (life := self.owner(lease)) and life.run:
            life.run.begun = life.run.begun or begun
        return answer

    def settle(self, settlements: Sequence[Settlement], max_interruptions: int = 20) -> list[tuple[bool, str]]:
        """Whether each is accepted, and the job's status then; a repeat gets the same answer."""
        freed: Counter[Gate] = Counter()
        answers = [self._settle(settlement, max_interruptions, freed) for settlement in settlements]
        self.choices = {gate: self._offered(gate, slots) for gate, slots in freed.items()}
        return answers

    def _settle(self, said: Settlement, max_interruptions: int, freed: Counter[Gate]) -> tuple[bool, str]:
        life = self.owner(cast("Held", said.lease))
        if life is None or life.run is None:
            return self._repeated(said)
        freed.update(life.run.counted_by)
        decision = decide(
            life.leased(),
            said.ending.outcome,
            reason=said.ending.reason,
            retry_after=said.ending.retry_after,
            dice=self.dice,
            max_interruptions=max_interruptions,
        )
        self._record(life, said, decision.status)
        life.attempts_left, life.interruptions, life.alone = (
            decision.attempts_left,
            decision.interruptions,
            decision.alone,
        )
        life.run = None
        if decision.delay_seconds is None:
            life.result = json.loads(said.ending.result or "null") if decision.status is JobStatus.SUCCEEDED else None
            life.end(decision.status, self.now, decision.reason)
        else:
            life.must_start_by = None
            life.wait(Place.UPCOMING, self.now + timedelta(seconds=decision.delay_seconds))
        return True, decision.status

    def _repeated(self, said: Settlement) -> tuple[bool, str]:
        lease = cast("Held", said.lease)
        life = self.find(lease.tenant_id, lease.job_id)
        for attempt in life.attempts if life else ():
            if (
                attempt.attempt_no == said.lease.attempt_no
                and attempt.outcome == said.ending.outcome
                and _is_reaped(attempt.reason) == _is_reaped(said.ending.reason)
                and attempt.led_to
            ):
                return True, attempt.led_to
        return False, "stale"

    def _record(self, life: Life, said: Settlement, led_to: JobStatus) -> None:
        run = life.run
        assert run is not None
        life.attempts.append(
            Attempt(
                attempt_no=life.attempt_no,
                status="failed" if said.ending.outcome is Outcome.FATAL else said.ending.outcome,
                outcome=said.ending.outcome,
                worker_id=run.worker_id,
                scheduled_for=life.due_at,
                started_at=run.started_at,
                finished_at=self.now,
                exit_code=said.ending.exit_code,
                reason=said.ending.reason,
                error=said.ending.error,
                progress=run.progress if said.ending.progress is None else said.ending.progress,
                progress_message=None,
                led_to=led_to,
            )
        )

    def _offered(self, gate: Gate, slots: int) -> Bounds:
        """Free slots go to those who wait for them; whom a pause holds may be let back too, the claim looks again."""
        held = [life for life in self.at(Place.HELD) if life.gate == gate]
        most = min(slots, len(held))
        return Bounds(most if any(life.held_by in LIMITS for life in held) else 0, most)
