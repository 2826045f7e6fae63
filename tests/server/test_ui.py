"""How the server hands out the web UI. That it works is shown by `make test-ui`, in a browser."""

from __future__ import annotations

import re
from pathlib import Path

import httpx2
import pytest

from jobplane.config import Config
from jobplane.server import ui
from jobplane.server.app import make_app
from tests.client import SqliteStore

PAGE = {"Accept": "text/html,application/xhtml+xml"}
pytestmark = pytest.mark.skipif(not ui.PLACE.is_dir(), reason="make ui-build")


def client(root_path: str = "") -> httpx2.AsyncClient:
    app = make_app(Config(server_root_path=root_path), SqliteStore(":memory:"))
    return httpx2.AsyncClient(transport=httpx2.ASGITransport(app), base_url="http://jobs.example")


@pytest.mark.parametrize("path", ["/", "/jobs", "/jobs/01a1ed40-511c-79c1-a30e-9dfb981e51b6", "/sign-in", "/keys"])
async def test_each_address_of_the_page_answers_with_it(path: str) -> None:
    async with client() as asking:
        answer = await asking.get(path, headers=PAGE)

    assert answer.status_code == 200
    assert answer.headers["content-type"] == "text/html; charset=utf-8"
    assert answer.headers["cache-control"] == "no-store"
    assert '<base href="/" />' in answer.text


def test_each_page_of_the_router_has_an_address() -> None:
    router = (Path(__file__).parents[2] / "ui/src/router.tsx").read_text()

    assert set(re.findall(r"at\('/([a-z]+)", router)) <= set(ui.PAGES)


async def test_the_policy_allows_nothing_from_elsewhere_and_styles_by_a_nonce_of_one_answer() -> None:
    async with client() as asking:
        first, second = [await asking.get("/", headers=PAGE) for _ in range(2)]

    policy = first.headers["content-security-policy"]
    [nonce] = re.findall(r"'nonce-([\w-]{20,})'", policy)
    assert f'<meta name="csp-nonce" content="{nonce}" />' in first.text
    assert nonce not in second.headers["content-security-policy"]
    assert "default-src 'none'" in policy
    assert "script-src 'self';" in policy
    assert "frame-ancestors 'none'" in policy
    assert "unsafe" not in policy
    assert "http" not in policy


async def test_under_a_sub_path_the_page_finds_its_files_and_the_api_there() -> None:
    async with client("/ops/jobs") as asking:
        answer = await asking.get("/ops/jobs/keys", headers=PAGE)
        [script] = re.findall(r'src="\./(assets/index-[^"]+\.js)"', answer.text)
        file = await asking.get(f"/ops/jobs/{script}")

    assert '<base href="/ops/jobs/" />' in answer.text
    assert file.status_code == 200
    assert file.headers["content-type"].startswith("text/javascript")


async def test_files_are_kept_for_a_year_and_sent_packed() -> None:
    name = next(file.name for file in (ui.PLACE / "assets").iterdir() if file.suffix == ".js")
    async with client() as asking:
        packed = await asking.get(f"/assets/{name}", headers={"Accept-Encoding": "gzip"})
        plain = await asking.get(f"/assets/{name}", headers={"Accept-Encoding": "identity"})

    assert packed.headers["cache-control"] == "public, max-age=31536000, immutable"
    assert packed.headers["content-encoding"] == "gzip"
    assert "content-encoding" not in plain.headers
    assert packed.content == plain.content


@pytest.mark.parametrize("name", ["nothing.js", "..%2findex.html", "%2e%2e%2f%2e%2e%2fconfig.py", "", "a" * 5000])
async def test_nothing_but_files_of_the_page_can_be_read(name: str) -> None:
    async with client() as asking:
        answer = await asking.get(f"/assets/{name}")

    assert answer.status_code == 404
    assert answer.headers["content-type"] == "application/problem+json"


async def test_an_unknown_address_is_a_page_for_people_and_a_problem_for_programs() -> None:
    async with client() as asking:
        person = await asking.get("/nonsense", headers=PAGE)
        program = await asking.get("/nonsense")
        api = await asking.get("/api/v1/nonsense", headers=PAGE)
        posted = await asking.post("/jobs", headers=PAGE)

    assert (person.status_code, person.headers["content-type"]) == (404, "text/html; charset=utf-8")
    assert (program.status_code, program.json()["code"]) == (404, "route_not_found")
    assert api.headers["content-type"] == "application/problem+json"
    assert posted.status_code == 405


async def test_an_installation_without_the_page_says_how_to_get_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ui, "_page", lambda: None)
    async with client() as asking:
        answer = await asking.get("/", headers=PAGE)

    assert answer.status_code == 404
    assert "make ui-build" in answer.text
