from __future__ import annotations

from collections.abc import Generator

import pytest

from tests.worker.executor.driver import Driver

PROGRAM = "tests.worker.executor.program"


@pytest.fixture(scope="module")
def executor() -> Generator[Driver]:
    """One process for the tests of a module, each with seqs of its own."""
    with Driver(PROGRAM) as driver:
        driver.ready()
        yield driver


@pytest.fixture
def own() -> Generator[Driver]:
    """A process that the test may wear out."""
    with Driver(PROGRAM) as driver:
        driver.ready()
        yield driver
