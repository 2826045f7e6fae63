"""What every response says to a browser."""

from __future__ import annotations

from typing import Final

import pytest
from fastapi import Response

from jobplane.server.headers import completed
from tests.server.operations import operations
from tests.server.site import Cast, Site
from tests.server.test_access import names_of

SAFE: Final = {
    "x-content-type-options": "nosniff",
    "referrer-policy": "no-referrer",
    "x-frame-options": "DENY",
    "cross-origin-opener-policy": "same-origin",
}
PATHS: Final = ("/healthz", "/readyz", "/api/openapi.json", "/api/docs", "/llms.txt", "/api/errors/invalid", "/nothing")


async def test_every_answer_has_the_safe_headers(site: Site, cast: Cast) -> None:
    names = await names_of(site, cast)
    answers = [
        await operation.ask(voice, names) for operation in operations(site.app) for voice in (cast.bob, site.nobody)
    ]
    answers += [await cast.root.get(path) for path in PATHS]

    assert {answer.status for answer in answers} >= {200, 201, 204, 401, 403, 404}
    for answer in answers:
        assert {name: answer.headers.get_list(name) for name in SAFE} == {name: [text] for name, text in SAFE.items()}
        assert "strict-transport-security" not in answer.headers


async def test_a_fault_of_the_server_has_them_too(site: Site, cast: Cast, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_: object) -> Response:
        raise RuntimeError("a fault")

    monkeypatch.setattr("jobplane.server.routes.me.caller_fields", broken)

    answer = await cast.bob.get("/me")

    assert (answer.status, answer.code) == (500, "internal_error")
    assert {name: answer.headers[name] for name in SAFE} == SAFE
    assert answer.headers["x-request-id"] == answer.json["request_id"]


async def test_by_https_a_browser_is_told_to_stay_there(site: Site) -> None:
    answer = await site.client.get("https://test/healthz")

    assert answer.headers["strict-transport-security"] == "max-age=31536000"


def test_what_a_response_has_set_itself_stays() -> None:
    given = [(b"Cache-Control", b"max-age=60"), (b"x-frame-options", b"SAMEORIGIN")]

    found = completed(given, (b"x-request-id", b"1"), is_https=False)

    assert found[:2] == given
    assert [name for name, _ in found[2:]] == [
        b"x-request-id", b"x-content-type-options", b"referrer-policy", b"cross-origin-opener-policy",
    ]  # fmt: skip
