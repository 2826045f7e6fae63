"""What the operator sets, what the upkeep does, and how time passes."""

from __future__ import annotations

from hypothesis import strategies as st
from hypothesis.stateful import rule

from tests.model.draws import definitions, limits, queues, rarely, tenants
from tests.model.stage import Stage


class OperatorRules(Stage):
    # Upkeep

    @rule(verb=st.sampled_from(["promote", "reap", "expire", "sweep", "tidy"]))
    def keep_up(self, verb: str) -> None:
        for world in self.worlds:
            getattr(world, verb)()

    @rule(full=st.booleans())
    def tick(self, full: bool) -> None:
        for world in self.worlds:
            world.store.tick(full=full)

    @rule()
    def lose_workers(self) -> None:
        """Nobody renews for a while."""
        for world in self.worlds:
            world.lose()

    # What the operator sets

    @rule(tenant=tenants, paused=rarely)
    def pause_or_resume_a_tenant(self, tenant: int, paused: bool) -> None:
        for world in self.worlds:
            change = world.pause_tenant if paused else world.resume_tenant
            change(world.tenants[tenant])

    @rule(queue=queues, paused=rarely)
    def pause_or_resume_a_queue(self, queue: str, paused: bool) -> None:
        for world in self.worlds:
            world.pause_queue(queue, paused=paused)

    @rule(tenant=tenants, name=st.sampled_from(["max_in_flight", "max_in_flight", "max_pending"]), limit=limits)
    def limit_a_tenant(self, tenant: int, name: str, limit: int | None) -> None:
        for world in self.worlds:
            world.limit_tenant(world.tenants[tenant], name, limit)

    @rule(key=definitions, name=st.sampled_from(["max_running", "max_running_per_tenant"]), limit=limits)
    def limit_a_definition(self, key: str, name: str, limit: int | None) -> None:
        for world in self.worlds:
            world.change_definition(key, name, limit)

    @rule(key=definitions, limit=st.integers(1, 2))
    def outrun_a_limit(self, key: str, limit: int) -> None:
        """Workers that hang keep their slots: a lease that ran out counts until it is reaped."""
        for world in self.worlds:
            world.change_definition(key, "max_running", limit)
            world.check()
            for _ in range(2):
                world.claim(world.spec.definitions[key].queue, "anybody", 6, 30)
                world.advance(30.001)

    @rule(key=definitions, inactive=rarely)
    def switch_a_definition(self, key: str, inactive: bool) -> None:
        for world in self.worlds:
            world.change_definition(key, "active", not inactive)

    @rule(
        worker=st.sampled_from(["mailer", "generalist"]),
        queue=queues,
        known=st.sampled_from([None, ["mail"], ["mail", "script"], ["sync", "report"]]),
        mismatched=st.sampled_from([[], [], ["script"], ["mail"]]),
        gone=rarely,
    )
    def register_or_deregister(
        self, worker: str, queue: str, known: list[str] | None, mismatched: list[str], gone: bool
    ) -> None:
        for world in self.worlds:
            if gone:
                world.deregister(worker)
            else:
                world.register(worker, [queue], known, mismatched)

    @rule()
    def change_a_command(self) -> None:
        for world in self.worlds:
            world.change_command("script")

    # Time and chance

    @rule(seconds=st.sampled_from([0.001, 0.5, 1.0, 5.0, 29.0, 61.0, 3600.0]), dice=st.sampled_from([0.0, 0.25, 0.75]))
    def let_time_pass(self, seconds: float, dice: float) -> None:
        for world in self.worlds:
            world.advance(seconds)
            world.load_dice(dice)
