"""A Chromium, and how long a page takes in it until its first row is on the screen."""

from __future__ import annotations

import asyncio
import json
import subprocess
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from typing import Final

from playwright.async_api import Browser, BrowserContext, async_playwright

from bench.contenders import ROOT

# As root there is no sandbox; the rest keeps Chromium from calling home.
FLAGS: Final = [
    *("--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking"),
    *("--disable-component-update", "--disable-sync"),
]
# Looks before each frame. When the frame after the one with the row begins, the row has been drawn.
LOOK: Final = """
window.__shown = new Promise((done) => {
  const look = () => {
    const box = document.querySelector(ROW)?.getBoundingClientRect();
    const isThere = box && box.height > 0 && box.top < innerHeight;
    requestAnimationFrame(isThere ? () => done(performance.now()) : look);
  };
  requestAnimationFrame(look);
});
"""
PATIENCE_SECONDS: Final = 30.0


def find() -> str | None:
    """The program, or None where there is none and none can be installed."""
    found = subprocess.run(["/bin/sh", "tools/chromium.sh"], cwd=ROOT, stdout=subprocess.PIPE, text=True, check=False)
    return found.stdout.strip() or None


@asynccontextmanager
async def launched(program: str) -> AsyncGenerator[Browser]:
    async with async_playwright() as playwright:
        browser = await playwright.chromium.launch(executable_path=program, args=FLAGS)
        try:
            yield browser
        finally:
            await browser.close()


async def signed_in(browser: Browser, url: str, key: str) -> BrowserContext:
    """A browser of somebody with this key, with a cache of its own."""
    context = await browser.new_context(base_url=url, viewport={"width": 1440, "height": 900}, reduced_motion="reduce")
    answer = await context.request.post("/api/v1/session", data={"key": key}, headers={"Origin": url})
    if answer.status != 201:
        raise RuntimeError(f"cannot sign in: {await answer.text()}")
    return context


async def visit(context: BrowserContext, path: str, row: str) -> float:
    """Milliseconds from the navigation until what the selector finds is on the screen."""
    page = await context.new_page()
    await page.add_init_script(LOOK.replace("ROW", json.dumps(row)))
    await page.goto(path, wait_until="commit")
    shown = await asyncio.wait_for(page.evaluate("window.__shown"), PATIENCE_SECONDS)
    await page.close()
    return float(shown)
