"""Sign in with a browser, sign out, and links that sign in once."""

from __future__ import annotations

import asyncio
import logging
import re
from typing import Final

import pytest

from jobplane import __version__
from jobplane.config import Config
from jobplane.core.sessions import new_token
from jobplane.server import rates
from jobplane.server.rates import SignIns
from tests.server.site import SAME_ORIGIN, Cast, Site, Voice, opened

TOKEN: Final = re.compile(r"jp[sl]_[0-9A-Za-z_-]{20,}")
HTTPS: Final = "https://test/api/v1"


async def link_of(voice: Voice) -> str:
    answer = await voice.post("/session/links", headers=SAME_ORIGIN)
    assert answer.status == 201, answer.text
    return answer.json["link"]


async def is_in(voice: Voice) -> bool:
    return (await voice.get("/me")).status == 200


async def test_a_key_signs_in_and_the_session_acts_for_it(site: Site, cast: Cast) -> None:
    answer = await site.sign_in(key=cast.alice.key or "")
    alice = site.nobody.holding(answer)

    assert answer.status == 201
    assert not TOKEN.search(answer.text)
    me = (await alice.get("/me")).json
    assert {**me, "now": ""} == {**answer.json, "now": ""}
    by_key = (await cast.alice.get("/me")).json
    assert (by_key["session"], by_key["type"]) == (None, "key")
    assert {**by_key, "now": "", "type": "session", "session": me["session"]} == {**me, "now": ""}
    assert (me["tenant"], me["tenant_name"], me["version"]) == (cast.a.slug, cast.a.name, __version__)
    assert me["store"] == ("sqlite" if "Sqlite" in type(site.store).__name__ else "postgresql")
    assert me["session"]["created_at"] < me["session"]["expires_at"]


async def test_a_platform_key_has_no_tenant(site: Site, cast: Cast) -> None:
    me = (await (await site.signed_in(cast.root)).get("/me")).json

    assert (me["role"], me["tenant"], me["tenant_name"], me["tenant_id"]) == ("super_admin", None, None, None)


async def test_a_link_signs_in_once(site: Site, cast: Cast) -> None:
    made = (await cast.bob.post("/session/links")).json

    first, second = await site.sign_in(link=made["link"]), await site.sign_in(link=made["link"])

    assert made["path"] == f"/sign-in#link={made['link']}"
    assert (first.status, first.json["role"]) == (201, "viewer")
    assert (second.status, second.code) == (401, "unauthenticated")
    assert "set-cookie" not in second.headers


async def test_of_sixteen_who_use_a_link_at_once_one_gets_in(site: Site, cast: Cast) -> None:
    link = await link_of(cast.alice)

    answers = await asyncio.gather(*(site.sign_in(link=link) for _ in range(16)))

    assert sorted(answer.status for answer in answers) == [201] + 15 * [401]


@pytest.mark.parametrize("person", ["alice", "bob", "eve", "root", "wanda"])
async def test_everybody_makes_a_link_for_themselves(site: Site, cast: Cast, person: str) -> None:
    voice = cast.voices[person]

    me = (await site.sign_in(link=await link_of(voice))).json

    assert (me["id"], me["role"]) == ((await voice.get("/me")).json["id"], (await voice.get("/me")).json["role"])


async def test_a_session_that_came_of_a_session_ends_with_it(site: Site, cast: Cast) -> None:
    """Or whoever has stolen a cookie could keep it alive for ever."""
    alice = await site.signed_in(cast.alice)

    second = await site.sign_in(link=await link_of(alice))
    third = await site.sign_in(link=await link_of(site.nobody.holding(second)))

    ends = [each["session"]["expires_at"] for each in ((await alice.get("/me")).json, second.json, third.json)]
    assert len(set(ends)) == 1
    assert third.json["id"] == (await cast.alice.get("/me")).json["id"]


async def test_whatever_is_wrong_the_answer_is_the_same(site: Site, cast: Cast) -> None:
    used, revoked = await link_of(cast.alice), (await cast.alice.post("/keys", {"role": "viewer"})).json
    await site.sign_in(link=used)
    stale = await link_of(Voice(site.client, revoked["key"]))
    await cast.alice.post(f"/keys/{revoked['key_id']}/revoke")
    key = cast.alice.key or ""
    wrong = [
        {"key": ""}, {"key": "x"}, {"key": key[:-1]}, {"key": revoked["key"]}, {"key": used}, {"key": "ä" * 500},
        {"link": ""}, {"link": used}, {"link": stale}, {"link": new_token("jpl").text}, {"link": key},
        {"link": (await site.sign_in(key=key)).headers["set-cookie"].partition("=")[2].partition(";")[0]},
    ]  # fmt: skip

    answers = [await site.sign_in(**body) for body in wrong]

    assert {(answer.status, answer.code, answer.json["detail"]) for answer in answers} == {
        (401, "unauthenticated", answers[0].json["detail"])
    }
    assert not any("set-cookie" in answer.headers for answer in answers)


