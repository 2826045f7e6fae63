"""What tenants do to their jobs."""

from __future__ import annotations

from hypothesis import strategies as st
from hypothesis.stateful import rule

from jobplane.core.model import Document, NewJob
from tests.model.draws import changes, definitions, picks, reasons, rows, soon, tenants
from tests.model.stage import Stage


class TenantRules(Stage):
    @rule(tenant=tenants, batch=st.lists(rows(), min_size=1, max_size=3), expires_in=st.none() | soon)
    def enqueue(self, tenant: int, batch: list[NewJob], expires_in: float | None) -> None:
        for world in self.worlds:
            world.enqueue(world.tenants[tenant], [world.dated(row, expires_in) for row in batch])

    @rule(tenant=tenants, definition=definitions, count=st.integers(2, 12))
    def enqueue_plain_ones(self, tenant: int, definition: str, count: int) -> None:
        for world in self.worlds:
            world.enqueue(world.tenants[tenant], [NewJob(definition=definition) for _ in range(count)])

    @rule(pick=picks, n=st.integers(0, 1))
    def enqueue_an_id_again(self, pick: int, n: int) -> None:
        for world in self.worlds:
            for life in world.some(pick):
                world.enqueue(life.tenant_id, [NewJob(definition="mail", id=life.id, payload={"n": n})])

    @rule(pick=picks, reason=reasons)
    def cancel(self, pick: int, reason: str | None) -> None:
        for world in self.worlds:
            for life in world.some(pick):
                world.cancel(life, reason)

    @rule(pick=picks)
    def cancel_what_runs(self, pick: int) -> None:
        for world in self.worlds:
            for lease in world.busy(pick, 1):
                if life := world.spec.owner(lease):
                    world.cancel(life, "stop")

    @rule(pick=picks, ended=st.sampled_from([True, True, None]), max_attempts=st.none() | st.integers(1, 3))
    def retry(self, pick: int, ended: bool | None, max_attempts: int | None) -> None:
        for world in self.worlds:
            for life in world.some(pick, ended=ended):
                world.retry(life, max_attempts)

    @rule(pick=picks, delay=soon)
    def reschedule(self, pick: int, delay: float) -> None:
        for world in self.worlds:
            for life in world.some(pick):
                world.reschedule(life, delay)

    @rule(pick=picks, changed=changes(), expires_in=st.none() | soon)
    def edit(self, pick: int, changed: Document, expires_in: float | None) -> None:
        for world in self.worlds:
            for life in world.some(pick):
                world.edit(life, changed, expires_in)
