"""The cast of the stress: what each of its threads does in one turn, and what all of them write down."""

from __future__ import annotations

import random
import time
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple
from uuid import UUID

import psycopg

from tests.races.hands import Admin, App, Lease, Worker
from tests.races.stage import Stage

OUTCOMES = ("succeeded", "failed", "fatal", "released", "timeout")
ODDS = (6, 2, 0.2, 0.5, 0.3)
DEFINITION_INACTIVE = "JP005"


class Made(NamedTuple):
    tenant: UUID
    job_id: UUID

    @property
    def may_be_canceled(self) -> bool:
        """One half is canceled, the other retried, so that a cancel is the last word."""
        return self.job_id.int % 2 == 0


@dataclass
class Record:
    """What was acknowledged, and what was wrong."""

    made: list[Made] = field(default_factory=list[Made])
    canceled: set[UUID] = field(default_factory=set[UUID])
    wrong: list[str] = field(default_factory=list[str])
    answers: Counter[str] = field(default_factory=Counter[str])

    def recent(self, chance: random.Random, n: int, *, cancelable: bool) -> Made | None:
        found = [made for made in self.made[-n:] if made.may_be_canceled is cancelable]
        return chance.choice(found) if found else None


@dataclass
class Player:
    """One thread's hands and chance."""

    stage: Stage
    record: Record
    tenants: Sequence[UUID]
    chance: random.Random
    apps: dict[UUID, App] = field(default_factory=dict[UUID, App])

    def __post_init__(self) -> None:
        self.worker: Worker = self.stage.worker()
        self.admin = Admin(self.stage.db.connect("admin"))
        shared = self.stage.app(in_transaction=False)
        self.apps = {tenant: App(shared.conn, tenant) for tenant in self.tenants}

    def maybe(self, value: str, odds: float = 0.33) -> str | None:
        return value if self.chance.random() < odds else None


Turn = Callable[[Player], None]


def produce(me: Player) -> None:
    tenant, n = me.chance.choice(me.tenants), me.chance.randrange
    options: dict[str, object] = {
        "dedupe_key": me.maybe(f"d{n(40)}"),
        "idempotency_key": me.maybe(f"i{n(10**6)}"),
        "priority": me.chance.choice([None, None, 10, 900]),
        "delay_seconds": me.chance.choice([None, None, None, 0.2]),
    }
    try:
        answer = me.apps[tenant].enqueue(me.chance.choice("dde"), **options)
    except psycopg.DatabaseError as error:
        if error.sqlstate != DEFINITION_INACTIVE:
            raise
    else:
        if answer.created:
            me.record.made.append(Made(tenant, answer.job_id))
    time.sleep(0.004)


def transact(me: Player) -> None:
    """A long transaction of an application that enqueues and cancels, and may roll back."""
    tenant = me.chance.choice(me.tenants)
    app, target = me.apps[tenant], me.record.recent(me.chance, 40, cancelable=True)
    with app.conn.transaction() as transaction:
        mine = [
            Made(tenant, app.enqueue(dedupe_key=me.maybe(f"d{me.chance.randrange(40)}", 0.1)).job_id) for _ in range(3)
        ]
        mine += [Made(tenant, row.job_id) for row in app.enqueue_many(20) if row.job_id]
        answer = me.apps[target.tenant].cancel(target.job_id) if target and target.tenant == tenant else "none"
        time.sleep(0.05)
        if me.chance.random() < 0.3:
            transaction.force_rollback = True
    if not transaction.force_rollback:
        me.record.made += mine
        if target and answer in {"canceled", "requested"}:
            me.record.canceled.add(target.job_id)


def work(me: Player) -> None:
    leases = me.worker.claim(me.chance.choice([1, 3, 10, 40]), lease_seconds=5)
    if not leases:
        time.sleep(0.004)
        return
    if me.chance.random() < 0.05:
        return  # vanished
    if me.chance.random() < 0.2:
        me.worker.renew(leases)
    outcomes = [me.chance.choices(OUTCOMES, ODDS)[0] for _ in leases]
    _settle_twice(me, leases, outcomes)


def _settle_twice(me: Player, leases: list[Lease], outcomes: list[str]) -> None:
    first = me.worker.settle(leases, outcomes)
    me.record.answers.update(f"settle {answer.accepted}" for answer in first)
    if sorted(answer.seq for answer in first) != sorted(lease.seq for lease in leases):
        me.record.wrong.append(f"settle of {len(leases)} has {len(first)} answers")
    if me.chance.random() < 0.1:
        again = {answer.seq: answer for answer in me.worker.settle(leases, outcomes)}
        me.record.wrong += [f"{a} then {again[a.seq]}" for a in first if a.accepted and again[a.seq] != a]


def reap(me: Player) -> None:
    me.worker.call("reap", 50)
    time.sleep(0.03)


def upkeep(me: Player) -> None:
    for verb, argument in (("promote", 500), ("sweep", 200), ("expire", 100), ("tick", me.chance.random() < 0.3)):
        me.worker.call(verb, argument)
    if me.chance.random() < 0.2:
        me.worker.call("tidy")
    time.sleep(0.02)


def cancel(me: Player) -> None:
    target = me.record.recent(me.chance, 80, cancelable=True)
    if target:
        answer = me.apps[target.tenant].cancel(target.job_id)
        me.record.answers[f"cancel {answer}"] += 1
        if answer in {"canceled", "requested"}:
            me.record.canceled.add(target.job_id)
    time.sleep(0.005)


def change(me: Player) -> None:
    """A person retries, edits or reschedules."""
    target = me.record.recent(me.chance, 400, cancelable=False)
    if target:
        app = me.apps[target.tenant]
        moves = {
            "retry": lambda: app.retry(target.job_id),
            "edit": lambda: app.edit(target.job_id, priority=me.chance.choice([10, 100, 900])),
            "reschedule": lambda: app.reschedule(target.job_id, 0.1),
        }
        verb = me.chance.choice(list(moves))
        me.record.answers[f"{verb} {moves[verb]()}"] += 1
    time.sleep(0.005)


def pause(me: Player) -> None:
    """An admin pauses a tenant with a limit, or one without, or stops a definition, and lets it go on."""
    tenant = me.chance.choice(me.tenants[3:5])
    me.admin.run("select jobplane.pause_tenants(%s)", [tenant])
    time.sleep(0.1)
    me.admin.run("select jobplane.resume_tenants(%s)", [tenant])
    me.admin.define("e", active=False)
    time.sleep(0.05)
    me.admin.define("e", active=True)
    time.sleep(0.2)
