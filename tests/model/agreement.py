"""The stores against each other: what the specification leaves unsaid, all of them say alike.

Two stores may choose differently in a claim, and then their jobs go different ways. As long as the same jobs stand at
the same places, every reader must see the same.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Final
from uuid import UUID

from jobplane.core.model import Job
from tests.clock import START
from tests.model.comparison import same
from tests.model.life import Life, Place
from tests.model.world import World

NOBODY: Final = UUID(int=0)


def agree(worlds: Sequence[World]) -> int:
    """Hold the others to the first; how many of them are in step with it."""
    first, *others = worlds
    beside = [world for world in others if in_step(world, first)]
    for world in beside:
        same(readings(world), readings(first))
    return len(beside)


def in_step(one: World, other: World) -> bool:
    """Whether the same jobs stand at the same places; their ids are each store's own."""
    return [_place(life) for life in one.spec.lives] == [_place(life) for life in other.spec.lives]


def _place(life: Life) -> tuple[Place, Job]:
    return life.place, replace(life.shown(), id=NOBODY)


def readings(world: World) -> object:
    """What a store tells of its plane as a whole, another part at each step.

    PostgreSQL writes `created_at` by the machine's own clock. How long the oldest job waits is told
    by the head of a line, and where a job came back into a line each store may have another one there.
    """
    store = world.store
    match world.steps % 5:
        case 0:
            return [replace(store.summary(tenant), oldest_due_seconds=None) for tenant in world.tenants]
        case 1:
            return store.queues()
        case 2:
            return [replace(tenant, created_at=START, updated_at=START) for tenant in store.tenants()]
        case 3:
            return [replace(definition, created_at=START, id=NOBODY) for definition in store.definitions()]
        case _:
            return store.workers()
