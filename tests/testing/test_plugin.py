"""The plugin, in a run of pytest of its own: what a user's project sees."""

from __future__ import annotations

import subprocess
import sys
from importlib.metadata import entry_points
from typing import Final

import pytest

from jobplane.testing import PostgresServer

pytest_plugins = ["pytester"]

CONFTEST: Final = """
import psycopg, pytest
from jobplane import Jobplane

jp = Jobplane("sqlite:////nowhere/jobs.db")

@jp.job("greet")
def greet(name: str) -> str:
    return name

@pytest.fixture(scope="session")
def jobplane_prepare():
    def prepare(url):
        with psycopg.connect(url) as conn:
            conn.execute("create table orders (id int)")
    return prepare

@pytest.fixture
def jobs(jobplane_sandbox):
    return jobplane_sandbox.host(jp)
"""
TESTS: Final = """
from datetime import UTC, datetime
import psycopg, pytest
from conftest import greet, jp

@pytest.mark.parametrize("name", ["a", "b", "c", "d"])
def test_each_test_is_alone(jobs, name):
    greet.enqueue(name)
    jobs.assert_enqueued(greet, count=1)
    assert jobs.drain().outcomes == {"succeeded": 1}

def test_the_clock_stands_still(jobs, jobplane_clock):
    job = greet.enqueue("a")
    assert jp.get(job).created_at == jobplane_clock.now() == datetime(2026, 1, 1, 12, tzinfo=UTC)

def test_own_tables_are_in_the_template(jobs):
    url = jobs.environment.get("JOBPLANE_MIGRATE_URL")
    if url:
        with psycopg.connect(url) as conn:
            assert conn.execute("select count(*) from orders").fetchone() == (0,)
"""


@pytest.fixture
def project(pytester: pytest.Pytester) -> pytest.Pytester:
    pytester.makeconftest(CONFTEST)
    pytester.makepyfile(TESTS)
    pytester.makeini("[pytest]\nfilterwarnings = error\naddopts = -p no:cacheprovider")
    return pytester


def test_a_project_gets_a_database_for_each_test(project: pytest.Pytester) -> None:
    project.runpytest_inprocess().assert_outcomes(passed=6)


def test_an_unknown_store_is_a_usage_error(project: pytest.Pytester) -> None:
    result = project.runpytest_inprocess("-o", "jobplane_store=redis", "-k", "clock")

    result.stdout.fnmatch_lines(['*jobplane_store must be sqlite or postgres, not "redis".*'])


def test_the_same_tests_run_in_parallel_on_a_server_that_is_there(
    project: pytest.Pytester, jobplane_server: PostgresServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("JOBPLANE_TEST_DATABASE_URL", jobplane_server.url("owner", "jobplane"))
    monkeypatch.setenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD", "1")  # of what is installed only these two are needed
    plugins = ("-p", "xdist", "-p", "jobplane.testing.plugin")

    project.runpytest_subprocess(*plugins, "--jobplane-store=postgres", "-n2").assert_outcomes(passed=6)


def test_the_plugin_is_installed_and_imports_next_to_nothing() -> None:
    [plugin] = [entry for entry in entry_points(group="pytest11") if entry.name == "jobplane"]
    new = "print(*sorted(set(sys.modules) - before))"
    code = f"import pytest, sys; before = set(sys.modules); import {plugin.value}; {new}"

    answer = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True)

    assert answer.stdout.split() == ["jobplane", "jobplane.testing", "jobplane.testing.plugin"]
