"""commands: how fast commands run that do nothing, beside bare processes; a worker's memory while 100 of them print."""

from __future__ import annotations

import asyncio
import hashlib
import json
import os
import random
import subprocess
import sys
import tempfile
import time
from collections.abc import AsyncGenerator, Awaitable, Callable, Generator, Mapping
from contextlib import asynccontextmanager, contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any, Final
from uuid import uuid4

from bench import seed
from bench.contenders import ROOT, ours
from bench.cpu import family
from bench.measure import Plan
from bench.memory import megabytes
from bench.rig import Database, Rig, migrated
from bench.staff import Staff, staffed
from bench.table import Table
from bench.window import pace
from jobplane.core.command import content_hash
from jobplane.worker.commands.launching import Launcher
from jobplane.worker.commands.protocol import Order, Report
from jobplane.worker.frames import LogRow

TRUE: Final = os.path.realpath("/bin/true")
SHELL: Final = os.path.realpath("/bin/sh")
LANES: Final = 4
SECONDS: Final = (3.0, 1.0)
BACKLOG: Final = (8_000, 3_000)
PRINTING: Final = 100
PRINTING_SECONDS: Final = (10.0, 4.0)
PRINTS: Final = "while :; do yes 'a line of a command that prints without a pause' | head -n 20000; sleep 0.2; done"
BARE: Final = f"posix_spawn, {LANES} at a time"
LOOP: Final = "a loop of the shell, one at a time"
KEEPERS: Final = f"keepers without a database, {LANES} at a time"
WORKER: Final = f"jobplane, {LANES} at a time"
NOTHING, ENDLESS = "nothing", "endless"
COMMANDS: Final[Mapping[str, dict[str, Any]]] = {
    NOTHING: {"executable": TRUE, "argv": []},
    ENDLESS: {"executable": SHELL, "argv": ["-c", PRINTS]},
}
SUPERVISOR, LAUNCHER, KEEPER = "supervisor", "launcher", "the largest keeper"


async def measure(rig: Rig, plan: Plan) -> list[Table]:
    return [await _rates(rig, plan), await _memory(rig, plan)]


async def _rates(rig: Rig, plan: Plan) -> Table:
    seconds = plan.pick(*SECONDS)
    cases: dict[str, Callable[[], Awaitable[float]]] = {
        BARE: lambda: _spawn(seconds),
        LOOP: lambda: _loop(round(300 * seconds)),
        KEEPERS: lambda: _keep(seconds),
        WORKER: lambda: _work(rig, plan),
    }
    table = Table("commands", "commands that do nothing", BARE, "commands/s")
    for turn in range(plan.rounds):
        order = random.Random(turn).sample(list(cases), len(cases))
        found = {name: await cases[name]() for name in order}
        for name in cases:
            table.add(name, found[name])
    table.show()
    return table


async def _spawn(seconds: float) -> float:
    argv = [sys.executable, "-m", "bench.spawn", TRUE, str(LANES), str(seconds)]
    done = await asyncio.to_thread(subprocess.run, argv, cwd=ROOT, check=True, capture_output=True, text=True)
    return float(done.stdout)


async def _loop(count: int) -> float:
    began = time.perf_counter()
    script = 'i=0; while [ $i -lt "$1" ]; do "$2"; i=$((i + 1)); done'
    await asyncio.to_thread(subprocess.run, [SHELL, "-c", script, "sh", str(count), TRUE], check=True)
    return count / (time.perf_counter() - began)


class _Ended:
    """Hears of one command that it has ended."""

    def __init__(self, future: asyncio.Future[None]) -> None:
        self._future = future

    def on_started(self, pid: int) -> None: ...

    def on_lines(self, rows: list[LogRow]) -> None: ...

    def on_progress(self, share: float | None, message: str | None) -> None: ...

    def on_ended(self, report: Report | None, how: str) -> None:
        if report is None or report["exit_code"] != 0:
            self._future.set_exception(RuntimeError(how))
        else:
            self._future.set_result(None)


