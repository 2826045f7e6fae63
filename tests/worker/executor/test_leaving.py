from __future__ import annotations

import pytest

from tests.api.conftest import point_at
from tests.database import Database
from tests.worker.executor.driver import Driver, row
from tests.worker.executor.parents import jp


def test_an_executor_that_enqueued_leaves_no_pool_behind(db: Database, monkeypatch: pytest.MonkeyPatch) -> None:
    """One that is open while Python takes its modules down is waited for: up to 20 s on Python 3.13."""
    point_at(db, monkeypatch)
    with jp:
        jp.sync()
    with Driver("tests.worker.executor.parents", "tests.worker.executor.leaving") as driver:
        driver.ready()
        outcomes = driver.run(row(1, "parent", {"n": 1}), row(2, "parent-async", {"n": 2}))
        code, said = driver.quit(), driver.stdout[-1]

    assert outcomes == {1: None, 2: None}
    assert code == 0
    assert said.startswith("left: MainThread")
    assert "pool-" not in said
