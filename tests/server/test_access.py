"""Who may call what, and what a stranger learns: nothing."""

from __future__ import annotations

import re
from typing import Any
from uuid import uuid4

import pytest

from jobplane.control.access import ALIASES, BESIDE, LADDER, OPEN, OPERATIONS, Role
from tests.server.operations import operations
from tests.server.site import CAST, SAME_ORIGIN, Cast, Site, Voice

EITHER = pytest.mark.parametrize("by", ["key", "session"])


async def voice_by(site: Site, voice: Voice, by: str) -> Voice:
    return voice if by == "key" else await site.signed_in(voice)


async def test_every_operation_is_in_the_table_with_an_example_for_its_body(site: Site) -> None:
    """A route that is not in the table could not be made: its role is in the document."""
    named = {operation.name for operation in operations(site.app)}

    assert named <= set(OPERATIONS) | set(ALIASES) | OPEN
    assert all(each.body is not None for each in operations(site.app) if each.method in ("PUT", "PATCH"))


def allowed(role: Role, operation: str) -> bool:
    if operation in OPEN:
        return True
    if role in BESIDE:
        return operation in BESIDE[role]
    return LADDER.index(role) >= LADDER.index(OPERATIONS[ALIASES.get(operation, operation)])


async def names_of(site: Site, cast: Cast) -> dict[str, str]:
    """Things of tenant a, and of the installation, by the names that paths have for them."""
    definition = await site.define()
    job = (await cast.alice.post("/jobs", {"definition_key": definition.key})).json
    key = (await cast.alice.post("/keys", {"role": "viewer"})).json
    hourly = {"label": "hourly", "cron_expr": "5 * * * *", "definition_key": definition.key}
    trigger = (await cast.alice.post("/schedules", hourly)).json
    return {
        "job_id": job["id"], "key_id": key["key_id"], "name": definition.queue, "tenant": cast.a.slug,
        "key": definition.key, "worker_id": "worker-of-old", "secret": key["key"],
        "trigger": trigger["id"], "attempt_no": "1",
    }  # fmt: skip


@EITHER
async def test_each_role_may_do_what_the_table_says_and_nothing_else(site: Site, cast: Cast, by: str) -> None:
    names = await names_of(site, cast)
    wrong: list[tuple[str, str, int, str | None]] = []
    for operation in operations(site.app):
        for person, (role, _) in CAST.items():
            voice = await voice_by(site, cast.voices[person], by)
            whole = voice.naming(cast.a.slug) if person == "root" else voice
            answer = await operation.ask(whole, names)
            name = (
                "runJobAgainEdited" if operation.name == "runJobAgain" else operation.name
            )  # its example has a payload
            if (answer.code == "forbidden") == allowed(role, name) or answer.status >= 500:
                wrong.append((operation.name, person, answer.status, answer.code))

    assert not wrong


async def test_nobody_gets_in_without_a_key(site: Site, cast: Cast) -> None:
    names = await names_of(site, cast)
    bad = ["", "Bearer", "Basic abc", "Bearer jp_000000000000_wrong", "Bearer " + "x" * 5000]
    for operation in operations(site.app):
        for header in bad:
            given = {"Authorization": header} if header else {}
            answer = await operation.ask(site.nobody, {**names, "secret": "wrong"}, headers={**SAME_ORIGIN, **given})
            assert (answer.status, answer.code) == (401, "unauthenticated"), (operation.name, header)
            assert answer.headers["www-authenticate"] == "Bearer"


def blank(answer: Any) -> Any:
    """An answer without what names the request."""
    return re.sub(r"[0-9a-f]{8}-[0-9a-f-]{27}|[0-9a-f]{32}|[0-9a-z]{12}", "…", answer.text)


@EITHER
async def test_a_stranger_cannot_tell_what_is_there_from_what_never_was(site: Site, cast: Cast, by: str) -> None:
    """Ids of tenant a in the path, the query, the cursor and the header, asked for by charlie of tenant b."""
    names = await names_of(site, cast)
    charlie = await voice_by(site, cast.charlie, by)
    nothing = {**names, "job_id": str(uuid4()), "key_id": "000000000000", "trigger": str(uuid4())}
    for operation in operations(site.app):
        is_selection = operation.name in ("cancelJobs", "retryJobs")
        if not allowed(Role.TENANT_ADMIN, operation.name) or ("{" not in operation.path and not is_selection):
            continue
        there, nowhere = await operation.ask(charlie, names), await operation.ask(charlie, nothing)
        if operation.name in ("getDefinition", "previewCommand"):  # the installation's, the same for all tenants
            continue
        assert (there.status, blank(there)) == (nowhere.status, blank(nowhere)), operation.name
        assert there.status == 404 or is_selection, operation.name
    for params in ({"cursor": names["job_id"]}, {"correlation_id": "x"}):
        listed = await charlie.get("/jobs", **params)
        assert names["job_id"] not in listed.text or listed.status == 422
    found = await charlie.get("/logs", q="text", job_id=names["job_id"])
    assert found.status in (200, 404)
    assert found.status == 404 or found.json["items"] == []
    named = await charlie.naming(cast.a.tenant_id).get("/jobs")
    unknown = await charlie.naming(uuid4()).get("/jobs")
    assert (named.status, blank(named)) == (unknown.status, blank(unknown)) == (404, blank(unknown))


async def test_a_narrowed_key_sees_one_users_jobs(site: Site, cast: Cast) -> None:
    definition = await site.define()
    made = (await cast.alice.post("/keys", {"role": "tenant_admin", "owner_user_id": "u-1"})).json
    narrow = type(cast.alice)(site.client, made["key"])
    own = (await narrow.post("/jobs", {"definition_key": definition.key})).json
    other = (await cast.alice.post("/jobs", {"definition_key": definition.key})).json

    assert own["metadata"] == {"owner_user_id": "u-1"}
    assert [job["id"] for job in (await narrow.get("/jobs")).json["items"]] == [own["id"]]
    for path in ("", "/attempts", "/logs", "/result", "/explain"):
        assert (await narrow.get(f"/jobs/{own['id']}{path}")).status == 200
        assert (await narrow.get(f"/jobs/{other['id']}{path}")).status == 404
    assert (await narrow.post(f"/jobs/{other['id']}/cancel")).status == 404
    assert (await narrow.get("/jobs/summary")).code == "forbidden"
    assert (await narrow.get("/logs", q="x")).code == "forbidden"
    for path in ("/problems", "/audit", "/overview"):
        assert (await narrow.get(path)).code == "forbidden", path
