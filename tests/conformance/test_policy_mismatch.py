"""Who gets the jobs of commands, and why they wait where no worker's policy allows them."""

from __future__ import annotations

import pytest

from jobplane.control.access import Access
from jobplane.control.problems import Problems
from jobplane.core.model import Document, NewWorker
from tests.client import Store
from tests.clock import Clock
from tests.conformance.backend import Backend
from tests.conformance.factory import COMMAND, Factory
from tests.conformance.vandal import Vandal


@pytest.fixture(autouse=True)
async def command(make: Factory) -> None:
    await make.command("c")


async def any_worker(store: Store, worker_id: str = "any") -> None:
    await store.register_worker(NewWorker(worker_id=worker_id, queues=["default"]))


async def why(store: Store, make: Factory) -> list[str | None]:
    return [job.held_by for job in (await store.list_jobs(make.alice)).items]


async def test_a_worker_that_names_a_command_gets_its_jobs(store: Store, make: Factory) -> None:
    await make.worker("w1", "c")
    job_id = await make.job(definition="c")

    assert await make.claim_ids(worker="w1") == [job_id]


async def test_a_handler_of_the_same_key_never_gets_the_jobs_of_a_command(store: Store, make: Factory) -> None:
    await store.register_worker(NewWorker(worker_id="handles", queues=["default"], definitions=["d", "c", "later"]))
    await store.register_worker(
        NewWorker(worker_id="allows", queues=["default"], definitions=["c"], commands=["c", "d"])
    )
    job_id, plain = await make.job(definition="c"), await make.job()

    assert await make.claim_ids(10, worker="handles") == [plain]
    assert await make.claim_ids(10, worker="allows") == [job_id]
    found = {worker.worker_id: worker.definitions for worker in await store.workers()}
    assert found == {"handles": ["d", "later"], "allows": ["c"]}


@pytest.mark.parametrize("registered", [True, False])
@pytest.mark.parametrize("limited", [True, False])
async def test_a_claimer_that_names_no_definitions_never_gets_a_command(
    store: Store, make: Factory, registered: bool, limited: bool
) -> None:
    if limited:
        await store.change_definition("c", {"max_running": 5})
        await store.change_definition("d", {"max_running": 5})
    if registered:
        await any_worker(store)
    await make.jobs(2, definition="c")
    plain = await make.job()

    assert await make.claim_ids(10, worker="any") == [plain]
    assert not await store.has_ready("any")
    assert await why(store, make) == [None, "no_worker", "no_worker"]


async def test_a_command_is_left_for_the_worker_that_knows_it(store: Store, make: Factory) -> None:
    await any_worker(store)
    await make.worker("knows", "c")
    job_id = await make.job(definition="c")

    assert await make.claim_ids(worker="any") == []
    assert await why(store, make) == [None]
    assert (await store.has_ready("any"), await store.has_ready("knows")) == (False, True)
    assert await make.claim_ids(worker="knows") == [job_id]


async def test_a_command_that_differs_from_the_policy_is_held_as_that(store: Store, make: Factory) -> None:
    await make.worker("differs", "d", mismatched=["c"])
    await make.jobs(2, definition="c")
    plain = await make.job()

    assert await make.claim_ids(10, worker="differs") == [plain]
    assert await why(store, make) == [None, "policy_mismatch", "policy_mismatch"]
    assert await store.sweep() == 0


async def test_the_policy_of_another_queue_or_of_a_dead_worker_does_not_count(
    store: Store, make: Factory, clock: Clock
) -> None:
    await store.put_queues(["other"])
    await make.worker("dead", "d", mismatched=["c"])
    clock.advance(61)
    await make.worker("elsewhere", "d", queues=["other"], mismatched=["c"])
    await make.worker("w1", "d")
    await make.job(definition="c")

    assert await make.claim(worker="w1") == []
    assert await why(store, make) == ["no_worker"]


async def test_one_worker_whose_policy_agrees_is_enough(store: Store, make: Factory) -> None:
    await make.worker("differs", "d", mismatched=["c"])
    await make.worker("agrees", "c")
    job_id = await make.job(definition="c")

    assert await make.claim(worker="differs") == []
    assert await why(store, make) == [None]
    assert await make.claim_ids(worker="agrees") == [job_id]


async def test_a_worker_that_differs_renews_the_reason(store: Store, make: Factory) -> None:
    await make.worker("w1", "d")
    await make.job(definition="c")
    assert await make.claim(worker="w1") == []
    assert await why(store, make) == ["no_worker"]

    await make.worker("differs", "d", mismatched=["c"])
    assert await make.claim(worker="differs") == []

    assert await why(store, make) == ["policy_mismatch"]


async def test_a_worker_whose_policy_agrees_lets_held_jobs_back(store: Store, make: Factory) -> None:
    await make.worker("w1", "d", mismatched=["c"])
    job_id = await make.job(definition="c")
    assert await make.claim(worker="w1") == []

    await any_worker(store)
    assert await store.sweep() == 0
    await make.worker("w1", "c", "d")

    assert await make.claim_ids(worker="w1") == [job_id]