async def test_a_sign_in_names_a_key_or_a_link(site: Site, cast: Cast) -> None:
    link = await link_of(cast.alice)
    both: dict[str, object] = {"key": cast.alice.key, "link": link}
    for body in ({}, both, {"key": 1}, {"key": "x" * 501}, {"password": "p"}, "text"):
        answer = await site.nobody.post("/session", body, headers=SAME_ORIGIN)
        assert (answer.status, answer.code) == (422, "invalid_request"), body
        assert link not in answer.text
        assert str(cast.alice.key) not in answer.text
    assert (await site.sign_in(link=link)).status == 201


async def test_each_sign_in_has_a_new_token_and_ends_the_session_before(site: Site, cast: Cast) -> None:
    """A cookie that somebody else has put into the browser is worth nothing after the sign-in."""
    chosen = f"jobplane={new_token('jps').text}"
    first = await site.nobody.post("/session", {"key": cast.alice.key}, headers={**SAME_ORIGIN, "Cookie": chosen})
    before = site.nobody.holding(first)
    assert await is_in(before)

    second = await before.post("/session", {"key": cast.alice.key})

    cookies = {chosen, *(answer.headers["set-cookie"].partition(";")[0] for answer in (first, second))}
    assert len(cookies) == 3
    assert await is_in(site.nobody.holding(second))
    assert not await is_in(before)
    assert not await is_in(Voice(site.client, None, Cookie=chosen))


async def test_signing_out_ends_one_session_at_once(site: Site, cast: Cast) -> None:
    here, there = await site.signed_in(cast.alice), await site.signed_in(cast.alice)
    assert await is_in(here)

    answer = await here.delete("/session")

    assert (answer.status, answer.text) == (204, "")
    assert 'jobplane=""; HttpOnly; Max-Age=0; Path=/; SameSite=lax' in answer.headers["set-cookie"]
    assert not await is_in(here)
    assert await is_in(there)
    assert (await cast.alice.delete("/session")).code == "not_found"


async def test_signing_out_everywhere_ends_all_sessions_and_links_of_the_key(site: Site, cast: Cast) -> None:
    here, there, rita = [await site.signed_in(each) for each in (cast.alice, cast.alice, cast.rita)]
    links = [await link_of(here), await link_of(cast.alice)]
    assert await is_in(there)

    assert (await here.delete("/sessions")).status == 204

    assert [await is_in(voice) for voice in (here, there, rita, cast.alice)] == [False, False, True, True]
    assert [(await site.sign_in(link=link)).status for link in links] == [401, 401]
    after = await site.signed_in(cast.alice)
    assert (await cast.alice.delete("/sessions")).status == 204
    assert not await is_in(after)


async def test_a_revoked_key_ends_its_sessions_within_five_seconds(site: Site, cast: Cast) -> None:
    made = (await cast.alice.post("/keys", {"role": "viewer"})).json
    session = await site.signed_in(Voice(site.client, made["key"]))
    assert await is_in(session)

    await cast.alice.post(f"/keys/{made['key_id']}/revoke")

    site.forget()
    assert not await is_in(session)


async def test_another_server_refuses_a_session_that_has_ended_within_five_seconds(site: Site, cast: Cast) -> None:
    alice = await site.signed_in(cast.alice)
    async with opened(site.store) as other:
        there = Voice(other.client, None, Cookie=alice.cookie)
        assert await is_in(there)

        await alice.delete("/session")

        other.forget()
        assert not await is_in(there)


async def test_a_key_wins_over_a_cookie(site: Site, cast: Cast) -> None:
    bob = await site.signed_in(cast.bob)

    both = await bob.ask("GET", "/me", headers={"Authorization": f"Bearer {cast.alice.key}"})
    wrong = await bob.ask("GET", "/me", headers={"Authorization": "Bearer jp_wrong"})
    of_a_proxy = await bob.ask("GET", "/me", headers={"Authorization": "Basic dXNlcjpwYXNz"})

    assert (both.json["type"], both.json["role"]) == ("key", "tenant_admin")
    assert (wrong.status, wrong.code) == (401, "unauthenticated")
    assert (of_a_proxy.json["type"], of_a_proxy.json["role"]) == ("session", "viewer")


async def test_the_cookie_is_for_the_server_alone(site: Site, cast: Cast) -> None:
    plain = (await site.sign_in(key=cast.bob.key or "")).headers["set-cookie"]
    answer = await site.client.post(f"{HTTPS}/session", json={"key": cast.bob.key}, headers=SAME_ORIGIN)
    by_https = answer.headers["set-cookie"]

    ending = r"=jps_[\w-]{43}; HttpOnly; Max-Age=604800; Path=/; SameSite=lax"
    assert re.fullmatch("jobplane" + ending, plain)
    assert re.fullmatch("__Host-jobplane" + ending + "; Secure", by_https)
    token = by_https.partition("=")[2].partition(";")[0]
    for name, status in (("__Host-jobplane", 200), ("jobplane", 401)):
        seen = await site.client.get(f"{HTTPS}/me", headers={"Cookie": f"{name}={token}"})
        assert seen.status_code == status, name
    ended = await site.client.delete(f"{HTTPS}/session", headers={**SAME_ORIGIN, "Cookie": f"__Host-jobplane={token}"})
    assert ended.headers["set-cookie"].startswith('__Host-jobplane="";')


