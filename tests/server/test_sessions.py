"""Sign in with a browser, sign out, and links that sign in once."""

from __future__ import annotations

from typing import Final

from tests.server.site import Answer, Cast, Site, Voice

SAME_ORIGIN: Final = {"Sec-Fetch-Site": "same-origin"}


async def sign_in(site: Site, **body: str) -> Answer:
    return await site.nobody.post("/session", body, headers=SAME_ORIGIN)


async def signed_in(site: Site, key: str | None) -> Voice:
    """Somebody with the cookie of a new session instead of a key."""
    answer = await sign_in(site, key=key or "")
    assert answer.status == 201, answer.text
    return Voice(site.client, None, Cookie=cookie_of(answer), **SAME_ORIGIN)


def cookie_of(answer: Answer) -> str:
    return answer.headers["set-cookie"].partition(";")[0]


async def test_a_key_signs_in_and_the_cookie_stands_for_it(site: Site, cast: Cast) -> None:
    answer = await sign_in(site, key=cast.alice.key or "")

    assert answer.status == 201, answer.text
    assert (answer.json["type"], answer.json["role"], answer.json["tenant"]) == ("session", "tenant_admin", cast.a.slug)
    alice = Voice(site.client, None, Cookie=cookie_of(answer), **SAME_ORIGIN)
    me = (await alice.get("/me")).json
    assert {**me, "now": ""} == {**answer.json, "now": ""}
    assert me["id"] == (await cast.alice.get("/me")).json["id"]
    assert (await alice.delete("/session")).status == 204
    assert (await alice.get("/me")).code == "unauthenticated"