async def test_a_changed_command_is_held_until_its_policy_follows(store: Store, make: Factory) -> None:
    await make.worker("w1", "c")
    job_id = await make.job(definition="c")
    await store.change_definition("c", {"command": {"executable": "/bin/sh", "argv": ["-c", "reboot"]}})

    assert await make.claim(worker="w1") == []
    await make.worker("w1", mismatched=["c"])
    assert await make.claim(worker="w1") == []
    assert await why(store, make) == ["policy_mismatch"]
    assert (await make.get(job_id)).attempts == 0
    await make.worker("w1", "c")
    assert await make.claim_ids(worker="w1") == [job_id]


async def test_a_command_is_held_when_the_worker_that_knows_it_disappears(
    store: Store, make: Factory, clock: Clock
) -> None:
    await make.worker("knows", "c")
    job_id = await make.job(definition="c")
    clock.advance(61)
    await make.worker("differs", "d", mismatched=["c"])

    assert await make.claim(worker="differs") == []
    assert await why(store, make) == ["policy_mismatch"]
    assert await store.sweep() == 0

    assert await store.see_worker("knows")
    assert await store.sweep() == 1
    assert await make.claim(worker="differs") == []
    assert await make.claim_ids(worker="knows") == [job_id]


async def test_a_command_that_is_changed_back_is_compared_again(store: Store, make: Factory) -> None:
    await make.worker("w1", "c")
    changes: list[Document] = [{"command": {"executable": "/bin/sh", "argv": []}}, {"command": COMMAND}]
    for change in changes:
        await store.change_definition("c", change)
        assert not await store.see_worker("w1")
        await make.worker("w1", mismatched=["c"])

    assert await store.see_worker("w1")


async def test_a_policy_says_nothing_of_what_is_no_command(store: Store, make: Factory) -> None:
    await store.put_definitions([{"key": "later"}])
    await make.worker("w1", mismatched=["d", "later"])
    jobs = [await make.job(definition=key) for key in ("d", "later")]

    assert await make.claim(2, worker="w1") == []

    assert await why(store, make) == ["unbound", "no_worker"]
    found = [await store.explain(make.alice, job_id) for job_id in jobs]
    assert [[gate.name for gate in each.shut] for each in found] == [["no_worker"], ["unbound", "no_worker"]]
    assert [problem.facts.get("reason") for problem in await Problems(Access(store)).list()] == [None, "unbound"]
    await make.worker("w1", mismatched=["d", "later"])
    assert await why(store, make) == ["unbound", "no_worker"]


async def test_a_worker_whose_row_cannot_be_read_gets_no_command(store: Store, make: Factory, backend: Backend) -> None:
    vandal = Vandal(backend)
    await make.worker("w1", "d")
    column = "definition_ids" if "rls" in backend.features else "definitions"
    vandal.write("workers", column, vandal.dialect.nulls)
    await make.job(definition="c")

    assert not await store.has_ready("w1")
    assert await make.claim(worker="w1") == []
    assert await why(store, make) == ["no_worker"]


async def test_an_explanation_names_the_workers_that_differ(store: Store, make: Factory) -> None:
    await make.worker("b", "d", mismatched=["c"])
    await make.worker("a", "d", mismatched=["c", "e"])
    await any_worker(store)
    job_id = await make.job(definition="c")
    await make.claim(worker="a")

    found = await store.explain(make.alice, job_id)

    assert (found.held_by, [gate.name for gate in found.shut]) == ("policy_mismatch", ["policy_mismatch", "no_worker"])
    assert found.shut[0].evidence == {"workers": ["a", "b"]}
    assert found.summary == (
        'The job waits. Definition "c" differs from the policy of these live workers: a, b. '
        "Run `jobplane policy check` there. Also closed: no_worker."
    )


async def test_an_explanation_is_content_with_one_worker_that_agrees(store: Store, make: Factory) -> None:
    await make.worker("a", mismatched=["c"])
    await make.worker("b", "c")
    job_id = await make.job(definition="c")

    found = await store.explain(make.alice, job_id)

    assert found.shut == []


async def test_a_problem_says_that_the_policy_differs(store: Store, make: Factory, clock: Clock) -> None:
    await make.worker("w1", "d", mismatched=["c"])
    await make.job(definition="c")
    await make.claim(worker="w1")

    [problem] = await Problems(Access(store)).list()

    assert (problem.code, problem.facts["reason"]) == ("no_worker", "policy_mismatch")
    assert problem.detail == (
        'Definition "c" differs from the policy of the workers. Run `jobplane policy check` there. '
        "1 job waits since 2026-01-01 12:00 UTC."
    )


async def test_workers_show_what_differs(store: Store, make: Factory) -> None:
    await make.worker("w1", mismatched=["c", "not-yet"])

    [worker] = await store.workers()

    assert (worker.mismatched, worker.outdated) == (["c", "not-yet"], False)
