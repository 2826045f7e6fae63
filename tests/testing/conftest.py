from __future__ import annotations

import pytest

from jobplane.testing import Sandbox
from tests.testing import shop


@pytest.fixture(params=["sqlite", "postgres"])
def jobs(request: pytest.FixtureRequest) -> Sandbox:
    """The shop on a database of the test's own, on each store in turn."""
    sandbox: Sandbox = request.getfixturevalue(f"jobplane_{request.param}")
    return sandbox.host(shop.jp, shop.ledger)
