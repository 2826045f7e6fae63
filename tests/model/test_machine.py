"""Random histories: the stores and the specification agree on every job after every step."""

from __future__ import annotations

import os
from contextlib import ExitStack

import pytest
from hypothesis import Phase, settings
from hypothesis.stateful import run_state_machine_as_test

from tests.database import Cluster
from tests.model import stores
from tests.model.machine import Lives
from tests.model.search import SHORT

DEEP = bool(os.environ.get("JOBPLANE_TEST_DEEP"))
EVERYDAY = settings(SHORT, max_examples=6)  # 300 steps
THOROUGH = settings(
    SHORT, max_examples=110, derandomize=False, print_blob=True, phases=[Phase.generate, Phase.shrink]
)  # 5,500 steps


@pytest.mark.timeout(3600 if DEEP else 300)
def test_the_stores_do_what_the_specification_says(cluster: Cluster) -> None:
    with ExitStack() as stack:

        class OnEveryStore(Lives):
            openings = tuple([stack.enter_context(stores.opened(name, cluster)) for name in stores.NAMES])

        run_state_machine_as_test(OnEveryStore, settings=THOROUGH if DEEP else EVERYDAY)