@pytest.mark.parametrize(
    "cookie", ["", "jobplane=", "jobplane=x", "jobplane=jps_x", "other=1", "jobplane=" + "a" * 9999]
)
async def test_a_cookie_that_is_no_session_lets_nobody_in(site: Site, cookie: str) -> None:
    answer = await Voice(site.client, None, Cookie=cookie).get("/me")

    assert (answer.status, answer.code) == (401, "unauthenticated")


async def test_what_a_session_does_is_in_the_audit_log_under_its_key(site: Site, cast: Cast) -> None:
    definition = await site.define()
    job = (await cast.alice.post("/jobs", {"definition_key": definition.key})).json
    alice = await site.signed_in(cast.alice)
    me = (await alice.get("/me")).json
    await alice.post(f"/jobs/{job['id']}/cancel", headers={"X-Request-Id": "req-9"})
    await site.sign_in(link=await link_of(alice))
    await alice.delete("/session")
    await cast.alice.delete("/sessions")

    entries = [each for each in (await cast.alice.get("/audit")).json["items"] if each["action"] != "createKey"][:6][
        ::-1
    ]

    assert [(each["action"], each["actor"]["type"]) for each in entries] == [
        ("createSession", "session"), ("cancelJob", "session"), ("createSessionLink", "session"),
        ("createSession", "session"), ("endSession", "session"), ("endSessions", "key"),
    ]  # fmt: skip
    assert {each["actor"]["id"] for each in entries} == {me["id"]}
    assert [each["facts"].get("by") for each in entries] == ["key", None, None, "link", None, None]
    assert entries[1]["request_id"] == "req-9"
    assert entries[0]["request_id"]
    assert entries[0]["targets"] == [me["id"]]
    assert (await cast.charlie.get("/audit", target=me["id"])).json["items"] == []


async def test_a_job_says_that_it_was_enqueued_in_a_session(site: Site, cast: Cast) -> None:
    definition = await site.define()
    alice = await site.signed_in(cast.alice)

    job = (await alice.post("/jobs", {"definition_key": definition.key})).json

    assert (job["triggered_by"]["type"], job["triggered_by"]["id"]) == ("session", (await alice.get("/me")).json["id"])


async def test_no_token_is_logged(site: Site, cast: Cast, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG)
    answer = await site.sign_in(key=cast.alice.key or "")
    alice, link = site.nobody.holding(answer), await link_of(cast.alice)
    await site.sign_in(link=link)
    await site.sign_in(link=link)
    await site.nobody.post("/session", {"key": cast.alice.key, "link": link}, headers=SAME_ORIGIN)
    await alice.post("/session", {"key": cast.alice.key}, headers={"Sec-Fetch-Site": "cross-site"})
    await alice.delete("/sessions")
    await alice.get("/me")

    ours = [record.getMessage() for record in caplog.records if not record.name.startswith(("psycopg", "httpx"))]
    assert not [line for line in ours if TOKEN.search(line) or str(cast.alice.key) in line]


async def test_an_address_signs_in_twenty_times_a_minute(site: Site, cast: Cast) -> None:
    async with opened(site.store, Config(database_url="sqlite:///jobs.db")) as limited:
        answers = [await limited.sign_in(key="guess") for _ in range(20)]
        over = await limited.sign_in(key=cast.alice.key or "")
        elsewhere = await limited.nobody.post("/session", {"key": "guess"}, headers={"Sec-Fetch-Site": "cross-site"})
        by_key = await Voice(limited.client, cast.alice.key).get("/me")

    assert {answer.status for answer in answers} == {401}
    assert (over.status, over.code) == (429, "rate_limited")
    assert 1 <= int(over.headers["retry-after"]) <= 3
    assert elsewhere.code == "forbidden"
    assert by_key.status == 200


def test_addresses_are_counted_one_by_one_and_networks_of_ipv6_as_one() -> None:
    limit = SignIns(1)
    limit.spend("10.0.0.1")
    limit.spend("10.0.0.2")
    limit.spend("2001:db8::1")
    limit.spend("2001:db8:0:1::1")
    for address in ("10.0.0.1", "2001:db8::2"):
        with pytest.raises(rates.RateLimited):
            limit.spend(address)


def test_no_more_addresses_are_remembered_than_fit(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rates, "_MOST", 3)
    limit = SignIns(1)
    for number in range(4):
        limit.spend(f"10.0.0.{number}")

    for number in (1, 2, 3):
        with pytest.raises(rates.RateLimited):
            limit.spend(f"10.0.0.{number}")
    limit.spend("10.0.0.0")  # the oldest was forgotten
