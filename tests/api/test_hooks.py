from __future__ import annotations

from collections.abc import AsyncGenerator, Generator
from pathlib import Path
from typing import Any

import pytest

from jobplane import Context, Fail, Invalid, Jobplane, JobStatus, current_context


def test_hooks_surround_an_inline_run(jp: Jobplane) -> None:
    told: list[str] = []

    @jp.startup
    def start() -> None:
        told.append("start")

    @jp.shutdown
    async def stop() -> None:
        told.append("stop")

    @jp.middleware
    def around(ctx: Context) -> Generator[None]:
        told.append(ctx.job.key)
        yield
        told.append("after")

    @jp.middleware
    async def awaiting(ctx: Context) -> AsyncGenerator[None]:
        told.append("awaiting")
        yield

    @jp.job("plain")
    def plain() -> None:
        told.append("in plain")

    @jp.job("awaited", queue="other")
    async def awaited() -> None:
        told.append("in awaited")

    jp.sync()
    jp.enqueue_many([plain.call(), awaited.call()])

    assert jp.drain() == 2
    assert told == [
        "start",
        *("plain", "in plain", "after"),
        *("awaited", "awaiting", "in awaited", "after"),
        "stop",
    ]


async def test_hooks_surround_a_run_on_a_loop(on_loop: Jobplane) -> None:
    jp, told = on_loop, list[str]()

    @jp.startup
    async def start() -> None:
        told.append("start")

    @jp.shutdown
    def stop() -> None:
        told.append("stop")

    @jp.job("plain")
    def plain() -> None:
        found = current_context()
        told.append(found.job.key if found else "nothing")

    await jp.sync_async()
    await plain.enqueue_async()

    assert await jp.drain_async() == 1
    assert told == ["start", "plain", "stop"]
    assert current_context() is None


def test_a_middleware_cannot_make_a_success_of_a_failure(jp: Jobplane) -> None:
    @jp.middleware
    def around(ctx: Context) -> Generator[None]:
        try:
            yield
        except KeyError:
            pass
        except IndexError as error:
            raise Fail("translated") from error

    @jp.job("swallow", max_attempts=1)
    def swallow() -> None:
        raise KeyError("swallowed")

    @jp.job("translate")
    async def translate() -> None:
        raise IndexError

    jp.sync()
    swallowed, translated = swallow.enqueue(), translate.enqueue()
    jp.drain()

    assert jp.get(swallowed).status is JobStatus.DEAD_LETTER
    assert jp.get(translated).reason == "translated"


def test_what_can_be_no_hook_is_refused() -> None:
    jp = Jobplane("sqlite:///:memory:")

    with pytest.raises(Invalid, match="must be a function without arguments"):
        jp.startup(lambda pool: pool)  # type: ignore[arg-type]
    with pytest.raises(Invalid, match="must yield once"):
        jp.middleware(lambda ctx: None)  # type: ignore[arg-type]


def test_a_large_result_is_kept_in_a_directory(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("JOBPLANE_ARTIFACTS_DIR", str(tmp_path / "artifacts"))
    with Jobplane(f"sqlite:///{tmp_path / 'jobs.db'}") as jp:

        @jp.job("large")
        def large() -> list[int]:
            return list(range(100_000))

        jp.sync()
        handle = large.enqueue()
        jp.drain()
        [file] = (tmp_path / "artifacts").rglob("*.json")

        assert jp.result(handle) == list(range(100_000))
        monkeypatch.delenv("JOBPLANE_ARTIFACTS_DIR")
        with Jobplane(f"sqlite:///{tmp_path / 'jobs.db'}") as elsewhere, pytest.raises(Invalid, match="artifacts_dir"):
            elsewhere.result(handle.id)
        file.write_text("[]")
        with pytest.raises(Invalid, match="digest differs"):
            jp.result(handle)


def test_a_middleware_that_does_not_take_the_context_is_refused() -> None:
    jp = Jobplane("sqlite:///:memory:")

    def bare() -> Generator[None]:
        yield

    with pytest.raises(Invalid, match="must take one argument, the context"):
        jp.middleware(bare)  # pyright: ignore[reportArgumentType]


@pytest.mark.parametrize("thing", [dict, 7, "open_pool"], ids=repr)
def test_what_is_no_function_is_no_hook(thing: Any) -> None:
    jp = Jobplane("sqlite:///:memory:")

    for refuses in (jp.startup, jp.shutdown, jp.middleware):
        with pytest.raises(Invalid, match=r"without arguments|must take one argument"):
            refuses(thing)
