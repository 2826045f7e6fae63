"""The setting `access`: an installation gives operations another least role."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Mapping
from contextlib import asynccontextmanager

import pytest

from jobplane import config
from jobplane.config import Config, InvalidConfig
from jobplane.control.access import ALIASES, BESIDE, LADDER, OPEN, OPERATIONS, Role
from tests.server.operations import operations
from tests.server.site import CAST, Cast, Site, Voice, opened
from tests.server.test_access import EITHER, names_of, voice_by

OWN = BESIDE[Role.WORKER]
CHANGEABLE = [name for name, least in OPERATIONS.items() if least is not Role.SUPER_ADMIN and name not in OWN]
LOWERABLE = [name for name in CHANGEABLE if name not in ("createKey", "rotateKey")]
ANY_ROLE = "needs at least the role tenant_admin: it can create keys of any role."
ACROSS = "needs the role super_admin: it reaches across tenants. Leave it out."
# The example of its body has a payload.
JUDGED = {**ALIASES, "runJobAgain": "runJobAgainEdited"}


@asynccontextmanager
async def under(site: Site, access: Mapping[str, str]) -> AsyncGenerator[Site]:
    """Another server on the same store, with this setting."""
    settings = Config(server_requests_per_second=0, server_sign_ins_per_minute=0, access=dict(access))
    async with opened(site.store, settings) as other:
        yield other


def at(site: Site, voice: Voice) -> Voice:
    """The same person at another server."""
    return Voice(site.client, voice.key)


@EITHER
async def test_a_role_may_do_what_the_installation_says(site: Site, cast: Cast, by: str) -> None:
    definition = await site.define()
    body = {"definition_key": definition.key}
    access = {"enqueueJob": "responder", "enqueueJobs": "viewer", "cancelJob": "tenant_admin"}
    async with under(site, access) as other:
        alice, bob, rita, eve = [
            await voice_by(other, at(other, voice), by) for voice in (cast.alice, cast.bob, cast.rita, cast.eve)
        ]
        made = await rita.post("/jobs", body)
        refused = await bob.post("/jobs", body)
        many = await bob.post("/jobs/bulk", {"jobs": [body]})
        of_eve = await eve.post("/jobs", body)
        kept = await rita.post(f"/jobs/{made.json['id']}/cancel")
        canceled = await alice.post(f"/jobs/{made.json['id']}/cancel")

    assert (made.status, many.status, of_eve.status, canceled.status) == (201, 200, 201, 200)
    assert [result["outcome"] for result in many.json["results"]] == ["created"]
    assert (refused.code, refused.json["least_role"]) == ("forbidden", "responder")
    assert (kept.code, kept.json["least_role"]) == ("forbidden", "tenant_admin")
    assert (await cast.rita.post("/jobs", body)).code == "forbidden"


async def test_me_and_the_document_follow_the_setting(site: Site, cast: Cast) -> None:
    async with under(site, {"enqueueJob": "responder", "cancelJob": "tenant_admin"}) as other:
        rita = at(other, cast.rita)
        signed_in = await other.sign_in(key=cast.rita.key or "")
        answers = [await rita.get("/me"), signed_in, await rita.holding(signed_in).get("/me")]
        paths = other.app.openapi()["paths"]

    for answer in answers:
        assert "enqueueJob" in answer.json["operations"]
        assert "cancelJob" not in answer.json["operations"]
    enqueue, cancel = paths["/api/v1/jobs"]["post"], paths["/api/v1/jobs/{job_id}/cancel"]["post"]
    assert (enqueue["x-least-role"], cancel["x-least-role"]) == ("responder", "tenant_admin")
    assert "Least role: `responder`." in enqueue["description"]


@EITHER
async def test_every_operation_can_be_closed(site: Site, cast: Cast, by: str) -> None:
    """Also those on a selection of jobs, and those that gather what others show."""
    names = await names_of(site, cast)
    async with under(site, dict.fromkeys(CHANGEABLE, "super_admin")) as other:
        voices = {name: await voice_by(other, at(other, cast.voices[name]), by) for name in CAST if name != "root"}
        root = at(other, cast.root).naming(cast.a.slug)
        asked = [each for each in operations(other.app) if each.name not in OWN | OPEN]
        open_to = [
            (operation.name, name)
            for operation in asked
            for name, voice in voices.items()
            if (await operation.ask(voice, names)).code != "forbidden"
        ]
        assert not open_to
        assert (await root.get("/jobs")).status == (await root.get("/overview")).status == 200


@EITHER
async def test_every_operation_within_a_tenant_can_be_opened(site: Site, cast: Cast, by: str) -> None:
    """But for those that hand out roles. A viewer of another tenant still sees nothing."""
    names = await names_of(site, cast)
    async with under(site, dict.fromkeys(LOWERABLE, "viewer")) as other:
        bob = await voice_by(other, at(other, cast.bob), by)
        charlie = await voice_by(other, at(other, cast.charlie), by)
        asked = [each for each in operations(other.app) if each.name not in OWN | OPEN]
        foreign = [await charlie.get(f"/jobs/{names['job_id']}{end}") for end in ("", "/attempts", "/logs")]
        wrong = [
            (operation.name, answer.status, answer.code)
            for operation in asked
            for answer in [await operation.ask(bob, names)]
            if (answer.code == "forbidden") == (JUDGED.get(operation.name, operation.name) in LOWERABLE)
            or answer.status >= 500
        ]

    assert not wrong
    assert {answer.status for answer in foreign} == {404}


async def test_a_key_is_made_up_to_the_role_of_who_makes_it(site: Site, cast: Cast) -> None:
    async with under(site, {**dict.fromkeys(LOWERABLE, "viewer"), "createKey": "super_admin"}) as other:
        refused = await at(other, cast.alice).post("/keys", {"role": "viewer"})
        made = await at(other, cast.root).naming(cast.a.slug).post("/keys", {"role": "viewer"})

    assert (refused.code, refused.json["least_role"], made.status) == ("forbidden", "super_admin", 201)


@pytest.mark.parametrize(
    ("access", "reason"),
    [
        ("enqueuJob=responder", 'There is no operation "enqueuJob". Did you mean enqueueJob?'),
        ("fly=responder", 'There is no operation "fly". The REST reference lists them.'),
        ("enqueueJob=respnder", 'Operation enqueueJob cannot have the role "respnder". Did you mean responder?'),
        ("enqueueJob", f'Operation enqueueJob cannot have the role "". Use one of {", ".join(LADDER)}.'),
        ("enqueueJob=enqueue", f'Operation enqueueJob cannot have the role "enqueue". Use one of {", ".join(LADDER)}.'),
        ("getMe=super_admin", "Operation getMe is open to every role: it concerns the caller alone. Leave it out."),
        *(
            (f"{name}=tenant_admin", f"Operation {name} {ACROSS}")
            for name, least in OPERATIONS.items()
            if least is Role.SUPER_ADMIN
        ),
        *((f"{name}=responder", f"Operation {name} {ANY_ROLE}") for name in ("createKey", "rotateKey")),
    ],
)  # fmt: skip
def test_a_setting_that_cannot_be_is_refused_at_the_start(access: str, reason: str) -> None:
    for given, env in (({}, {"JOBPLANE_ACCESS": access}), ({"access": dict([_pair(access)])}, {})):
        with pytest.raises(InvalidConfig) as refused:
            config.load(given, env=env)
        assert refused.value.message == f"Invalid access. {reason}"


def _pair(access: str) -> tuple[str, str]:
    name, _, role = access.partition("=")
    return name, role
