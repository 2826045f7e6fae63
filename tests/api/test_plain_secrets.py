"""A plain value where the schema wants a reference to a secret is refused by every call of the library."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

import pytest

from jobplane import JobManager, Jobplane
from jobplane.core.errors import SecretInPayload
from jobplane.core.model import Document

KEY: Final = "shop.default.sync"
PLAIN: Final[Document] = {"token": "hunter2hunter2"}
SCHEMA: Final[Document] = {"type": "object", "properties": {"token": {"type": "string", "writeOnly": True}}}
COMMAND: Final[Document] = {"executable": "/usr/bin/true", "environment": {"TOKEN": "{token}"}}


@pytest.fixture(params=[{"command": COMMAND}, {"kind": "python"}], ids=["command", "python"])
def shop(request: pytest.FixtureRequest, jp: Jobplane) -> Jobplane:
    """A definition whose `token` is a secret."""
    jp.put_queues(["shop.default"])
    jp.put_definitions([{"key": KEY, "queue": "shop.default", "arg_schema": SCHEMA, **request.param}])
    return jp


def refuse(call: Callable[[], object]) -> None:
    with pytest.raises(SecretInPayload) as refused:
        call()
    assert "hunter2" not in str(refused.value) + str(refused.value.facts)


def test_a_plain_secret_is_refused_by_the_blocking_calls(shop: Jobplane) -> None:
    ended = shop.enqueue(KEY, {"token": "env:TOKEN"}).id
    shop.cancel(ended)

    refuse(lambda: shop.enqueue(KEY, PLAIN))
    refuse(lambda: shop.run_again(ended, payload=PLAIN))
    refuse(lambda: shop.schedules.create("hourly", KEY, PLAIN, interval_seconds=3600))
    refuse(lambda: shop.put_definitions([{"key": KEY, "default_payload": PLAIN}]))
    refuse(lambda: shop.change_definition(KEY, {"default_payload": PLAIN}))

    assert [job.id for job in shop.list()] == [ended]


async def test_a_plain_secret_is_refused_by_the_awaited_calls(shop: Jobplane) -> None:
    async with shop:
        ended = (await shop.enqueue_async(KEY, {"token": "env:TOKEN"})).id
        await shop.cancel_async(ended)

        with pytest.raises(SecretInPayload):
            await shop.enqueue_async(KEY, PLAIN)
        with pytest.raises(SecretInPayload):
            await shop.run_again_async(ended, payload=PLAIN)

        assert [job.id async for job in shop.list_async()] == [ended]


def test_a_plain_secret_is_refused_by_the_job_manager(shop: Jobplane) -> None:
    with JobManager(shop) as manager:
        refuse(lambda: manager.create_job("shop", "default", "sync", PLAIN, owner_user_id=None))
        made = manager.create_job("shop", "default", "sync", {"token": "env:TOKEN"}, owner_user_id=None)

    assert [job.id for job in shop.list()] == [made["id"]]
