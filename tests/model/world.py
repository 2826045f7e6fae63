"""A store and the specification side by side: each verb is told to both, and their answers must be the same."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from datetime import timedelta
from uuid import UUID

from jobplane.core.leases import Settlement
from jobplane.core.model import Document, NewJob, NewWorker
from jobplane.store.verbs.jobs import Enqueue
from jobplane.store.verbs.operator import PauseQueues, PauseTenants, ResumeQueues
from tests.leases import Held, held
from tests.model.cast import DEFINITIONS, QUEUES, TENANTS, document
from tests.model.claims import Asked, follow_claim
from tests.model.comparison import Comparison, same
from tests.model.life import CALLER, Life, Place
from tests.model.plane import Hand, Owner


@dataclass
class World(Comparison):
    leases: list[Held] = field(default_factory=list[Held])

    def furnish(self) -> None:
        """The tenants, queues and definitions that every history starts with."""
        self.store.put_queues(QUEUES)
        self.spec.paused_queues = dict.fromkeys(["default", *QUEUES], False)
        for number, (slug, weight) in enumerate(TENANTS.items(), 1):
            tenant = UUID(int=number)  # the same in each store, and in each run
            self.store.create_tenant(slug, weight=weight, tenant_id=tenant)
            self.tenants.append(tenant)
            self.spec.tenants[tenant] = Owner(weight)
        self.store.put_definitions([document(key, policy) for key, policy in DEFINITIONS.items()])
        self.spec.definitions = {key: policy() for key, policy in DEFINITIONS.items()}

    # What a rule may choose from

    def some(self, pick: int, *, ended: bool | None = None) -> list[Life]:
        """One job, if there is any; a low pick is a young one."""
        lives = [life for life in self.spec.lives if ended is None or life.active != ended]
        return [lives[-1 - pick % len(lives)]] if lives else []

    def running(self, pick: int, count: int) -> list[Held]:
        leases = [life.run.lease for life in self.spec.lives if life.run]
        return [leases[(pick + n) % len(leases)] for n in range(min(count, len(leases)))]

    def busy(self, pick: int, count: int) -> list[Held]:
        """The same, and where nothing runs, something is claimed first."""
        return self.running(pick, count) or self.claim("default", "anybody", count, 30)

    def ever_leased(self, pick: int) -> list[Held]:
        return [self.leases[-1 - pick % len(self.leases)]] if self.leases else []

    def dated(self, row: NewJob, expires_in: float | None) -> NewJob:
        """The same request with an expiry by the world's clock."""
        return row if expires_in is None else replace(row, expires_at=self.spec.now + timedelta(seconds=expires_in))

    # A tenant's jobs

    def enqueue(self, tenant: UUID, rows: Sequence[NewJob]) -> None:
        answers = self.store.run(Enqueue(tenant, rows), actor=CALLER)
        expected = self.spec.enqueue(tenant, rows)
        same([(a.outcome, a.error_code) for a in answers], [(e.outcome, e.error_code) for e in expected])
        for answer, (outcome, life, _) in zip(answers, expected, strict=True):
            if outcome == "created" and life is not None:
                assert life.id in (None, answer.job_id)
                life.id = answer.job_id
        same([a.job_id for a in answers], [e.life.id if e.life else None for e in expected])

    def cancel(self, life: Life, reason: str | None) -> None:
        assert life.id is not None
        [moved] = self.store.cancel(life.tenant_id, [life.id], reason=reason)
        same((moved.job_id, moved.outcome), (life.id, self.spec.cancel(life, reason)))
        same(moved.status, life.status)

    def retry(self, life: Life, max_attempts: int | None) -> None:
        assert life.id is not None
        [moved] = self.store.retry(life.tenant_id, [life.id], max_attempts=max_attempts)
        same((moved.outcome, moved.status), (self.spec.retry(life, max_attempts), life.status))

    def reschedule(self, life: Life, delay_seconds: float) -> None:
        assert life.id is not None
        [moved] = self.store.reschedule(life.tenant_id, [life.id], delay_seconds=delay_seconds)
        same((moved.outcome, moved.status), (self.spec.reschedule(life, delay_seconds), life.status))

    def edit(self, life: Life, changes: Document, expires_in: float | None = None) -> None:
        """Change a job; `expires_in` stands for a time from now."""
        assert life.id is not None
        expires_at = None if expires_in is None else self.spec.now + timedelta(seconds=expires_in)
        told = changes if expires_at is None else {**changes, "expires_at": expires_at.isoformat()}
        meant = changes if expires_at is None else {**changes, "expires_at": expires_at}
        moved = self.store.edit(life.tenant_id, life.id, told)
        same((moved.outcome, moved.status), (self.spec.edit(life, meant), life.status))

    # Leases

    def claim(self, queue: str, worker_id: str, limit: int, lease_seconds: int, *, begun: bool = True) -> list[Held]:
        """A tenth of a second has passed since the last one, so that the lane's own clock moves along."""
        self.advance(0.1)
        asked = Asked(queue, worker_id, limit, lease_seconds, begun)
        self.fairness.before(self.spec, asked)
        if begun:
            claimed = self.store.claim(queue, worker_id, limit=limit, lease_seconds=lease_seconds)
        else:
            claimed = held(self.store.claim_encoded(queue, worker_id, limit=limit, lease_seconds=lease_seconds))
        chosen = follow_claim(self.spec, asked, claimed, self.seen())
        self.fairness.after(self.spec, asked, chosen)
        self.leases += claimed.leases
        return claimed.leases

    def renew(self, leases: Sequence[Held], lease_seconds: int, progress: float | None) -> None:
        given = [progress for _ in leases]
        answers = self.store.renew(leases, lease_seconds=lease_seconds, progress=given)
        expected = {lease.seq: self.spec.renew(lease, lease_seconds, progress) for lease in leases}
        assert {answer.seq: answer.answer for answer in answers} == expected
        until = self.spec.now + timedelta(seconds=lease_seconds)
        assert all(answer.answer == "gone" or answer.lease_expires_at == until for answer in answers)

    def renew_all(self, leases: Sequence[Held], progress: float | None, *, begun: bool) -> None:
        seqs = [lease.seq for lease in leases]
        answers = self.store.renew_all(
            leases,
            lease_seconds=30,
            begun=seqs if begun else [],
            progress=dict.fromkeys(seqs, (progress, None)),
        )
        expected = {lease.seq: self.spec.renew_all(lease, 30, progress, begun=begun) for lease in leases}
        same(dict(answers), {seq: answer for seq, answer in expected.items() if answer != "renewed"})

    def settle(self, settlements: Sequence[Settlement], max_interruptions: int = 20) -> None:
        answers = self.store.settle(settlements, max_interruptions=max_interruptions)
        expected = self.spec.settle(settlements, max_interruptions)
        told = {(answer.seq, answer.attempt_no): (answer.accepted, answer.status) for answer in answers}
        asked = [(said.lease.seq, said.lease.attempt_no) for said in settlements]
        same(told, dict(zip(asked, expected, strict=True)))

    def release(self, settlements: Sequence[Settlement]) -> None:
        """All for the same reason and time."""
        first = settlements[0]
        leases, after = [said.lease for said in settlements], first.ending.retry_after or 0
        answers = self.store.release(leases, reason=first.ending.reason or "shutdown", after=after)
        expected = self.spec.settle(settlements)
        told = {answer.seq: (answer.accepted, answer.status) for answer in answers}
        same(told, dict(zip([lease.seq for lease in leases], expected, strict=True)))

    # Upkeep

    def promote(self) -> None:
        same(self.store.promote(), self.spec.promote())

    def reap(self) -> None:
        same(self.store.reap(), self.spec.reap())

    def expire(self) -> None:
        same(self.store.expire(), self.spec.expire())

    def sweep(self) -> None:
        same(self.store.sweep(), self.spec.sweep())

    def tidy(self) -> None:
        self.store.tidy()
        self.spec.tidy()

    # What the operator sets

    def pause_tenant(self, tenant: UUID) -> None:
        same(self.store.run(PauseTenants([tenant]), actor=CALLER), [tenant])
        self.spec.tenants[tenant].paused = True

    def resume_tenant(self, tenant: UUID) -> None:
        same(self.store.resume_tenants([tenant]), [tenant])
        self.spec.tenants[tenant].paused = False
        self.spec.sweep(("t", str(tenant)))

    def limit_tenant(self, tenant: UUID, name: str, limit: int | None) -> None:
        self.store.set_tenant(tenant, {name: limit})
        setattr(self.spec.tenants[tenant], name, limit)
        self._count_what_runs()

    def change_definition(self, key: str, name: str, value: int | bool | None) -> None:
        self.store.put_definitions([{"key": key, name: value}])
        setattr(self.spec.definitions[key], name, value)
        self._count_what_runs()
        self.spec.sweep(("d", key))

    def _count_what_runs(self) -> None:
        """A limit counts what ran before it was set."""
        for life in self.spec.at(Place.LEASED):
            assert life.run is not None
            life.run.counted_by |= {gate for _, gate, _ in self.spec.limits(life)}

    def pause_queue(self, queue: str, *, paused: bool) -> None:
        same(self.store.run(PauseQueues([queue]) if paused else ResumeQueues([queue]), actor=CALLER), [queue])
        self.spec.paused_queues[queue] = paused

    def change_command(self, key: str) -> None:
        """Every worker that knows it has to compare it again."""
        policy = self.spec.definitions[key]
        policy.command = {**(policy.command or {}), "argv": [str(self.steps)]}
        self.store.put_definitions([{"key": key, "command": policy.command}])
        for hand in self.spec.workers.values():
            hand.forget(key)
        self.spec.sweep(("d", key))

    def register(
        self,
        worker_id: str,
        queues: Sequence[str],
        definitions: Sequence[str] | None,
        mismatched: Sequence[str] = (),
    ) -> None:
        worker = NewWorker(
            worker_id=worker_id,
            queues=queues,
            definitions=definitions,
            commands=definitions or (),
            mismatched=mismatched,
        )
        self.store.register_worker(worker)
        known = None if definitions is None else frozenset(definitions)
        hand = Hand(frozenset(queues), known, self.spec.now, frozenset(mismatched))
        self.spec.workers[worker_id] = hand
        self.spec.let_in(hand)

    def deregister(self, worker_id: str) -> None:
        same(self.store.deregister_worker(worker_id), self.spec.workers.pop(worker_id, None) is not None)

    # Time and chance

    def advance(self, seconds: float) -> None:
        self.clock.advance(seconds)
        self.spec.now += timedelta(seconds=seconds)

    def lose(self) -> None:
        """Every worker is gone, and the reaper comes."""
        self.advance(30.001)
        self.reap()
        self.check()

    def load_dice(self, value: float) -> None:
        self.clock.load_dice(value)
        self.spec.dice = value
