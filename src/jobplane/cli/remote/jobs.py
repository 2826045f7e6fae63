"""Jobs by their ids, and what becomes of them."""

from __future__ import annotations

import asyncio
import re
import time
from collections.abc import AsyncIterator
from typing import Final, cast
from uuid import UUID

from jobplane.cli.remote.client import Api, Fields, path_of
from jobplane.cli.remote.faults import AmbiguousId, ServerUnreachable, WaitTimeout, make_error
from jobplane.control.waiting import PASSING, pauses
from jobplane.core.errors import Invalid, JobNotFound, JobplaneError

LOOKED_AT: Final = 1000
SHOWN: Final = 10
ENDED: Final = frozenset({"succeeded", "failed", "dead_letter", "canceled"})
_PART: Final = re.compile(r"[0-9a-f-]{4,36}")
_AWAY_SECONDS: Final = 60.0  # a restart of the server is over by then
_PASSING: Final = (*PASSING, ServerUnreachable)


async def find(api: Api, text: str) -> Fields:
    """The job with this id; raises JobNotFound, AmbiguousId.

    The beginning or the end of an id will do where only one of the newest 1,000 jobs has it.
    """
    job_id = await resolve_id(api, text)
    return await api.get(path_of("jobs", job_id))


async def resolve_id(api: Api, text: str) -> str:
    """The whole id of a job."""
    try:
        return str(UUID(text))
    except ValueError:
        part = text.lower()
    if not _PART.fullmatch(part):
        message = f'"{text:.60}" is not the id of a job. Write the whole id, or 4 or more characters of either end.'
        raise Invalid(message)
    found = await _search(api, part)
    if len(found) > 1:
        raise AmbiguousId(_ambiguity(part, found), candidates=[job["id"] for job in found])
    if not found:
        message = f"None of the newest 1,000 jobs has an id that begins or ends with {part}. Write the whole id."
        raise JobNotFound(message)
    return str(found[0]["id"])


async def _search(api: Api, part: str) -> list[Fields]:
    found: list[Fields] = []
    async for page in api.pages("/jobs", {}, LOOKED_AT):
        found += [job for job in page["items"] if str(job["id"]).startswith(part) or str(job["id"]).endswith(part)]
    return found


def _ambiguity(part: str, found: list[Fields]) -> str:
    listed = [f"  {job['id']}  {job['status']}  {job['definition_key']}" for job in found[:SHOWN]]
    more = [f"  and {len(found) - SHOWN} more"] if len(found) > SHOWN else []
    head = f"{len(found)} jobs have an id that begins or ends with {part}. Write more of it:"
    return "\n".join([head, *listed, *more])


async def wait_for_end(api: Api, job_id: str, timeout_seconds: float | None) -> Fields:
    """The job once it has ended; raises WaitTimeout. A restart of the server or its database is waited for."""
    outage = _Outage()
    for pause in pauses(timeout_seconds):
        try:
            job = await api.get(path_of("jobs", job_id))
        except _PASSING as error:
            outage.bear(error)
        else:
            outage.is_over()
            if job["status"] in ENDED:
                return job
        await asyncio.sleep(pause)
    message = f"Job {job_id} has not ended within {timeout_seconds:g} s. Try: jobplane jobs logs {job_id} -f"
    raise WaitTimeout(message, job_id=job_id)


async def follow_log(api: Api, job_id: str, attempt: int | None) -> AsyncIterator[Fields]:
    """The lines of a log as they come, until the job has ended. A stream that breaks is taken up where it broke."""
    params = {"follow": "true", "attempt": attempt}
    outage = _Outage()
    last_id: str | None = None
    while True:
        try:
            async with api.events(path_of("jobs", job_id, "logs"), params, last_id) as source:
                outage.is_over()
                async for event in source:
                    if event.event == "end":
                        return
                    if event.event == "error":
                        raise _read_error(event.json())
                    last_id = event.id or last_id
                    yield _line(event.json())
        except _PASSING as error:
            outage.bear(error)
        await asyncio.sleep(0.5)


def _line(value: object) -> Fields:
    return cast("Fields", value)


def _read_error(value: object) -> JobplaneError:
    return make_error(503, _line(value))


class _Outage:
    """How long the server is away. One that was never there is not waited for."""

    def __init__(self) -> None:
        self._was_there = False
        self._since: float | None = None

    def bear(self, error: JobplaneError) -> None:
        """Raise an error that has lasted too long."""
        now = time.monotonic()
        self._since = now if self._since is None else self._since
        if not self._was_there or now - self._since > _AWAY_SECONDS:
            raise error

    def is_over(self) -> None:
        self._was_there, self._since = True, None
