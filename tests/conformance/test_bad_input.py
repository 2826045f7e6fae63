"""Each wrong value gets an error with a code, and nothing is half written."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import replace
from typing import Any, Final, cast
from uuid import UUID, uuid4

import pytest

from jobplane.core.errors import Invalid, JobplaneError
from jobplane.core.model import Enqueued, JobFilter, NewWorker, Outcome
from tests.client import Store
from tests.conformance import hostile
from tests.conformance.factory import Factory, ended, new
from tests.leases import Held

CODES: Final = {"invalid", "invalid_payload", "invalid_schema", "unknown_definition", "unknown_queue"}
DIGEST: Final = b"d" * 32


@pytest.mark.parametrize("keyed", [False, True])
async def test_a_bad_row_is_refused_with_a_code_and_sinks_no_other(make: Factory, keyed: bool) -> None:
    """Also where rows have keys, which are then looked at one by one."""
    rows = hostile.rows(new(), huge=not keyed)
    if keyed:
        rows = {name: replace(row, dedupe_key=row.dedupe_key or name) for name, row in rows.items()}
        rows["dedupe_key number 1"] = new(dedupe_key="")

    answers = await make.enqueue(new(), *rows.values(), new())

    first, *refused, last = answers
    assert (first.outcome, last.outcome) == ("created", "created")
    assert {name: answer for name, answer in zip(rows, refused, strict=True) if not is_refusal(answer)} == {}
    assert await make.count() == 2


def is_refusal(answer: Enqueued) -> bool:
    return answer.refused and answer.job_id is None and answer.error_code in CODES and bool(answer.error)


async def test_a_row_that_is_no_job_is_refused(store: Store, make: Factory) -> None:
    strange: Any = [{"definition": "d"}, None, 5]

    answers = await store.enqueue(make.alice, [*strange, new()])

    assert [answer.outcome for answer in answers] == ["refused", "refused", "refused", "created"]


async def test_one_job_too_many_refuses_the_call(make: Factory) -> None:
    with pytest.raises(Invalid, match="10000"):
        await make.enqueue(*[new(dedupe_key="k", idempotency_key="i")] + [new()] * 10_000)

    assert await make.count() == 0


async def test_a_refusal_points_at_the_fault(make: Factory) -> None:
    payload: Any = {"a/b": [{}, {"c~": "\x00"}]}

    [answer] = await make.enqueue(new(payload=payload))

    assert "/a~1b/1/c~0" in (answer.error or "")


async def test_nothing_that_a_handler_leaves_keeps_its_job_from_the_end(store: Store, make: Factory) -> None:
    texts = ["nul\x00", "\ud800", hostile.HUNDRED_MB]
    numbers = [float("nan"), float("inf"), -1.0, 2.0, 1e300]
    await make.jobs(len(hostile.VALUES) + len(texts) + len(numbers) + 2)
    leases = iter(await make.claim(100))
    settlements = [
        *[ended(next(leases), Outcome.SUCCEEDED, result=value()) for value in hostile.VALUES.values()],
        *[ended(next(leases), Outcome.FATAL, error=text, reason=text) for text in texts],
        *[ended(next(leases), Outcome.FATAL, progress=number) for number in numbers],
        *[ended(next(leases), Outcome.FATAL, exit_code=code) for code in (2**31, -(2**63))],
    ]

    answers = await store.settle(settlements)

    assert all(answer.accepted for answer in answers)
    jobs = await store.get_jobs(make.alice, [cast("Held", settlement.lease).job_id for settlement in settlements])
    succeeded = len(hostile.VALUES)
    assert [job.status for job in jobs] == ["succeeded"] * succeeded + ["failed"] * (len(jobs) - succeeded)
    assert all(job.progress is None or 0 <= job.progress <= 1 for job in jobs)
    assert all(len(job.error or "") <= 64 * 1024 for job in jobs)


async def test_a_progress_that_cannot_be_does_not_cost_the_lease(store: Store, make: Factory) -> None:
    await make.jobs(5)
    leases = await make.claim(5)

    answers = await store.renew(leases, progress=[float("nan"), float("inf"), -1.0, 1e300, 0.5])

    assert [answer.answer for answer in answers] == ["renewed"] * 5
    jobs = await store.get_jobs(make.alice, [lease.job_id for lease in leases])
    assert all(job.progress is None or 0 <= job.progress <= 1 for job in jobs)


Call = Callable[[Store, UUID, Any], Awaitable[object]]
UUIDS: Final = ["not-a-uuid", "{}", "\x00", 5]
NUMBERS: Final[list[Any]] = ["many", "\x00", 2**31, 2**70, []]
OBJECTS: Final[list[Any]] = [
    [],
    "x",
    5,
    {"x": hostile.Evil()},
    {"x": hostile.deep(10_000)},
    {"x": "\x00"},
    {"x": "\ud800"},
]
TEXTS: Final = ["\x00", "\ud800"]
CALLS: Final[dict[str, tuple[Call, list[Any]]]] = {
    "cancel": (lambda s, t, v: s.cancel(t, [v]), UUIDS),
    "retry": (lambda s, t, v: s.retry(t, [v]), UUIDS),
    "retry, max_attempts": (lambda s, t, v: s.retry(t, [uuid4()], max_attempts=v), [0, *NUMBERS]),
    "reschedule": (lambda s, t, v: s.reschedule(t, [v]), UUIDS),
    "reschedule, at": (lambda s, t, v: s.reschedule(t, [uuid4()], at=v), [hostile.NAIVE, hostile.LAST, "soon", 5]),
    "reschedule, delay": (lambda s, t, v: s.reschedule(t, [uuid4()], delay_seconds=v), ["soon", -1, 10**400]),
    "edit": (lambda s, t, v: s.edit(t, v, {}), UUIDS),
    "get_jobs": (lambda s, t, v: s.get_jobs(t, [v]), UUIDS),
    "attempts": (lambda s, t, v: s.attempts(t, v), UUIDS),
    "attempts, limit": (lambda s, t, v: s.attempts(t, uuid4(), limit=v), NUMBERS),
    "attempts, before": (lambda s, t, v: s.attempts(t, uuid4(), before=v), NUMBERS),
    "result": (lambda s, t, v: s.result(t, v), UUIDS),
    "get_output": (lambda s, t, v: s.get_output(t, v, 1), UUIDS),
    "get_output, attempt_no": (lambda s, t, v: s.get_output(t, uuid4(), v), NUMBERS),
    "list_jobs, limit": (lambda s, t, v: s.list_jobs(t, limit=v), [0, 1001, *NUMBERS]),
    "list_jobs, cursor": (lambda s, t, v: s.list_jobs(t, cursor=v), ["x", 2**70]),
    "list_jobs, statuses": (lambda s, t, v: s.list_jobs(t, JobFilter(statuses=[v])), ["done", 5, "\x00"]),
    "list_jobs, definitions": (lambda s, t, v: s.list_jobs(t, JobFilter(definitions=[v])), TEXTS),
    "list_jobs, queues": (lambda s, t, v: s.list_jobs(t, JobFilter(queues=[v])), TEXTS),
    "list_jobs, tags": (lambda s, t, v: s.list_jobs(t, JobFilter(tags=[v])), TEXTS),
    "list_jobs, correlation_id": (lambda s, t, v: s.list_jobs(t, JobFilter(correlation_id=v)), TEXTS),
    "list_jobs, source": (lambda s, t, v: s.list_jobs(t, JobFilter(source=v)), TEXTS),
    "list_jobs, text": (lambda s, t, v: s.list_jobs(t, JobFilter(text=v)), TEXTS),
    "list_jobs, triggered_by": (lambda s, t, v: s.list_jobs(t, JobFilter(triggered_by=v)), TEXTS),
    "list_jobs, worker_id": (lambda s, t, v: s.list_jobs(t, JobFilter(worker_id=v)), TEXTS),
    "list_jobs, metadata": (lambda s, t, v: s.list_jobs(t, JobFilter(metadata=v)), OBJECTS),
    "list_jobs, after": (lambda s, t, v: s.list_jobs(t, JobFilter(created_after=v)), [hostile.NAIVE, "x", 5]),
    "list_jobs, before": (lambda s, t, v: s.list_jobs(t, JobFilter(created_before=v)), [hostile.NAIVE, "x", 5]),
    "claim, queue": (lambda s, _, v: s.claim(v, "w1"), [*TEXTS, "", None]),
    "claim, worker": (lambda s, _, v: s.claim("default", v), [*TEXTS, "", None]),
    "claim, limit": (lambda s, _, v: s.claim("default", "w1", limit=v), [0, None, *NUMBERS]),
    "claim, lease": (lambda s, _, v: s.claim("default", "w1", lease_seconds=v), [4, None, *NUMBERS]),
    "promote": (lambda s, _, v: s.promote(limit=v), NUMBERS),
    "reap": (lambda s, _, v: s.reap(limit=v), NUMBERS),
    "expire": (lambda s, _, v: s.expire(limit=v), NUMBERS),
    "sweep": (lambda s, _, v: s.sweep(limit=v), NUMBERS),
    "register_worker": (lambda s, _, v: s.register_worker(NewWorker(worker_id=v, queues=["default"])), [*TEXTS, ""]),
    "register_worker, queues": (lambda s, _, v: s.register_worker(NewWorker(worker_id="w", queues=[v])), TEXTS),
    "register_worker, commands": (
        lambda s, _, v: s.register_worker(NewWorker(worker_id="w", queues=["default"], definitions=[], commands=[v])),
        TEXTS,
    ),
    "register_worker, mismatched": (
        lambda s, _, v: s.register_worker(NewWorker(worker_id="w", queues=["default"], mismatched=[v])),
        TEXTS,
    ),
    "register_worker, metadata": (
        lambda s, _, v: s.register_worker(NewWorker(worker_id="w", queues=["default"], metadata=v)),
        OBJECTS,
    ),
    "see_worker": (lambda s, _, v: s.see_worker("w", running_count=v), NUMBERS),
    "workers": (lambda s, _, v: s.workers(limit=v), NUMBERS),
    "delete_worker": (lambda s, _, v: s.delete_worker(v), TEXTS),
    "create_key": (lambda s, t, v: s.create_key("abcdefghij01", v, "viewer", t), [b"", b"x", "x", None, 5]),
    "create_key, name": (lambda s, t, v: s.create_key("abcdefghij01", DIGEST, "viewer", t, v), TEXTS),
    "create_key, id": (lambda s, t, v: s.create_key(v, DIGEST, "viewer", t), [*TEXTS, "", "A", None]),
    "create_key, tenant": (lambda s, _, v: s.create_key("abcdefghij01", DIGEST, "viewer", v), UUIDS),
    "keys": (lambda s, _, v: s.keys(limit=v), NUMBERS),
    "keys, after": (lambda s, _, v: s.keys(after=v), TEXTS),
    "revoke_keys": (lambda s, _, v: s.revoke_keys([v]), TEXTS),
    "rotate_key": (lambda s, _, v: s.rotate_key("a", "b", DIGEST, v), NUMBERS),
    "reserve_reply": (lambda s, t, v: s.reserve_reply(t, "o", v, DIGEST), [*TEXTS, ""]),
    "reserve_reply, count": (lambda s, t, v: s.reserve_reply(t, "o", "k", DIGEST, v), [-1, *NUMBERS]),
    "save_reply": (lambda s, t, v: s.save_reply(t, "o", "k", v), [0, *NUMBERS]),
    "save_reply, body": (lambda s, t, v: s.save_reply(t, "o", "k", 200, v), TEXTS),
    "want_work": (lambda s, _, v: s.want_work(["default"], seconds=v), NUMBERS),
    "create_tenant": (lambda s, _, v: s.create_tenant(v), [*TEXTS, "", "A", None]),
    "create_tenant, weight": (lambda s, _, v: s.create_tenant("ok", weight=v), [0, *NUMBERS]),
    "create_tenant, id": (lambda s, _, v: s.create_tenant("ok", tenant_id=v), UUIDS),
    "set_tenant": (lambda s, t, v: s.set_tenant(t, v), OBJECTS),
    "pause_tenants": (lambda s, _, v: s.pause_tenants([v]), UUIDS),
    "resume_tenants": (lambda s, _, v: s.resume_tenants([v]), UUIDS),
    "tenants": (lambda s, _, v: s.tenants(limit=v), NUMBERS),
    "tenants, after": (lambda s, _, v: s.tenants(after=v), TEXTS),
    "put_definitions": (lambda s, _, v: s.put_definitions([v]), OBJECTS),
    "put_definitions, schema": (
        lambda s, _, v: s.put_definitions([{"key": "x", "arg_schema": v}]),
        [5, "x", [], {"x": hostile.Evil()}, {"x": hostile.deep(10_000)}, {"x": "\x00"}],
    ),
    "definitions": (lambda s, _, v: s.definitions([v]), TEXTS),
    "put_queues": (lambda s, _, v: s.put_queues([v]), [*TEXTS, "", "A", None]),
    "pause_queues": (lambda s, _, v: s.pause_queues([v]), TEXTS),
    "resume_queues": (lambda s, _, v: s.resume_queues([v]), TEXTS),
}


async def complaint(call: Call, store: Store, tenant: UUID, value: object) -> str:
    """What is wrong with the answer to a bad value; nothing if it is refused as it should be."""
    try:
        answer = await call(store, tenant, value)
    except Invalid as error:
        return "" if error.code in CODES and error.message else f"{error.code}: {error.message}"
    except JobplaneError as error:
        return f"{error.code}: {error.message}"
    except Exception as error:  # noqa: BLE001 anything else is what this test is looking for
        return f"{type(error).__name__}: {error}"
    return f"accepted: {answer}"


async def test_a_bad_argument_is_invalid_whatever_the_verb(store: Store, make: Factory) -> None:
    await make.job()
    before = (await store.tenants(), await store.definitions(), await store.queues(), await store.workers())
    complaints = {
        f"{name}, bad value {number}": found
        for name, (call, values) in CALLS.items()
        for number, value in enumerate(values)
        if (found := await complaint(call, store, make.alice, value))
    }

    assert complaints == {}
    after = (await store.tenants(), await store.definitions(), await store.queues(), await store.workers())
    assert after == before


async def test_a_tenant_that_is_no_uuid_is_an_error(store: Store, make: Factory) -> None:
    for nobody in ("", "not-a-uuid", "\x00", None):
        tenant: Any = nobody
        with pytest.raises(JobplaneError) as refusal:
            await store.enqueue(tenant, [new()])
        assert refusal.value.code in ("tenant_required", "invalid")
