"""The tool that prints which functions an enqueue calls."""

import re

import pytest

from tests.api.conftest import point_at
from tests.database import Database
from tools.trace_enqueue import trace_async, trace_blocking


@pytest.fixture
def url(db: Database, monkeypatch: pytest.MonkeyPatch) -> str:
    point_at(db, monkeypatch)
    return db.url("app")


def test_a_trace_starts_with_the_call_and_ends_with_the_counts(url: str) -> None:
    first, *others, last = trace_blocking(url).lines()

    assert first.startswith("jobplane.api.job:Enqueuer.enqueue  (src/jobplane/api/job.py:")
    assert last.startswith(f"{1 + len(others)} functions in ")
    assert is_short(last)


async def test_the_async_call_is_traced_in_the_same_way(url: str) -> None:
    first, *others, last = (await trace_async(url)).lines()

    assert first.startswith("jobplane.api.job:Enqueuer.enqueue_async  (src/jobplane/api/job.py:")
    assert last.startswith(f"{1 + len(others)} functions in ")
    assert is_short(last)


def test_a_traced_function_is_named_once_and_indented_below_its_caller(url: str) -> None:
    lines = trace_blocking(url).lines()[:-1]

    assert len({line.strip() for line in lines}) == len(lines)
    assert re.match(r"  jobplane\.", lines[1])


def is_short(summary: str) -> bool:
    functions, files = (int(number) for number in re.findall(r"\d+", summary))
    return functions <= 36 and files <= 17
