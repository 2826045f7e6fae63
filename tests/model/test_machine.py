"""Random histories: the stores and the specification agree on every job after every step."""

from __future__ import annotations

import os
from functools import partial

import pytest
from hypothesis import HealthCheck, Phase, settings
from hypothesis.stateful import run_state_machine_as_test

from tests.database import Cluster
from tests.model import stores
from tests.model.machine import Lives

DEEP = bool(os.environ.get("JOBPLANE_TEST_DEEP"))
EVERYDAY = settings(
    max_examples=6,
    stateful_step_count=50,
    derandomize=True,
    deadline=None,
    database=None,
    phases=[Phase.generate],  # to shrink takes longer than the test may; the deep run does it
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large, HealthCheck.filter_too_much],
)
THOROUGH = settings(
    EVERYDAY, max_examples=120, derandomize=False, print_blob=True, phases=[Phase.generate, Phase.shrink]
)


@pytest.mark.timeout(3600 if DEEP else 120)
@pytest.mark.parametrize("name", stores.NAMES)
def test_a_store_does_what_the_specification_says(cluster: Cluster, name: str) -> None:
    class OnOneStore(Lives):
        openings = (partial(stores.fresh, name, cluster),)

    run_state_machine_as_test(OnOneStore, settings=THOROUGH if DEEP else EVERYDAY)


@pytest.mark.skipif(not DEEP, reason="each store is told the same alone; together takes the time of both")
@pytest.mark.timeout(3600)
def test_all_stores_together_do_what_the_specification_says(cluster: Cluster) -> None:
    class OnEveryStore(Lives):
        openings = tuple(partial(stores.fresh, name, cluster) for name in stores.NAMES)

    run_state_machine_as_test(OnEveryStore, settings=THOROUGH)
