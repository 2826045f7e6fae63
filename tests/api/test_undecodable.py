"""A job whose row cannot be decoded, met by a program that runs jobs itself, enqueues them or looks at them."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from pydantic import BaseModel, field_validator

from jobplane import InvalidSchema, Job, Jobplane, JobStatus
from jobplane.store.sqlite.drivers import connect
from tests.database import Database

Meddle = Callable[[str], object]
LONG = '{"n": 1' + "0" * 5000 + "}"  # a number of more digits than Python reads


@pytest.fixture
def meddle(request: pytest.FixtureRequest, url: str | None) -> Meddle:
    """Write past the verbs; tables are named `jobplane.…`."""
    if url is None:
        db: Database = request.getfixturevalue("db")
        return db.peek

    def write(statement: str) -> None:
        link = connect("apsw", url.removeprefix("sqlite:///"))  # pyright: ignore[reportArgumentType] a path as a text
        link.rows(statement.replace("jobplane.", "jobplane_"))
        link.close()

    return write


def spoilt(jp: Jobplane, meddle: Meddle) -> list[Job]:
    """Three jobs, of which the second cannot be decoded."""

    @jp.job("greet", max_attempts=3)
    def greet(n: int) -> int:
        return n

    jp.sync()
    jobs = [greet.enqueue(n=n) for n in range(3)]
    meddle(f"update jobplane.jobs set payload = '{LONG}' where id = '{jobs[1].id}'")
    return [jp.get(job) for job in jobs]


def assert_that_the_second_failed_at_once(jp: Jobplane, jobs: list[Job]) -> None:
    ended = [jp.get(job) for job in jobs]
    assert [job.status for job in ended] == [JobStatus.SUCCEEDED, JobStatus.FAILED, JobStatus.SUCCEEDED]
    assert (ended[1].reason, ended[1].attempts) == ("invalid_payload", 1)
    assert str(ended[1].error).startswith("The payload cannot be decoded: ")


def test_a_job_that_cannot_be_decoded_fails_at_its_first_attempt(jp: Jobplane, meddle: Meddle) -> None:
    jobs = spoilt(jp, meddle)
    assert [job.undecodable for job in jobs] == [(), ("payload",), ()]

    assert jp.drain() == 3

    assert_that_the_second_failed_at_once(jp, jobs)


async def test_the_same_on_an_event_loop(on_loop: Jobplane, meddle: Meddle) -> None:
    jobs = spoilt(on_loop, meddle)

    assert await on_loop.run_once_async() == 3

    assert_that_the_second_failed_at_once(on_loop, jobs)


def test_a_validator_that_raises_ends_its_attempt_and_not_the_drain(jp: Jobplane) -> None:
    class Picky(BaseModel):
        n: int

        @field_validator("n")
        @classmethod
        def _check(cls, n: int) -> int:
            raise RuntimeError("a fault of the validator")

    @jp.job("picky", max_attempts=1)
    def picky(item: Picky) -> None: ...

    @jp.job("fine")
    def fine() -> None: ...

    jp.sync()
    jobs = [jp.enqueue("picky", {"item": {"n": 1}}), fine.enqueue()]

    assert jp.drain() == 2

    assert [jp.get(job).status for job in jobs] == [JobStatus.DEAD_LETTER, JobStatus.SUCCEEDED]
    assert "a fault of the validator" in str(jp.get(jobs[0]).error)


def test_a_schema_that_cannot_be_decoded_refuses_the_jobs_of_its_definition_alone(
    jp: Jobplane, meddle: Meddle, url: str | None
) -> None:
    @jp.job("good")
    def good() -> None: ...

    @jp.job("bad")
    def bad() -> None: ...

    jp.sync()
    meddle(f"update jobplane.definitions set arg_schema = '{LONG}' where key = 'bad'")
    with Jobplane(url) as other:
        with pytest.raises(InvalidSchema, match='"bad" cannot be decoded'):
            other.enqueue("bad")
        assert other.enqueue("good").created