async def _keep(seconds: float) -> float:
    """The launcher alone."""
    loop, done = asyncio.get_running_loop(), 0
    with tempfile.TemporaryDirectory() as work_dir:
        launcher = Launcher(lambda *_, **__: None)
        launcher.start()
        executable = os.open(TRUE, os.O_RDONLY)
        ends_at = time.perf_counter() + seconds

        async def lane() -> None:
            nonlocal done
            while time.perf_counter() < ends_at:
                ended: asyncio.Future[None] = loop.create_future()
                launcher.run(_order(work_dir), executable, _Ended(ended))
                await ended
                done += 1

        await lane()  # until the launcher is up
        done, ends_at = 0, time.perf_counter() + seconds
        began = time.perf_counter()
        await asyncio.gather(*(lane() for _ in range(LANES)))
        took = time.perf_counter() - began
        os.close(executable)
        await launcher.close()
    return done / took


def _order(work_dir: str) -> Order:
    return Order(
        name=uuid4().hex,
        seq=1,
        argv=[TRUE],
        environment={},
        files={},
        masks=[],
        stdin=None,
        uid=None,
        gid=None,
        groups=[],
        work_dir=work_dir,
        limits={},
        timeout_seconds=None,
        grace_seconds=1,
    )


async def _work(rig: Rig, plan: Plan) -> float:
    async with _working(rig, NOTHING, LANES, plan.pick(*BACKLOG)) as staff:
        return (await pace(staff, plan.pick(*SECONDS))).rate


async def _memory(rig: Rig, plan: Plan) -> Table:
    title = f"memory of a worker while {PRINTING} commands print as fast as they can"
    table = Table("commands-memory", title, SUPERVISOR, "MB")
    for _ in range(min(plan.rounds, 2)):
        async with _working(rig, ENDLESS, PRINTING, PRINTING) as staff:
            for name, found in (await _watch(staff, plan.pick(*PRINTING_SECONDS))).items():
                table.add(name, found)
    table.show(with_ratios=False)
    return table


async def _watch(staff: Staff, seconds: float) -> Mapping[str, float]:
    """The most that each kind of process has held since all commands run."""
    [worker] = staff.workers
    highest = {SUPERVISOR: 0.0, LAUNCHER: 0.0, KEEPER: 0.0}
    ends_at = time.perf_counter() + 60 + seconds
    is_full = False
    while time.perf_counter() < ends_at:
        members = family(worker.pid)
        keepers = sorted(pid for pid, line in members.items() if "commands.launcher" in line)  # forks of the launcher
        if not is_full and len(keepers) > PRINTING:
            is_full, ends_at = True, time.perf_counter() + seconds
        if is_full:
            sizes = {SUPERVISOR: [worker.pid], LAUNCHER: keepers[:1], KEEPER: keepers[1:]}
            highest |= {kind: max([highest[kind], *map(megabytes, pids)]) for kind, pids in sizes.items()}
        await asyncio.sleep(0.25)
    if not is_full:
        raise RuntimeError(f"fewer than {PRINTING} commands run")
    return highest


@asynccontextmanager
async def _working(rig: Rig, command: str, at_once: int, jobs: int) -> AsyncGenerator[Staff]:
    """A worker that runs so many jobs of one command."""
    with _policy(command) as policy:
        settings = {"JOBPLANE_WORKER_POLICY": str(policy), "JOBPLANE_WORKER_COMMANDS": str(at_once)}
        contender = replace(ours(), base=_base(command), executors=0, environment=settings)
        with rig.fresh(contender.filled(rig, jobs)) as database:
            async with staffed(contender, database) as staff:
                yield staff


def _base(command: str) -> Callable[[Rig], str]:
    """A migrated database with the command as its one definition, and tenants."""

    def define(database: Database) -> None:
        migrated(database)
        document = {"key": "noop", "kind": "command", "arg_schema": True, "command": COMMANDS[command]}
        database.run("select jobplane.put_definitions(array[%s::jsonb])", json.dumps(document))
        seed.tenants(database, 100)

    return lambda rig: rig.template(f"command_{command}", define)


@contextmanager
def _policy(command: str) -> Generator[Path]:
    """A policy that allows the command as the user of the benchmark, or as nobody."""
    with tempfile.TemporaryDirectory(prefix="jobplane-bench-") as name:
        directory = Path(name).resolve()
        user = 'user = "nobody"' if os.geteuid() == 0 else ""
        table = f'[commands.noop]\nhash = "{_hash(COMMANDS[command])}"'
        path = directory / "policy.toml"
        path.write_text(f'{user}\nwork_dir = "{directory}/work"\n{table}\n')
        yield path


def _hash(command: Mapping[str, Any]) -> str:
    digest = hashlib.sha256(Path(command["executable"]).read_bytes()).hexdigest()
    return content_hash(dict(command), True, digest)
