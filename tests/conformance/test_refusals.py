"""The same bad input gets the same answer from both stores: the same error with the same sentence."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from datetime import UTC, datetime
from typing import Any

import pytest

from jobplane.core.bounds import KEY_RULE
from jobplane.core.edits import WRONG_TIME
from jobplane.core.errors import Invalid
from jobplane.core.model import JobFilter, NewJob
from tests.client import Store
from tests.conformance.factory import Factory

OLD = datetime(1999, 1, 1, tzinfo=UTC)
SLUG = "A tenant needs a slug of a-z, 0-9 and -, up to 63 characters."
EXPIRY = "The expires_at must be a time between the years 2000 and 9999 with a time zone, like 2026-11-15T12:00:00Z."
Ask = Callable[[Store, Factory], Awaitable[Any]]


def put(**values: Any) -> Ask:
    return lambda store, _: store.put_definitions([{"key": "k", **values}])


def set_tenant(**values: Any) -> Ask:
    return lambda store, make: store.set_tenant(make.alice, values)


def edit(**values: Any) -> Ask:
    async def ask(store: Store, make: Factory) -> None:
        await store.edit(make.alice, await make.job(), values)

    return ask


def create_tenant(slug: str) -> Ask:
    return lambda store, _: store.create_tenant(slug)


def list_of_worker(worker_id: str) -> Ask:
    return lambda store, make: store.list_jobs(make.alice, JobFilter(worker_id=worker_id))


async def reschedule(store: Store, make: Factory) -> None:
    await store.reschedule(make.alice, [await make.job()], OLD)


@pytest.mark.parametrize(
    ("ask", "says"),
    [
        (put(key="bad key!"), KEY_RULE),
        (put(key=5), "The key must be a string, not int."),
        (put(priority="x"), "The priority must be a whole number, not str."),
        (put(kind="magic"), "The kind must be one of python, command, connector."),
        (put(active="maybe"), "The active must be true or false."),
        (put(tags="one"), "The tags must be a list of strings."),
        (put(backoff=5), "The backoff must be a JSON object."),
        (put(backoff={"base": -1}), "The backoff.base must be a number between 0 and 86400, not -1."),
        (set_tenant(slug="Bad Slug"), SLUG),
        (set_tenant(weight="x"), "The weight must be a whole number, not str."),
        (set_tenant(max_pending=-1), "The max_pending must be between 0 and 2147483647, not -1."),
        (create_tenant("Bad Slug"), SLUG),
        (edit(queue=5), "The queue must be a string, not int."),
        (edit(priority="x"), "The priority must be a whole number."),
        (edit(expires_at="2026-13-45T00:00:00Z"), EXPIRY),
        (edit(expires_at="1999-01-01T00:00:00Z"), EXPIRY),
        (reschedule, WRONG_TIME),
        (list_of_worker("\x00"), None),
    ],
)
async def test_a_bad_value_is_refused_with_one_sentence(
    store: Store, make: Factory, ask: Ask, says: str | None
) -> None:
    with pytest.raises(Invalid) as refused:
        await ask(store, make)

    assert type(refused.value) is Invalid
    assert refused.value.message == (says or "The worker_id must not have a NUL character.")


@pytest.mark.parametrize("more", [{}, {"tags": ["x"]}])
async def test_an_inactive_definition_comes_before_a_bad_time(
    store: Store, make: Factory, more: dict[str, Any]
) -> None:
    await store.put_definitions([{"key": "off", "kind": "python", "active": False}])

    bad = [NewJob(definition=key, scheduled_for=OLD, **more) for key in ("off", "none", "d")]
    answers = [(await store.enqueue(make.alice, [job]))[0] for job in bad]

    assert [each.error_code for each in answers] == ["definition_inactive", "unknown_definition", "invalid"]
    assert answers[2].error == WRONG_TIME
