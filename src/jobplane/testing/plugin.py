"""The pytest plugin. Every run of pytest where jobplane is installed imports it, so it imports next to nothing."""

from __future__ import annotations

import os
from collections.abc import Generator
from contextlib import AbstractContextManager, nullcontext
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from jobplane.testing import Clock, PostgresServer, Sandbox, Template
    from jobplane.testing.postgres import Prepare

SERVER_URL = "JOBPLANE_TEST_DATABASE_URL"


def pytest_addoption(parser: pytest.Parser) -> None:
    store = "The store of the fixture jobplane_sandbox: sqlite or postgres."
    driver = "How the SQLite fixtures open their file: apsw, or stdlib where the program lends its own connections."
    parser.getgroup("jobplane").addoption("--jobplane-store", choices=["sqlite", "postgres"], help=store)
    parser.addini("jobplane_store", store, default="sqlite")
    parser.addini("jobplane_sqlite", driver, default="apsw")


@pytest.fixture
def jobplane_sandbox(request: pytest.FixtureRequest) -> Sandbox:
    """A database of the test's own, on the store that --jobplane-store or the ini file says."""
    chosen = request.config.getoption("jobplane_store") or request.config.getini("jobplane_store")
    if chosen not in ("sqlite", "postgres"):
        raise pytest.UsageError(f'The setting jobplane_store must be sqlite or postgres, not "{chosen}".')
    return request.getfixturevalue(f"jobplane_{chosen}")


@pytest.fixture
def jobplane_clock(jobplane_sandbox: Sandbox) -> Clock:
    """The clock of that database; it stands at noon of 2026-01-01 until the test moves it."""
    return jobplane_sandbox.freeze()


@pytest.fixture
def jobplane_sqlite(request: pytest.FixtureRequest) -> Generator[Sandbox]:
    """A SQLite database in memory for one test."""
    from jobplane.testing import Sandbox

    driver = request.config.getini("jobplane_sqlite")
    if driver not in ("apsw", "stdlib"):
        raise pytest.UsageError(f'The setting jobplane_sqlite must be apsw or stdlib, not "{driver}".')
    with Sandbox.sqlite(driver) as sandbox:
        yield sandbox


@pytest.fixture
def jobplane_postgres(jobplane_template: Template) -> Generator[Sandbox]:
    """A PostgreSQL database for one test, copied from the template."""
    from jobplane.testing import Sandbox

    with Sandbox.postgres(jobplane_template) as sandbox:
        yield sandbox


@pytest.fixture(scope="session")
def jobplane_template(jobplane_server: PostgresServer, jobplane_prepare: Prepare | None) -> Generator[Template]:
    """The migrated database that tests copy; each process of a parallel run has its own."""
    with jobplane_server.template(jobplane_prepare) as template:
        yield template


@pytest.fixture(scope="session")
def jobplane_prepare() -> Prepare | None:
    """Override it to return a function that gets the URL of the template's owner, and makes your own tables there."""
    return None


@pytest.fixture(scope="session")
def jobplane_server(tmp_path_factory: pytest.TempPathFactory) -> Generator[PostgresServer]:
    """The server of JOBPLANE_TEST_DATABASE_URL, else an embedded one that all processes of the run share."""
    with _server(tmp_path_factory) as server:
        yield server


def _server(factory: pytest.TempPathFactory) -> AbstractContextManager[PostgresServer]:
    from jobplane.testing import PostgresServer

    if url := os.environ.get(SERVER_URL):
        return nullcontext(PostgresServer.at(url))
    base = factory.getbasetemp()
    is_one_of_many = "PYTEST_XDIST_WORKER" in os.environ
    return PostgresServer.embedded((base.parent if is_one_of_many else base) / "jobplane-postgres")
