"""What workers do, the lost and the late ones too."""

from __future__ import annotations

from hypothesis import strategies as st
from hypothesis.stateful import rule

from jobplane.core.leases import Settlement
from jobplane.core.model import Document, Outcome
from tests.leases import Held, settlement
from tests.model.cast import QUEUES
from tests.model.draws import outcomes, picks, queues, reasons, releases, soon, workers
from tests.model.stage import Stage
from tests.model.world import World


class WorkerRules(Stage):
    @rule(
        queue=queues,
        worker=workers,
        limit=st.integers(1, 6),
        lease_seconds=st.sampled_from([5, 30]),
        begun=st.booleans(),
    )
    def claim(self, queue: str, worker: str, limit: int, lease_seconds: int, begun: bool) -> None:
        for world in self.worlds:
            world.promote()
            world.claim(queue, worker, limit, lease_seconds, begun=begun)

    @rule(queue=queues, limit=st.integers(1, 3), outcome=outcomes, reason=reasons)
    def work(self, queue: str, limit: int, outcome: Outcome, reason: str | None) -> None:
        """What comes due, a claim, and how it ended."""
        for world in self.worlds:
            world.promote()
            leases = world.claim(queue, "anybody", limit, 30)
            self._settle(world, [settlement(lease=lease, outcome=outcome, reason=reason) for lease in leases])

    @rule(queue=queues, limit=st.integers(1, 20), ends=st.lists(outcomes, min_size=1, max_size=4))
    def work_through(self, queue: str, limit: int, ends: list[Outcome]) -> None:
        """A large claim, of which each ends in its own way and some run on."""
        for world in self.worlds:
            world.promote()
            leases = world.claim(queue, "anybody", limit, 30)
            self._settle(
                world, [settlement(lease=lease, outcome=end) for lease, end in zip(leases, ends * 3, strict=False)]
            )

    @rule(pick=picks, count=st.integers(1, 3), progress=st.sampled_from([None, 0.25, 0.5]))
    def renew(self, pick: int, count: int, progress: float | None) -> None:
        for world in self.worlds:
            if leases := world.busy(pick, count):
                world.renew(leases, 30, progress)

    @rule(pick=picks, count=st.integers(1, 3), progress=st.sampled_from([None, 0.25, 0.5]), begun=st.booleans())
    def renew_all(self, pick: int, count: int, progress: float | None, begun: bool) -> None:
        for world in self.worlds:
            world.renew_all([*world.busy(pick, count), *world.ever_leased(pick)][:count], progress, begun=begun)

    @rule(
        pick=picks,
        count=st.integers(1, 3),
        outcome=outcomes,
        reason=reasons,
        retry_after=st.sampled_from([None, None, 0.0, 2.5]),
        result=st.sampled_from([None, {"files": 12}, 7]),
        most=st.sampled_from([20, 1]),
    )
    def settle(
        self,
        pick: int,
        count: int,
        outcome: Outcome,
        reason: str | None,
        retry_after: float | None,
        result: int | Document | None,
        most: int,
    ) -> None:
        for world in self.worlds:
            self._settle(
                world,
                [
                    settlement(
                        lease=lease,
                        outcome=outcome,
                        reason=reason,
                        retry_after=retry_after,
                        result=result,
                        error="it broke" if outcome is Outcome.FAILED else None,
                        exit_code=3 if outcome is Outcome.FATAL else None,
                        progress=0.75 if result else None,
                    )
                    for lease in world.busy(pick, count)
                ],
                most,
            )

    def _settle(self, world: World, said: list[Settlement], most: int = 20) -> None:
        if said:
            world.settle(said, most)
            self.said[id(world)] = (said, most)

    @rule()
    def settle_again(self) -> None:
        """A worker that did not hear the answer asks again."""
        for world in self.worlds:
            if id(world) in self.said:
                world.settle(*self.said[id(world)])

    @rule(pick=picks, outcome=outcomes, reason=reasons)
    def come_late(self, pick: int, outcome: Outcome, reason: str | None) -> None:
        """Any lease that there ever was: most are stale."""
        for world in self.worlds:
            late = world.ever_leased(pick)
            world.renew(late, 30, None)
            world.settle([settlement(lease=lease, outcome=outcome, reason=reason) for lease in late])

    @rule(pick=picks, outcome=outcomes, reason=reasons)
    def come_back_from_the_dead(self, pick: int, outcome: Outcome, reason: str | None) -> None:
        """A worker is taken for lost, others run its jobs, and then it speaks."""
        for world in self.worlds:
            late = world.busy(pick, 3)
            world.lose()
            world.advance(1)
            world.promote()
            for queue in ("default", *QUEUES):
                world.claim(queue, "anybody", 20, 30)
            world.renew(late, 30, 0.5)
            world.settle([settlement(lease=lease, outcome=outcome, reason=reason) for lease in late])

    @rule(pick=picks, count=st.integers(1, 3), reason=releases, after=soon)
    def release(self, pick: int, count: int, reason: str, after: float) -> None:
        for world in self.worlds:
            leases = world.busy(pick, count)
            if leases:
                world.release([_released(lease, reason, after) for lease in leases])


def _released(lease: Held, reason: str, after: float) -> Settlement:
    return settlement(lease=lease, outcome=Outcome.RELEASED, reason=reason, retry_after=after)
