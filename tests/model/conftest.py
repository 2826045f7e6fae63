from __future__ import annotations

from collections.abc import Generator

import pytest

from tests.database import Cluster
from tests.model import stores
from tests.model.world import World


@pytest.fixture(params=stores.NAMES)
def world(cluster: Cluster, request: pytest.FixtureRequest) -> Generator[World]:
    with stores.fresh(request.param, cluster) as world:
        yield world
