from __future__ import annotations

from collections.abc import Generator

import pytest

from jobplane.store.base import Store
from tests.conformance.backend import FEATURES, Audit, PostgresAudit
from tests.conformance.factory import Factory
from tests.database import Database


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line("markers", "needs(feature, ...): skip where the store under test lacks one of these")


@pytest.fixture
async def make(store: Store) -> Factory:
    return await Factory.cast(store)


@pytest.fixture
def audit(db: Database) -> Audit:
    return PostgresAudit(db)


@pytest.fixture(autouse=True)
def one_state(audit: Audit) -> Generator[None]:
    """Whatever a test did, each job is in one state, each limit counts its leases, and no key outlives its job."""
    yield
    assert audit.faults() == []


@pytest.fixture(autouse=True)
def needs(request: pytest.FixtureRequest) -> None:
    """Skip by feature, never by backend."""
    for mark in request.node.iter_markers("needs"):
        if missing := set(mark.args) - FEATURES:
            pytest.skip(f"this store has no {', '.join(sorted(missing))}")
