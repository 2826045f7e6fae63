"""One schema, one verdict: by the function, by name, by the stored schema, and before the handler runs."""

from __future__ import annotations

from datetime import datetime
from decimal import Decimal
from typing import Annotated
from uuid import UUID

import pytest
from pydantic import AfterValidator, Field

from jobplane import InvalidPayload, Jobplane, JobStatus
from jobplane.core.model import Document, NewJob
from jobplane.store.verbs.jobs import Enqueue

ID = "0198c2f0-6f0d-7d53-8a34-5a2f8c0f7d11"
FITS: list[Document] = [
    {"id": ID, "n": 1},
    {"id": ID.upper(), "n": 9},
    {"id": ID, "n": 1.0},
    {"id": ID, "n": 1, "price": "1.10", "at": "2026-01-01T00:00:00Z"},
    {"id": ID, "n": 1, "price": -1.5, "at": "2026-01-01T00:00:00.5+02:00"},
    {"id": ID, "n": 1, "names": ["a", "b"]},
    {"id": ID, "n": 1, "names": []},
]
MISFITS: list[Document] = [
    {},
    {"id": ID},
    {"id": ID, "n": 0},
    {"id": ID, "n": 10},
    {"id": ID, "n": "1"},
    {"id": ID, "n": True},
    {"id": ID, "n": 1.5},
    {"id": ID, "n": None},
    {"id": "not-a-uuid", "n": 1},
    {"id": ID, "n": 1, "at": "2026-01-01"},
    {"id": ID, "n": 1, "at": "2026-01-01T00:00:00"},
    {"id": ID, "n": 1, "at": 1767225600},
    {"id": ID, "n": 1, "price": "1,10"},
    {"id": ID, "n": 1, "price": "NaN"},
    {"id": ID, "n": 1, "names": "ab"},
    {"id": ID, "n": 1, "names": [1]},
    {"id": ID, "n": 1, "more": 1},
]


def handler(
    id: UUID,  # noqa: A002 a parameter may be called as a builtin is
    n: Annotated[int, Field(ge=1, le=9)],
    price: Decimal = Decimal(0),
    at: datetime | None = None,
    names: tuple[str, ...] = (),
) -> None: ...


def accepts(plane: Jobplane, payload: Document) -> bool:
    try:
        return plane.enqueue("judged", payload).created
    except InvalidPayload:
        return False


def test_every_path_gives_the_same_verdict(jp: Jobplane, url: str | None) -> None:
    jp.job("judged")(handler)
    jp.sync()
    payloads = [*FITS, *MISFITS]
    wanted = [True] * len(FITS) + [False] * len(MISFITS)

    with Jobplane(url) as other:
        by_code = [accepts(jp, payload) for payload in payloads]
        by_the_stored_schema = [accepts(other, payload) for payload in payloads]

    assert by_code == wanted
    assert by_the_stored_schema == wanted


def test_the_same_verdict_falls_before_a_handler_runs(jp: Jobplane) -> None:
    jp.job("judged")(handler)
    jp.sync()
    default = jp.create_tenant("acme").tenant_id
    payloads = [*FITS, *MISFITS]
    jobs = [NewJob(definition="judged", payload=payload) for payload in payloads]
    answers = jp._stores.get_blocking().run(Enqueue(default, jobs))  # pyright: ignore[reportPrivateUsage] as SQL would: unjudged

    assert jp.drain() == len(payloads)

    ended = [jp.get(str(answer.job_id), tenant=default) for answer in answers]
    assert [job.status for job in ended] == [JobStatus.SUCCEEDED] * len(FITS) + [JobStatus.FAILED] * len(MISFITS)
    assert {job.reason for job in ended[len(FITS) :]} == {"invalid_payload"}


def _odd(value: int) -> int:
    if value % 2 == 0:
        raise ValueError("an even number")
    return value


def test_what_only_a_validator_of_the_code_knows_is_found_before_it_runs(jp: Jobplane, url: str | None) -> None:
    @jp.job("odd")
    def odd(n: Annotated[int, AfterValidator(_odd)]) -> int:
        return n

    jp.sync()
    with pytest.raises(InvalidPayload, match="an even number"):
        odd.enqueue(n=2)
    with Jobplane(url) as other:
        handle = other.enqueue("odd", {"n": 2})
    jp.drain()

    job = jp.get(handle)
    assert (job.status, job.reason) == (JobStatus.FAILED, "invalid_payload")
    assert "an even number" in str(job.error)
