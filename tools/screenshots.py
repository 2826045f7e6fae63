"""Photographs the web UI on the jobs of the demo: `make screenshots`.

Every page, light and dark, desktop and phone, goes into build/screenshots; those that the documentation shows also into
docs/images.
"""

from __future__ import annotations

import os
import shutil
import sys
import tempfile
import time
from pathlib import Path
from typing import Any, Final

from playwright.sync_api import Browser, Page, sync_playwright

from tests.ui.conftest import FLAGS
from tests.ui.site import Site, installed

ROOT: Final = Path(__file__).parents[1]
OUT: Final = ROOT / "build/screenshots"
IMAGES: Final = ROOT / "docs/images"
SIZES: Final = {"desktop": (1440, 900), "phone": (390, 844)}
SECONDS: Final = 75  # of the demo's stream, so that there is something to see
PAGES: Final = {
    "overview": "/",
    "jobs": "/jobs",
    "jobs-acting": "/jobs?tenant=harbor",
    "job": "/jobs/{failed}",
    "job-waiting": "/jobs/{held}?tenant=harbor",
    "job-running": "/jobs/{running}",
    "run": "/run?definition=import-catalog&tenant=harbor",
    "schedules": "/schedules",
    "schedule": "/schedules/{schedule}",
    "schedule-edit": "/schedules/{schedule}/edit?tenant=harbor",
    "logs": "/logs?q=page&tenant=harbor",
    "tenants": "/tenants",
    "workers": "/workers",
    "queues": "/queues",
    "definitions": "/definitions",
    "definition": "/definitions/sync-stock",
    "keys": "/keys",
    "audit": "/audit",
    "database": "/database",
    "welcome": "/welcome",
}
SHOWN: Final = ("overview-light", "overview-dark", "jobs-light", "job-light", "job-waiting-light", "workers-light")


def main() -> None:
    OUT.mkdir(parents=True, exist_ok=True)
    directory = Path(tempfile.mkdtemp())
    try:
        with installed(directory / "data", "--demo") as site, sync_playwright() as playwright:
            jobs = _furnish(site)
            browser = playwright.chromium.launch(executable_path=os.environ["JOBPLANE_TEST_BROWSER"], args=FLAGS)
            for scheme in ("light", "dark"):
                for size in SIZES:
                    _photograph(browser, site, jobs, scheme, size)
    finally:
        shutil.rmtree(directory, ignore_errors=True)
    IMAGES.mkdir(exist_ok=True)
    for name in SHOWN:
        stem, _, scheme = name.rpartition("-")
        shutil.copy(OUT / f"{stem}-desktop-{scheme}.png", IMAGES / f"{name}.png")


def _furnish(site: Site) -> dict[str, str]:
    """Some trouble, and the ids of jobs in different states."""

    def ask(method: str, path: str, body: object = None) -> Any:
        return site.ask("root", method, path, body, "harbor")

    time.sleep(SECONDS)
    schema = {"type": "object", "properties": {"invoice": {"type": "string"}}, "required": ["invoice"]}
    definition = {"key": "charge-card", "description": "Charge an invoice.", "arg_schema": schema}
    site.ask("root", "POST", "/admin/jobs/definitions", definition)
    for number in range(1, 39):
        ask("POST", "/jobs", {"definition_key": "charge-card", "payload": {"invoice": f"INV-{20400 + number}"}})
    site.ask("root", "POST", "/queues/images/pause", {"reason": "The image host is being moved."})
    nightly = {"label": "Nightly charges", "definition_key": "charge-card", "cron_expr": "30 2 * * *"}
    more = {"timezone": "Europe/Oslo", "payload_template": {"invoice": "{{ schedule.local_date }}"}}
    schedule = ask("POST", "/schedules", {**nightly, **more})["id"]
    ask("POST", f"/schedules/{schedule}/fire")
    time.sleep(8)
    return {
        "schedule": schedule,
        "failed": _first(site, "status=failed"),
        "held": _first(site, "definition_key=charge-card"),
        "running": _first(site, "status=running&definition_key=sync-stock"),
    }


def _first(site: Site, query: str) -> str:
    """The newest job that the filter finds, as soon as the demo has one."""
    for _ in range(120):
        found = site.ask("root", "GET", f"/jobs?limit=1&{query}")["items"]
        if found:
            return found[0]["id"]
        time.sleep(1)
    raise TimeoutError(query)


def _photograph(browser: Browser, site: Site, jobs: dict[str, str], scheme: str, size: str) -> None:
    width, height = SIZES[size]
    context = browser.new_context(
        base_url=site.url,
        viewport={"width": width, "height": height},
        color_scheme="dark" if scheme == "dark" else "light",
        reduced_motion="reduce",
        device_scale_factor=1.5 if size == "phone" else 1,
    )
    page = context.new_page()
    page.goto("/sign-in")
    _save(page, f"sign-in-{size}-{scheme}")
    context.request.post("/api/v1/session", data={"key": site.keys["root"]}, headers={"Origin": site.url})
    for name, path in PAGES.items():
        page.goto(path.format(**jobs))
        _save(page, f"{name}-{size}-{scheme}")
    context.close()


def _save(page: Page, name: str) -> None:
    page.wait_for_selector("h1")
    page.evaluate("document.fonts.ready")
    page.wait_for_timeout(700)
    page.screenshot(path=OUT / f"{name}.png")
    sys.stdout.write(f"{name}\n")


if __name__ == "__main__":
    main()
