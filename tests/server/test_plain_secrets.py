"""A plain value where the schema wants a reference to a secret is refused at every door, and kept nowhere."""

from __future__ import annotations

from itertools import count
from typing import Any, Final

import pytest

from tests.server.site import Answer, Cast, Site

NUMBERS: Final = count(1)
PLAIN: Final = "hunter2hunter2"
SCHEMA: Final[dict[str, Any]] = {
    "type": "object",
    "properties": {"token": {"type": "string", "writeOnly": True}, "n": {"type": "integer"}},
    "additionalProperties": False,
}
COMMAND: Final = {"executable": "/usr/bin/true", "environment": {"TOKEN": "{token}"}}


@pytest.fixture(params=["command", "python"])
async def key(request: pytest.FixtureRequest, site: Site) -> str:
    """The key of a definition whose `token` is a secret."""
    key = f"secret-{request.param}-{next(NUMBERS)}"
    how = {"command": COMMAND} if request.param == "command" else {"kind": "python"}
    await site.plane.definitions.put([{"key": key, "arg_schema": SCHEMA, **how}])
    return key


def judged(answer: Answer) -> tuple[int, str | None, list[str]]:
    assert PLAIN not in answer.text
    return answer.status, answer.code, [fault["pointer"] for fault in answer.json["errors"]]


async def test_a_job_with_a_plain_secret_is_refused(site: Site, cast: Cast, key: str) -> None:
    body = {"definition_key": key, "payload": {"token": PLAIN}}
    waiting = (await cast.alice.post("/jobs", {"definition_key": key})).json["id"]
    ended = (await cast.alice.post("/jobs", {"definition_key": key})).json["id"]
    await cast.alice.post(f"/jobs/{ended}/cancel")

    answers = [
        await cast.alice.post("/jobs", body),
        await cast.eve.post("/jobs", body),
        await cast.alice.post("/jobs", body, params={"dry_run": True}),
        await cast.alice.patch(f"/jobs/{waiting}", {"payload": {"token": PLAIN}}),
        await cast.alice.post(f"/jobs/{ended}/run-again", {"payload": {"token": PLAIN}}),
    ]

    for answer in answers:
        assert judged(answer) == (422, "secret_in_payload", ["/token"])
    await refute(cast, key, jobs=2)


async def test_a_bulk_enqueue_refuses_the_jobs_with_a_plain_secret(site: Site, cast: Cast, key: str) -> None:
    jobs = [{"definition_key": key, "payload": {"token": token}} for token in ("env:TOKEN", PLAIN)]

    answer = await cast.alice.post("/jobs/bulk", {"jobs": jobs})

    assert [(each["outcome"], each["code"]) for each in answer.json["results"]] == [
        ("created", None), ("refused", "secret_in_payload"),
    ]  # fmt: skip
    assert PLAIN not in answer.text
    await refute(cast, key, jobs=1)


async def test_a_schedule_with_a_plain_secret_is_refused(site: Site, cast: Cast, key: str) -> None:
    plain = {"payload_template": {"token": PLAIN}}
    hourly = {"label": "hourly", "cron_expr": "5 * * * *", "definition_key": key}
    saved = (await cast.alice.post("/schedules", hourly)).json["id"]

    answers = [
        await cast.alice.post("/schedules", hourly | plain),
        await cast.alice.post("/jobs/triggers", hourly | plain),
        await cast.alice.patch(f"/schedules/{saved}", plain),
        await cast.alice.patch(f"/jobs/triggers/{saved}", plain),
    ]

    for answer in answers:
        assert judged(answer) == (422, "secret_in_payload", ["/payload_template/token"])


async def refute(cast: Cast, key: str, *, jobs: int) -> None:
    """There are this many jobs of the definition, and no list, log or audit row has the secret."""
    listed = await cast.alice.get("/jobs", definition_key=key)
    assert len(listed.json["items"]) == jobs
    for answer in (listed, await cast.root.get("/audit"), await cast.root.get("/overview")):
        assert PLAIN not in answer.text
