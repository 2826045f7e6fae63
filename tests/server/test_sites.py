"""No other site makes a browser do something with the cookie of a session."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

import pytest

from tests.server.operations import operations
from tests.server.site import Cast, Site
from tests.server.test_access import names_of
from tests.server.test_audited import rows

OWN: Final[Mapping[str, Mapping[str, str]]] = {
    "a page of ours": {"Sec-Fetch-Site": "same-origin", "Origin": "http://test"},
    "typed or a bookmark": {"Sec-Fetch-Site": "none"},
    "an old browser": {"Origin": "http://test"},
}
FOREIGN: Final[Mapping[str, Mapping[str, str]]] = {
    "another site": {"Sec-Fetch-Site": "cross-site"},
    "a sister domain": {"Sec-Fetch-Site": "same-site"},
    "a site that says it is ours": {"Sec-Fetch-Site": "cross-site", "Origin": "http://test"},
    "an unknown word": {"Sec-Fetch-Site": "", "Origin": "http://test"},
    "an old browser elsewhere": {"Origin": "http://evil"},
    "a name that begins alike": {"Origin": "http://test.evil"},
    "another port": {"Origin": "http://test:8080"},
    "another scheme": {"Origin": "https://test"},
    "a sandboxed frame": {"Origin": "null"},
    "a browser that says nothing": {},
}


@pytest.mark.parametrize("where", FOREIGN)
async def test_another_site_changes_nothing(site: Site, cast: Cast, where: str) -> None:
    names = await names_of(site, cast)
    root = (await site.signed_in(cast.root)).naming(cast.a.slug).without("Sec-Fetch-Site")
    before = await rows(site)

    answers = [
        (operation.name, await operation.ask(root, names, headers=FOREIGN[where]))
        for operation in operations(site.app)
        if operation.changes
    ]

    assert len(answers) > 25
    assert [
        (name, answer.status) for name, answer in answers if (answer.status, answer.code) != (403, "forbidden")
    ] == []
    assert all("another site" in answer.json["detail"] for _, answer in answers)
    assert await rows(site) == before


@pytest.mark.parametrize("where", OWN)
async def test_a_page_of_ours_changes_things(site: Site, cast: Cast, where: str) -> None:
    for operation in operations(site.app):
        names = await names_of(site, cast)
        root = (await site.signed_in(cast.root)).naming(cast.a.slug).without("Sec-Fetch-Site")
        answer = await operation.ask(root, names, headers=OWN[where])
        assert answer.status not in (401, 403), operation.name


@pytest.mark.parametrize("where", FOREIGN)
async def test_a_key_is_not_a_cookie_and_reads_change_nothing(site: Site, cast: Cast, where: str) -> None:
    root = await site.signed_in(cast.root)
    alice = await site.signed_in(cast.alice)

    read = await root.without("Sec-Fetch-Site").ask("GET", "/tenants", headers=FOREIGN[where])
    by_key = await alice.ask(
        "POST", "/session/links", headers={**FOREIGN[where], "Authorization": f"Bearer {cast.root.key}"}
    )

    assert (read.status, by_key.status) == (200, 201)


async def test_by_https_the_origin_is_the_one_of_https(site: Site, cast: Cast) -> None:
    for origin, status in (("https://test", 201), ("http://test", 403)):
        answer = await site.client.post(
            "https://test/api/v1/session", json={"key": cast.bob.key}, headers={"Origin": origin}
        )
        assert answer.status_code == status, origin
