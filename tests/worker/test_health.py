"""A loop that hangs is seen from outside, so that somebody can end a worker that does not end by itself."""

from __future__ import annotations

import asyncio
import urllib.error
import urllib.request
from pathlib import Path
from typing import Any

import orjson
import pytest

from jobplane import Jobplane
from jobplane.process.health import Health
from jobplane.worker import crew
from jobplane.worker.fetcher import Fetcher
from tests.worker.stage import APP, until_async

PAGE = tuple[int, dict[str, Any]]


@pytest.fixture
def ports(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Those that health is served on."""
    found: list[int] = []
    start = Health.start

    async def noted(health: Health, address: tuple[str, int]) -> int:
        found.append(await start(health, address))
        return found[-1]

    monkeypatch.setattr(Health, "start", noted)
    return found


async def get(port: int, path: str) -> PAGE:
    return await asyncio.to_thread(_get, f"http://127.0.0.1:{port}{path}")


def _get(url: str) -> PAGE:
    try:
        with urllib.request.urlopen(url, timeout=30) as answer:
            return answer.status, orjson.loads(answer.read())
    except urllib.error.HTTPError as error:
        with error:
            return error.code, orjson.loads(error.read())


async def complains(port: int, path: str) -> bool:
    status, found = await get(port, path)
    return (
        status == 503
        and [said for said in found["wrong"] if said.startswith("The loop of claims has done nothing for ")] != []
    )


async def is_well(port: int) -> bool:
    return await get(port, "/healthz") == (200, {"status": "ok", "wrong": []})


async def test_a_worker_with_a_loop_that_hangs_is_not_healthy(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, ports: list[int]
) -> None:
    hung, over = asyncio.Event(), asyncio.Event()
    step = Fetcher.step

    async def hang(fetcher: Fetcher) -> None:
        hung.set()
        await over.wait()
        await step(fetcher)

    monkeypatch.setattr(Fetcher, "step", hang)
    monkeypatch.setenv("JOBPLANE_WORKER_HTTP", "127.0.0.1:0")
    async with Jobplane(f"sqlite:///{tmp_path / 'jobs.db'}") as jp, jp.worker(imports=[APP], processes=1):
        await hung.wait()
        assert await is_well(ports[0])

        monkeypatch.setattr(crew, "HUNG_SECONDS", 7.0)  # the others rest for 5 s at most
        await until_async(lambda: complains(ports[0], "/healthz"))
        assert await complains(ports[0], "/readyz")

        over.set()
        await until_async(lambda: is_well(ports[0]))
