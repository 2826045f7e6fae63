"""The jobs of all tenants: who may see them, and how often they are counted."""

from __future__ import annotations

from typing import Any
from uuid import uuid4

import pytest

from jobplane.control.access import Access, Caller, Role
from jobplane.control.all_jobs import AllJobs
from jobplane.control.recent import MOST, Recent
from jobplane.core.actors import Actor
from jobplane.core.errors import Forbidden, JobNotFound, StoreBusy
from jobplane.core.model import Job, Summary
from jobplane.core.paging import Page
from jobplane.store.verbs.operator import CountTenants, FindJobs, ListAllJobs, SummarizeAll
from jobplane.store.verbs.verb import Verb

_NOTHING: Page[Job, int] = Page([])


class Desk:
    """A store that counts how often it has counted."""

    def __init__(self) -> None:
        self.now = 100.0
        self.counted = 0
        self.failure: Exception | None = None

    async def run(self, verb: Verb[Any], *, conn: Any = None, actor: Actor | None = None) -> Any:
        if isinstance(verb, ListAllJobs):
            return _NOTHING
        if isinstance(verb, FindJobs | CountTenants):
            return []
        assert isinstance(verb, SummarizeAll)
        self.counted += 1
        if self.failure is not None:
            raise self.failure
        return Summary(*[self.counted] * 9, oldest_due_seconds=None, is_capped=False)


@pytest.fixture
def desk() -> Desk:
    return Desk()


@pytest.fixture
def recent(desk: Desk) -> Recent:
    return Recent(lambda: desk.now)


def jobs(desk: Desk, recent: Recent, role: Role = Role.SUPER_ADMIN, tenant: Any = None) -> AllJobs:
    return AllJobs(Access(desk, Caller(None, role, tenant)), recent)


@pytest.mark.parametrize("role", Role)
async def test_a_caller_with_a_tenant_sees_none_of_it(desk: Desk, recent: Recent, role: Role) -> None:
    await jobs(desk, recent).summary()
    theirs = jobs(desk, recent, role, uuid4())

    with pytest.raises(Forbidden):
        await theirs.list()
    with pytest.raises(Forbidden):
        await theirs.get(uuid4())
    with pytest.raises(Forbidden):
        await theirs.summary()


async def test_a_super_admin_sees_all(desk: Desk, recent: Recent) -> None:
    assert (await jobs(desk, recent).list()).items == []
    with pytest.raises(JobNotFound):
        await jobs(desk, recent).get(uuid4())


async def test_all_tenants_are_counted_once_in_five_seconds(desk: Desk, recent: Recent) -> None:
    seen: list[int] = []
    for seconds in (0, 4.9, 0.1, 4.9):
        desk.now += seconds
        seen.append((await jobs(desk, recent).summary()).queued)

    assert seen == [1, 1, 2, 2]


async def test_a_count_that_fails_is_tried_again(desk: Desk, recent: Recent) -> None:
    desk.failure = StoreBusy("busy")
    with pytest.raises(StoreBusy):
        await jobs(desk, recent).summary()
    desk.failure = None

    assert (await jobs(desk, recent).summary()).queued == 2


async def test_a_process_remembers_some_answers_and_no_more(desk: Desk, recent: Recent) -> None:
    access = Access(desk, Caller(None, Role.SUPER_ADMIN))
    await jobs(desk, recent).summary()
    for _ in range(MOST):
        await recent.get(access, "listTenants", CountTenants((uuid4(),)))

    assert (await jobs(desk, recent).summary()).queued == 2
