"""Where the histories are played: the stores, each with the specification beside it, compared after each step."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, ExitStack
from itertools import product
from typing import ClassVar, Final

from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant

from jobplane.core.leases import Settlement
from jobplane.core.model import NewJob
from tests.model.agreement import agree
from tests.model.cast import DEFINITIONS, TENANTS
from tests.model.world import World

Opening = Callable[[], AbstractContextManager[World]]
LIVES: Final = len(TENANTS) * len(DEFINITIONS)


class Stage(RuleBasedStateMachine):
    """Every rule is told to each world; a world is one store with its own copy of the specification.

    A copy, because two stores may choose differently: between tags that are equal, in which claim a lower priority has
    its share, and so which jobs come back to a slot. Each choice is judged, and then its own copy follows it.

    No rule has a precondition: what is drawn then never depends on what a store has chosen, and the same seed is the
    same history.
    """

    openings: ClassVar[Sequence[Opening]] = ()

    def __init__(self) -> None:
        super().__init__()
        self.stack = ExitStack()
        self.worlds: list[World] = []
        self.said: dict[int, tuple[list[Settlement], int]] = {}

    @initialize(counts=st.lists(st.integers(1, 3), min_size=LIVES, max_size=LIVES))
    def open(self, counts: list[int]) -> None:
        """Some jobs are there at the start, so that a short history has something to move."""
        self.worlds = [self.stack.enter_context(opening()) for opening in self.openings]
        for world in self.worlds:
            for (tenant, definition), count in zip(product(world.tenants, DEFINITIONS), counts, strict=True):
                world.enqueue(tenant, [NewJob(definition=definition) for _ in range(count)])
            world.enqueue(world.tenants[0], [NewJob(definition="mail", priority=0, dedupe_key="a")])

    def teardown(self) -> None:
        with self.stack:
            for world in self.worlds:
                world.check_whole()

    @invariant()
    def the_stores_do_what_the_specification_says(self) -> None:
        for world in self.worlds:
            world.check()
        agree(self.worlds)
