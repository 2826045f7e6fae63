from __future__ import annotations

from jobplane.core.model import DEFAULT_TENANT, NewJob
from tests.client import PostgresStore
from tests.clock import Clock
from tests.database import Database


async def test_no_number_of_attempts_overflows_and_none_waits_longer_than_the_cap(
    db: Database, store: PostgresStore, clock: Clock
) -> None:
    """The steepest policy that a definition may have, up to the largest budget."""
    steep = {"base": 86_400, "factor": 100, "cap": 2_592_000, "jitter": 1}
    await store.put_definitions([{"key": "d", "kind": "python", "backoff": steep}])
    await store.enqueue(DEFAULT_TENANT, [NewJob(definition="d")])
    for dice, longest in ((0, 2_592_000), (0.75, 648_000)):
        clock.load_dice(dice)

        found = db.peek("select jobplane.backoff_delay(j, n) from jobplane.jobs j, generate_series(1, 1000) n")

        assert {row[0] for row in found[1:]} == {longest}
