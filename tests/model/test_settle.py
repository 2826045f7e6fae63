"""Every store ends an attempt as `decide` says, over the whole product of what a decision looks at."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import product
from typing import Final

from jobplane.core.leases import Settlement
from jobplane.core.lifecycle import decide
from jobplane.core.model import JobStatus, NewJob, Outcome
from tests.leases import Held, settlement
from tests.model.life import Life
from tests.model.world import World

BUDGETS: Final = (1, 3)
INTERRUPTIONS: Final = (0, 1)
CANCELS: Final = ("no", "asked", "asked for a reason")
REASONS: Final = (None, "shutdown", "suspect", "stuck", "disk full")
RELEASES: Final = ("neighbour", "lost_contact", "lease_expired", "unstarted")
AFTERS: Final = (None, 2.5)
CASES: Final = [
    *product(Outcome, REASONS, AFTERS, BUDGETS, INTERRUPTIONS, CANCELS),
    *product([Outcome.RELEASED], RELEASES, AFTERS, BUDGETS, INTERRUPTIONS, CANCELS),
]


def test_settle_agrees_with_the_rule_of_the_outcomes(world: World) -> None:
    tenant = world.tenants[0]
    budgets = [3 if case[4] else case[3] for case in CASES]
    world.enqueue(
        tenant,
        [NewJob(definition="mail", payload={"case": n}, max_attempts=most) for n, most in enumerate(budgets)],
    )
    world.load_dice(0.25)
    lives = {int(str(life.payload["case"])): life for life in world.spec.lives}
    interrupt(world, claim_all(world), lives)
    for n, (*_, cancel) in enumerate(CASES):
        if cancel != "no":
            world.cancel(lives[n], None if cancel == "asked" else "wrong file")

    settlements = [said_of(lives[n], *case[:3]) for n, case in enumerate(CASES)]
    expected = [
        decide(
            life.leased(),
            said.ending.outcome,
            reason=said.ending.reason,
            retry_after=said.ending.retry_after,
            dice=0.25,
            max_interruptions=1,
        )
        for life, said in zip(lives.values(), settlements, strict=True)
    ]
    world.settle(settlements, max_interruptions=1)

    world.check()
    assert {ending.status for ending in expected} == set(JobStatus) - {JobStatus.RUNNING}
    assert [lives[n].status for n in range(len(CASES))] == [ending.status for ending in expected]
    world.advance(60)
    world.promote()
    again = {lease.job_id: lease for lease in claim_all(world)}
    for life, ending in zip(lives.values(), expected, strict=True):
        if ending.status is JobStatus.QUEUED and life.id is not None:
            assert (again[life.id].alone, again[life.id].attempts_left) == (ending.alone, ending.attempts_left - 1)
    world.check_whole()


def claim_all(world: World) -> list[Held]:
    return world.claim("default", "anybody", 1000, 30)


def interrupt(world: World, leases: list[Held], lives: Mapping[int, Life]) -> None:
    """Those that shall have an interruption are released once, and may start once more at most; then all run."""
    given_back = [lease for lease in leases if CASES[int(str(lease.payload["case"]))][4]]
    world.release(
        [settlement(lease=lease, outcome=Outcome.RELEASED, reason="shutdown", retry_after=0) for lease in given_back]
    )
    for n, (*_, budget, interrupted, _) in enumerate(CASES):
        if interrupted and budget < 3:
            world.edit(lives[n], {"max_attempts": budget})
    world.promote()
    claim_all(world)


def said_of(life: Life, outcome: Outcome, reason: str | None, retry_after: float | None) -> Settlement:
    assert life.run is not None
    return settlement(lease=life.run.lease, outcome=outcome, reason=reason, retry_after=retry_after)
