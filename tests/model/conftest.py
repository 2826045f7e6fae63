from __future__ import annotations

from collections.abc import Generator

import pytest

from tests.database import Cluster
from tests.model import stores
from tests.model.stage import Opening
from tests.model.world import World


@pytest.fixture(scope="module", params=stores.NAMES)
def fresh(cluster: Cluster, request: pytest.FixtureRequest) -> Generator[Opening]:
    with stores.opened(request.param, cluster) as fresh:
        yield fresh


@pytest.fixture
def world(fresh: Opening) -> Generator[World]:
    with fresh() as world:
        yield world
