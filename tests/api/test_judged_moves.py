"""A retry, an edit and a job that runs again judge the payload by the definition's schema, as an enqueue does."""

from __future__ import annotations

from typing import Any

import pytest

from jobplane import Fail, InvalidPayload, JobHandle, Jobplane, JobStatus


def define(plane: Jobplane, *, narrow: bool = False) -> Any:
    def paint(colour: str) -> None:
        raise Fail("no paint")

    def paint_thick(colour: str, coats: int) -> None: ...

    return plane.job("paint")(paint_thick if narrow else paint)


def fail_one(jp: Jobplane) -> JobHandle:
    paint = define(jp)
    jp.sync()
    job = paint.enqueue(colour="red")
    jp.drain()
    assert jp.get(job).status is JobStatus.FAILED
    return job


def narrow(url: str | None) -> None:
    """A newer program asks for more than the stored payload has."""
    with Jobplane(url, version="2") as newer:
        define(newer, narrow=True)
        newer.sync()


def test_a_retry_is_refused_where_the_payload_does_not_fit_any_more(jp: Jobplane, url: str | None) -> None:
    job = fail_one(jp)
    assert jp.retry(job).status is JobStatus.QUEUED
    jp.drain()
    narrow(url)

    with pytest.raises(InvalidPayload, match="coats"):
        jp.retry(job)

    assert jp.get(job).status is JobStatus.FAILED


async def test_so_is_the_awaited_one(on_loop: Jobplane, url: str | None) -> None:
    paint = define(on_loop)
    await on_loop.sync_async()
    job = await paint.enqueue_async(colour="red")
    await on_loop.drain_async()
    narrow(url)

    with pytest.raises(InvalidPayload, match="coats"):
        await on_loop.retry_async(job)


def test_an_edit_is_refused_where_the_payload_does_not_fit(jp: Jobplane) -> None:
    paint = define(jp)
    jp.sync()
    job = paint.options(delay=600).enqueue(colour="red")

    for wrong in ({"colour": 7}, {}, {"colour": "red", "coats": 1}):
        with pytest.raises(InvalidPayload) as caught:
            jp.edit(job, {"payload": wrong})
        assert caught.value.facts["errors"]
    assert jp.get(job).payload == {"colour": "red"}

    jp.edit(job, {"payload": {"colour": "***"}, "priority": 7})

    assert (jp.get(job).payload, jp.get(job).priority) == ({"colour": "***"}, 7)


def test_an_edit_of_something_else_does_not_judge_the_payload(jp: Jobplane, url: str | None) -> None:
    paint = define(jp)
    jp.sync()
    job = paint.options(delay=600).enqueue(colour="red")
    narrow(url)

    jp.edit(job, {"priority": 7})

    assert jp.get(job).priority == 7


def test_what_runs_again_is_refused_where_another_payload_does_not_fit(jp: Jobplane) -> None:
    job = fail_one(jp)

    for wrong in ({"colour": 7}, {}, {"colour": "red", "coats": 1}):
        with pytest.raises(InvalidPayload) as caught:
            jp.run_again(job, payload=wrong)
        assert caught.value.facts["errors"]
    assert jp.summary().queued == 0

    assert jp.get(jp.run_again(job, payload={"colour": "blue"})).payload == {"colour": "blue"}


def test_so_it_is_where_its_own_payload_does_not_fit_any_more(jp: Jobplane, url: str | None) -> None:
    job = fail_one(jp)
    narrow(url)

    with pytest.raises(InvalidPayload, match="coats"):
        jp.run_again(job)

    assert jp.get(jp.run_again(job, payload={"colour": "red", "coats": 2})).payload == {"colour": "red", "coats": 2}


async def test_so_is_the_awaited_one_that_runs_again(on_loop: Jobplane) -> None:
    paint = define(on_loop)
    await on_loop.sync_async()
    job = await paint.enqueue_async(colour="red")
    await on_loop.drain_async()

    with pytest.raises(InvalidPayload):
        await on_loop.run_again_async(job, payload={"colour": 7})
