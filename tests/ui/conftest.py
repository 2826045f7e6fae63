from __future__ import annotations

import os
from collections.abc import Callable, Generator
from pathlib import Path
from typing import Final

import pytest
from playwright.sync_api import Browser, BrowserContext, ConsoleMessage, Page, StorageState, expect, sync_playwright

from tests.embedded.conftest import clean_up
from tests.ui.site import Site, installed

BROWSER: Final = os.environ.get("JOBPLANE_TEST_BROWSER", "")
# As root there is no sandbox; the rest keeps Chromium from calling home.
FLAGS: Final = [
    *("--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking"),
    *("--disable-component-update", "--disable-sync", "--hide-scrollbars"),
]
_WATCH: Final = """
window.__violations = [];
document.addEventListener('securitypolicyviolation', (e) => {
  window.__violations.push(`${e.violatedDirective} ${e.blockedURI}`);
});
"""
Open = Callable[..., Page]

if not BROWSER:
    collect_ignore_glob = ["test_*.py"]  # `make test-ui` names a browser

expect.set_options(timeout=10_000)


@pytest.fixture(scope="session")
def site(tmp_path_factory: pytest.TempPathFactory) -> Generator[Site]:
    base = tmp_path_factory.mktemp("ui")
    try:
        with installed(base / "data") as found:
            yield found
    finally:
        clean_up(base)


@pytest.fixture(scope="session")
def browser() -> Generator[Browser]:
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=BROWSER, args=FLAGS)
        yield browser
        browser.close()


@pytest.fixture(scope="session")
def sessions() -> dict[str, StorageState]:
    """The cookies of each person's session. Sign-ins are limited to 20 a minute, which quick tests exceed."""
    return {}


@pytest.fixture
def open_as(
    site: Site, browser: Browser, sessions: dict[str, StorageState], request: pytest.FixtureRequest
) -> Generator[Open]:
    """Opens a path of the page, signed in as somebody of the cast. Errors and breaches of the policy fail the test.

    `anew` makes a session of its own; others share one for each person.
    """
    contexts: list[BrowserContext] = []
    faults: list[str] = []
    pages: list[Page] = []

    def note(message: ConsoleMessage) -> None:
        if message.type == "error" and "Failed to load resource" not in message.text:
            faults.append(message.text)

    def open_(
        who: str | None,
        path: str = "/",
        *,
        width: int = 1280,
        height: int = 900,
        scheme: str = "light",
        anew: bool = False,
    ) -> Page:
        context = browser.new_context(
            base_url=site.url,
            viewport={"width": width, "height": height},
            color_scheme="dark" if scheme == "dark" else "light",
            reduced_motion="reduce",
            timezone_id="Europe/Oslo",
            storage_state=None if who is None or anew else sessions.get(who),
        )
        contexts.append(context)
        context.add_init_script(_WATCH)
        if who is not None and not context.cookies():
            _sign_in(context, site, who)
            if not anew:
                sessions[who] = context.storage_state()
        page = context.new_page()
        pages.append(page)
        page.on("console", note)
        page.on("pageerror", lambda error: faults.append(str(error)))
        page.goto(path)
        return page

    yield open_

    failed = getattr(request.node, "ui_failed", False)
    for number, page in enumerate(pages):
        if not page.is_closed():
            faults += page.evaluate("window.__violations ?? []")
            if failed:
                _photograph(page, request.node.name, number)
    for context in contexts:
        context.close()
    assert not faults, faults


def _sign_in(context: BrowserContext, site: Site, who: str) -> None:
    answer = context.request.post("/api/v1/session", data={"key": site.keys[who]}, headers={"Origin": site.url})
    assert answer.status == 201, answer.text()


def _photograph(page: Page, name: str, number: int) -> None:
    """What the page showed when a test failed; CI keeps nothing else of it."""
    folder = Path("build/ui-failures")
    folder.mkdir(parents=True, exist_ok=True)
    page.screenshot(path=folder / f"{name[:80].replace('/', '_')}-{number}.png")


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    report = yield
    if report.when == "call" and report.failed:
        item.ui_failed = True  # pyright: ignore[reportAttributeAccessIssue]
    return report
