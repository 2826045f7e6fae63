"""What holds on every page: accessibility in both themes, no sideways scroll, no stored text as HTML."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any, Final

import pytest
from playwright.sync_api import Page, expect

from tests.ui.command_policy import SHELL
from tests.ui.conftest import Open
from tests.ui.site import Site

ROOT: Final = Path(__file__).parents[2]
PAGES: Final = {
    "alice": [
        *("/", "/jobs", "/jobs/{broken}", "/jobs/{later}"),
        *("/run?definition=greet", "/logs?q=hello", "/keys", "/audit"),
        *("/schedules", "/schedules/new", "/schedules/{planned}", "/schedules/{planned}/edit", "/schedules/{paused}"),
        *("/run?definition={command}", "/jobs/{printed}", "/jobs/{refused}"),
    ],
    "root": [
        *("/", "/jobs", "/tenants", "/workers", "/queues", "/definitions", "/definitions/greet", "/keys", "/audit"),
        *("/database", "/welcome", "/jobs/{done}?tenant=acme", "/schedules", "/schedules/{planned}"),
        *("/commands/new", "/definitions/{command}", "/definitions/{command}/command", "/jobs/{refused}"),
    ],
}
TAGS: Final = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]
HOSTILE: Final = [
    "<img src=x onerror=\"window.pwned='img'\">",
    "<script>window.pwned='script'</script>",
    "<svg/onload=window.pwned='svg'>",
    "javascript:window.pwned='link'",
    "\"><iframe srcdoc='<script>top.pwned=1</script>'>",
    "\x1b]8;;javascript:window.pwned='osc'\x07click\x1b]8;;\x07 \x1b[31mred\x1b[2J\x1b[0m",
    "{{constructor.constructor('window.pwned=1')()}} ${window.pwned=1}",
    "\u202eright to left\u202c \u0000nul",
    "long" * 1500,
]


@pytest.fixture(scope="module")
def known(site: Site) -> dict[str, str]:
    """Jobs in different states, and schedules: one before a change of the clocks, one that is paused."""
    planned = {"label": "Nightly", "definition_key": "greet", "payload_template": {"name": "ann"}}
    dst = {"cron_expr": "30 2 * * *", "timezone": "Europe/Oslo", "starts_at": "2027-03-27T00:00:00Z"}
    fired = site.ask("alice", "POST", "/schedules", {**planned, **dst})["id"]
    site.ask("alice", "POST", f"/schedules/{fired}/fire")
    paused = {**planned, "cron_expr": "@daily", "is_enabled": False, "disabled_reason": "A move."}
    return {
        "planned": fired,
        "paused": site.ask("alice", "POST", "/schedules", paused)["id"],
        "done": site.run("greet", name="ann", times=3),
        "broken": site.run("break", "dead_letter", why="the disk is full"),
        "later": site.enqueue("greet", name="bo", options={"delay_seconds": 3600}),
        **_commands(site),
    }


def _commands(site: Site) -> dict[str, str]:
    """A command with everything that one can have, a job of one that has printed, and a job that no policy allows."""
    argv = ["--path={text}", {"flag": "-n", "if": "sure"}, {"each": "{item}", "of": "tags"}]
    names = {
        "text": {"type": "string"},
        "sure": {"type": "boolean"},
        "tags": {"type": "array", "items": {"type": "string"}},
    }
    more: dict[str, Any] = {
        "environment": {"TOKEN": "env:UI_TOKEN"},
        "files": {"x": "file:/run/x"},
        "exit_codes": {"75": "retry"},
    }
    site.define("move", "/bin/echo", *argv, arg_schema={"type": "object", "properties": names}, allow=False, **more)
    site.define("print", SHELL, "-c", "echo out; echo wrong >&2; exit 3")
    return {"command": "move", "printed": site.run("print", "dead_letter"), "refused": site.enqueue("move", text="x")}


@cache
def _axe() -> str:
    return (ROOT / "ui/node_modules/axe-core/axe.min.js").read_text("utf-8")


def settle(page: Page) -> None:
    """Wait until the page says something."""
    expect(page.get_by_role("heading", level=1)).to_be_visible()
    page.evaluate("document.fonts.ready")


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [1280, 390])
def test_axe_finds_nothing(site: Site, open_as: Open, known: dict[str, str], scheme: str, width: int) -> None:
    found: list[str] = []
    for who, paths in PAGES.items():
        page = open_as(who, "/", width=width, scheme=scheme)
        for path in paths:
            page.goto(path.format(**known))
            settle(page)
            page.evaluate(_axe())
            report: dict[str, Any] = page.evaluate("(tags) => axe.run({ runOnly: tags })", TAGS)
            found += [
                f"{who} {path}: {fault['id']} {fault['nodes'][0]['html'][:160]}" for fault in report["violations"]
            ]
    assert not found, "\n".join(found)


def test_axe_finds_nothing_at_the_door(open_as: Open) -> None:
    page = open_as(None, "/sign-in")
    settle(page)
    page.evaluate(_axe())
    assert page.evaluate("async () => (await axe.run()).violations.map((v) => v.id)") == []


def test_no_page_scrolls_sideways(site: Site, open_as: Open, known: dict[str, str]) -> None:
    found: list[str] = []
    for who, paths in PAGES.items():
        page = open_as(who)
        for path in paths:
            page.goto(path.format(**known))
            settle(page)
            for width in (320, 390, 640, 860, 1280, 1920, 2560):
                page.set_viewport_size({"width": width, "height": 900})
                over = page.evaluate("document.documentElement.scrollWidth - innerWidth")
                if over > 0:
                    found.append(f"{who} {path} at {width}: {over} px")
    assert not found, "\n".join(found)


def test_stored_text_is_never_html(site: Site, open_as: Open) -> None:
    jobs = [_stored(site, text, fail=number % 2 == 1) for number, text in enumerate(HOSTILE)]
    page = open_as("alice")
    paths = ["/", "/jobs", "/logs?q=pwned", "/keys", "/audit", f"/run?from={jobs[0]}"]
    paths += [f"/jobs/{job}" for job in jobs]
    planned = [_planned(site, text) for text in HOSTILE]
    paths += ["/schedules", *(f"/schedules/{schedule}" for schedule in planned), f"/schedules/{planned[-1]}/edit"]
    for path in paths:
        _harmless(page, path)
    page = open_as("root")
    for path in ["/", "/jobs", "/schedules", "/tenants", "/queues", "/definitions", "/workers", "/audit", "/keys"]:
        _harmless(page, path)


def _stored(site: Site, text: str, *, fail: bool) -> str:
    """A job with this text in every field that a tenant may fill."""
    clean = text.replace("\x00", "")
    short = clean[:200]
    options = {
        "tags": [short], "metadata": {"note": short}, "correlation_id": short, "source_ref": short,
        "created_by": short, "dedupe_key": f"{short} {fail}",
    }  # fmt: skip
    job = site.enqueue("echo", options=options, text=clean, fail=fail)
    site.wait(job, "succeeded", "failed")
    site.ask("alice", "POST", "/keys", {"role": "viewer", "name": short})
    name = f"hostile-{abs(hash(text)) % 10**8}"
    site.ask("root", "PUT", f"/queues/{name}", {"description": short})
    site.ask("root", "POST", f"/queues/{name}/pause", {"reason": short})
    site.ask("root", "POST", "/tenants", {"slug": name, "name": short})
    site.ask("root", "POST", "/admin/jobs/definitions", {"key": name, "description": short})
    return job


def _planned(site: Site, text: str) -> str:
    """A schedule with this text in every field that a tenant may fill."""
    clean = text.replace("\x00", "")
    payload = {"text": clean, clean[:200]: clean} if "{{" not in clean else {"text": "x"}
    body = {"label": clean[:200], "key": clean[:200], "cron_expr": "@daily", "definition_key": "echo"}
    off = {"is_enabled": False, "disabled_reason": clean[:200]}
    return site.ask("alice", "POST", "/schedules", {**body, **off, "payload_template": payload})["id"]


def _harmless(page: Page, path: str) -> None:
    page.goto(path)
    settle(page)
    page.wait_for_timeout(300)
    assert page.evaluate("window.pwned") is None, path
    injected = "img:not([src^='data:']), iframe, script:not([src]), a[href^='javascript']"
    assert page.locator(injected).count() == 0, path
    assert page.evaluate("document.documentElement.scrollWidth - innerWidth") <= 0, path


def test_the_first_page_is_small(site: Site, open_as: Open) -> None:
    page = open_as("alice", "/sign-in")
    sizes: dict[str, int] = {}
    page.on(
        "requestfinished",
        lambda request: sizes.update(
            {request.url: request.sizes()["responseBodySize"]} if request.url.endswith(".js") else {}
        ),
    )
    page.goto("/")
    settle(page)
    page.wait_for_timeout(500)
    assert sizes
    assert sum(sizes.values()) <= 200_000, sizes
