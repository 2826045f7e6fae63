"""Prints the functions that an enqueue on PostgreSQL calls: `python -m tools.trace_enqueue [--async] [URL]`."""

from __future__ import annotations

import argparse
import asyncio
import os
import sys
import tempfile
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from types import CodeType, FrameType
from typing import Final

import jobplane
from jobplane import Jobplane
from jobplane.embedded import EmbeddedServer
from jobplane.store.postgres import migrate, source

SOURCE: Final = Path(jobplane.__file__).parent
WARM_UP_CALLS: Final = 2  # the first connects and prepares, the second finds its caches filled
ROLES: Final = ("app", "worker", "scheduler", "admin", "maintenance")


class Trace:
    """The functions of jobplane that ran, each once, in the order of their first calls and with their depth.

    A comprehension belongs to the function that has it.
    """

    def __init__(self) -> None:
        self._depths: dict[CodeType, int] = {}

    @contextmanager
    def on(self) -> Generator[None]:
        """Watch this thread."""
        sys.setprofile(self._see)
        try:
            yield
        finally:
            sys.setprofile(None)

    def lines(self) -> list[str]:
        functions = [f"{'  ' * depth}{_name(code)}  ({_file(code)})" for code, depth in self._depths.items()]
        files = {code.co_filename for code in self._depths}
        return [*functions, f"{len(functions)} functions in {len(files)} files"]

    def _see(self, frame: FrameType, event: str, _argument: object) -> None:
        if event == "call" and _is_ours(frame.f_code):
            self._depths.setdefault(frame.f_code, _depth(frame))


def trace_blocking(url: str) -> Trace:
    """The third `job.enqueue(…)` of a program without an event loop."""
    trace = Trace()
    with Jobplane(url) as jp:
        job = jp.job("trace")(_job)
        jp.sync()
        for _ in range(WARM_UP_CALLS):
            job.enqueue(width=80)
        with trace.on():
            job.enqueue(width=80)
    return trace


async def trace_async(url: str) -> Trace:
    """The third `await job.enqueue_async(…)`."""
    trace = Trace()
    async with Jobplane(url) as jp:
        job = jp.job("trace")(_job)
        await jp.sync_async()
        for _ in range(WARM_UP_CALLS):
            await job.enqueue_async(width=80)
        with trace.on():
            await job.enqueue_async(width=80)
    return trace


@contextmanager
def embedded() -> Generator[str]:
    """The URL of a new database on a server that is removed at the end."""
    with tempfile.TemporaryDirectory(prefix="jobplane-trace-") as name:
        Path(name).chmod(0o755)  # the server may run as another user
        with EmbeddedServer(Path(name) / "data", bootstrap_sql=source.load().roles) as server:
            migrate.up(server.url("jobplane_owner"))
            for role in ROLES:
                os.environ[f"JOBPLANE_DATABASE_URL_{role.upper()}"] = server.url(f"jobplane_{role}")
            yield server.url("jobplane_app")


def _job(width: int) -> None:
    """Do nothing."""


def _is_ours(code: CodeType) -> bool:
    is_comprehension = code.co_name in ("<genexpr>", "<listcomp>", "<setcomp>", "<dictcomp>")
    return not is_comprehension and Path(code.co_filename).is_relative_to(SOURCE)


def _depth(frame: FrameType) -> int:
    """How many functions of ours are below this one on the stack."""
    depth, caller = 0, frame.f_back
    while caller is not None:
        depth += _is_ours(caller.f_code)
        caller = caller.f_back
    return depth


def _name(code: CodeType) -> str:
    module = ".".join(Path(code.co_filename).relative_to(SOURCE.parent).with_suffix("").parts)
    return f"{module}:{code.co_qualname}"


def _file(code: CodeType) -> str:
    return f"{Path(code.co_filename).relative_to(SOURCE.parents[1])}:{code.co_firstlineno}"


def _traced(url: str, *, awaits: bool) -> Trace:
    return asyncio.run(trace_async(url)) if awaits else trace_blocking(url)


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m tools.trace_enqueue", description=__doc__)
    parser.add_argument("url", nargs="?", help="a migrated PostgreSQL database; default: an embedded one of its own")
    parser.add_argument("--async", dest="awaits", action="store_true", help="trace enqueue_async instead of enqueue")
    options = parser.parse_args()
    if options.url:
        trace = _traced(options.url, awaits=options.awaits)
    else:
        with embedded() as url:
            trace = _traced(url, awaits=options.awaits)
    sys.stdout.write("\n".join([*trace.lines(), ""]))


if __name__ == "__main__":
    main()
