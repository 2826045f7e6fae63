"""What waits can be asked for by any part of it, and a failure shows what is there instead."""

from __future__ import annotations

from datetime import timedelta
from uuid import UUID, uuid4

import pytest

from jobplane import Jobplane
from jobplane.core.model import DEFAULT_TENANT
from jobplane.testing import Clock, Sandbox
from jobplane.testing.matching import Facts
from tests.testing import shop


def test_a_job_is_found_by_its_function_or_its_key(jobs: Sandbox) -> None:
    handle = shop.send_receipt.enqueue(order=1, to="bob")

    assert jobs.assert_enqueued(shop.send_receipt).id == handle.id
    assert jobs.assert_enqueued("send-receipt", {"to": "bob"}, count=1).id == handle.id
    jobs.refute_enqueued(shop.send_receipt, {"order": 2})
    jobs.refute_enqueued(shop.take_order)


def test_what_is_no_job_is_refused_by_name(jobs: Sandbox) -> None:
    with pytest.raises(TypeError, match=r"^Pass a job function or its key, not \w+\.$"):
        jobs.assert_enqueued(print)  # pyright: ignore[reportArgumentType]


def test_values_are_compared_as_the_payload_has_them(jobs: Sandbox) -> None:
    provider = uuid4()
    shop.watch.enqueue(provider)

    jobs.assert_enqueued(shop.watch, {"provider": provider})


def test_a_job_is_found_by_its_options(jobs: Sandbox) -> None:
    options = shop.send_receipt.options(
        priority=7, delay=timedelta(hours=1), dedupe_key="order-1", tags=["a", "b"], metadata={"from": {"page": "/x"}}
    )
    options.enqueue(order=1)

    jobs.assert_enqueued(
        shop.send_receipt, queue="mail", priority=7, delay=3600, dedupe_key="order-1", tags=["b"],
        metadata={"from": {"page": "/x"}}, tenant=DEFAULT_TENANT,
    )  # fmt: skip


@pytest.mark.parametrize(
    ("facts", "said"),
    [
        (Facts(queue="slow"), 'queue is "mail", not "slow"'),
        (Facts(delay=60), "delay is 0 s, not 60 s"),
        (Facts(tenant="acme"), "tenant is default"),
        (Facts(tags=["urgent"]), "tags lack urgent"),
        (Facts(metadata={"page": 1}), "metadata.page is not there"),
    ],
)
def test_a_failure_says_what_differs(jobplane_sqlite: Sandbox, facts: Facts, said: str) -> None:
    jobplane_sqlite.host(shop.jp)
    shop.send_receipt.enqueue(order=1)

    with pytest.raises(AssertionError, match=said):
        jobplane_sqlite.assert_enqueued(shop.send_receipt, **facts)


def test_a_failure_shows_all_that_waits_and_the_nearest_first(jobplane_sqlite: Sandbox) -> None:
    jobplane_sqlite.host(shop.jp)
    shop.take_order.enqueue(order=2)
    shop.send_receipt.options(dedupe_key="one").enqueue(order=1, to="bob")

    with pytest.raises(AssertionError) as failure:
        jobplane_sqlite.assert_enqueued(shop.send_receipt, {"order": 2})

    assert str(failure.value).splitlines() == [
        'There is no send-receipt {"order": 2}.',
        "",
        "2 jobs are enqueued:",
        '  send-receipt {"order": 1, "to": "bob"} tenant=default queue=mail priority=100 dedupe_key=one',
        "      payload.order is 1, not 2",
        '  take-order {"order": 2} tenant=default queue=default priority=100',
        "      it is take-order",
    ]


def test_a_refuted_job_and_a_wrong_count_are_shown_too(jobplane_sqlite: Sandbox) -> None:
    jobplane_sqlite.host(shop.jp)
    shop.send_receipt.enqueue(order=1)

    with pytest.raises(AssertionError, match="There should be no send-receipt"):
        jobplane_sqlite.refute_enqueued(shop.send_receipt)
    with pytest.raises(AssertionError, match="There are 1 instead of 2 of send-receipt"):
        jobplane_sqlite.assert_enqueued(shop.send_receipt, count=2)


def test_a_misspelt_fact_is_no_fact(jobplane_sqlite: Sandbox) -> None:
    """A refutation would hold whatever is there."""
    with pytest.raises(TypeError, match=r'Unknown fact "prio"\. Use one of tenant, queue, priority'):
        jobplane_sqlite.refute_enqueued("send-receipt", prio=7)  # pyright: ignore[reportCallIssue]


def test_where_nothing_waits_it_says_so(jobplane_sqlite: Sandbox) -> None:
    with pytest.raises(AssertionError, match=r"Nothing is enqueued\."):
        jobplane_sqlite.assert_enqueued("send-receipt")


def test_jobs_of_every_tenant_are_seen(jobs: Sandbox) -> None:
    acme = shop.jp.create_tenant("acme")
    shop.send_receipt.options(tenant="acme").enqueue(order=1)

    assert jobs.assert_enqueued(shop.send_receipt).tenant_id == acme.tenant_id
    jobs.refute_enqueued(shop.send_receipt, tenant="default")
    jobs.refute_enqueued(shop.send_receipt, tenant=UUID(int=0))


def test_what_has_run_is_no_longer_enqueued(jobs: Sandbox) -> None:
    shop.send_receipt.enqueue(order=1)
    jobs.drain()

    jobs.refute_enqueued(shop.send_receipt)


def test_a_program_is_at_home_again_afterwards() -> None:
    with Jobplane("sqlite:///:memory:") as jp:
        jp.job("greet")(_greet)
        jp.enqueue("greet", {"name": "alice"})
        with Sandbox.sqlite() as away:
            away.host(jp)
            away.refute_enqueued("greet")
            jp.enqueue("greet", {"name": "bob"})

        assert [job.payload for job in jp.list()] == [{"name": "alice"}]


def test_a_frozen_clock_dates_what_is_enqueued(jobs: Sandbox) -> None:
    clock: Clock = jobs.freeze()
    shop.send_receipt.options(delay=90).enqueue(order=1)

    jobs.assert_enqueued(shop.send_receipt, scheduled_for=clock.now() + timedelta(seconds=90))


def _greet(name: str) -> None:
    """A handler."""
