"""Children that do not want to end: whatever they do, none is left when the command has ended."""

from __future__ import annotations

import os
import signal
from collections.abc import AsyncGenerator
from pathlib import Path

import pytest

from jobplane.worker.commands.launching import Launcher
from tests.worker.commands.site import USER, Site, find_processes, launched, open_directory

pytestmark = pytest.mark.anyio
PERL = "/usr/bin/perl"
IGNORES = 'trap "" TERM HUP INT'
DAEMON = f"({IGNORES}; setsid {os.path.realpath('/bin/sh')} -c '{IGNORES}; sleep 300 & sleep 300' >/dev/null 2>&1 &)"


@pytest.fixture
async def site() -> AsyncGenerator[Site]:
    async with launched() as site:
        yield site


async def test_a_command_runs_as_the_user_of_the_policy_and_without_privileges(site: Site) -> None:
    run = site.shell("id -u; id -g; id -G; grep NoNewPrivs /proc/self/status; umask; pwd; ls -ld .")

    report = await run.ended()

    assert (report["exit_code"], report["cause"]) == (0, "exit")
    uid, gid, groups, privileges, umask, place, shown = run.lines
    assert (uid, gid, groups) == (str(USER.pw_uid), str(USER.pw_gid), str(USER.pw_gid))
    assert privileges.split() == ["NoNewPrivs:", "1"]
    assert umask == "0077"
    assert place.startswith(str(site.work_dir))
    assert shown.startswith("drwx------")


async def test_a_command_gets_no_descriptor_but_its_three(site: Site) -> None:
    run = site.shell("ls /proc/$$/fd")

    await run.ended()

    assert {"0", "1", "2"} == set(run.lines)


async def test_a_daemon_that_forks_twice_and_leaves_its_session_is_killed_when_the_command_ends(site: Site) -> None:
    run = site.shell(f"{DAEMON}; sleep 0.1; echo left")

    report = await run.ended()

    assert (report["exit_code"], report["cause"]) == (0, "exit")
    assert report["killed"] >= 2


async def test_children_that_close_their_pipes_and_live_on_are_killed(site: Site) -> None:
    run = site.shell("sleep 300 <&- >&- 2>&- & sleep 0.05; exit 3")

    report = await run.ended()

    assert (report["exit_code"], report["killed"]) == (3, 1)


async def test_children_that_keep_the_pipes_open_do_not_keep_the_command_from_ending(site: Site) -> None:
    run = site.shell("sleep 300 & echo done")

    report = await run.ended()

    assert report["stdout_tail"] == "done\n"


@pytest.mark.parametrize("why", ["timeout", "cancel", "shutdown", "gone"])
async def test_what_ignores_signals_is_killed_after_the_grace_time(site: Site, why: str) -> None:
    timeout = 2.0 if why == "timeout" else None
    run = site.shell(f"{IGNORES}; {DAEMON}; sleep 300 & echo up; sleep 300", timeout_seconds=timeout)
    await run.said("up")
    assert len(find_processes(run.token)) >= 4

    if why != "timeout":
        run.command.stop(why)  # pyright: ignore[reportArgumentType] one of the reasons
    report = await run.ended()

    assert (report["cause"], report["signal"]) == (why, signal.SIGKILL)
    assert report["killed"] >= 4


async def test_a_cancel_that_comes_with_the_order_is_obeyed(site: Site) -> None:
    """The keeper reads both at once. Its command may be a fork yet, which does not hear a signal."""
    runs = [site.shell("trap 'exit 5' TERM; while :; do sleep 0.01; done", grace_seconds=30.0) for _ in range(8)]
    for run in runs:
        run.command.stop("cancel")

    reports = [await run.ended() for run in runs]

    assert {(report["cause"], report["killed"]) for report in reports} == {("cancel", 0)}


async def test_what_obeys_signals_has_its_grace_time_and_so_has_each_descendant(site: Site) -> None:
    """The first process ends at once, and another one in a session of its own still needs a moment."""
    polite = 'trap "echo polite; exit 0" TERM; while :; do sleep 0.01; done'
    script = f"setsid sh -c '{polite}' & trap 'exit 5' TERM; sleep 0.1; echo up; while :; do sleep 0.01; done"
    run = site.shell(script, grace_seconds=30.0)
    await run.said("up")

    run.command.stop("cancel")
    report = await run.ended()

    assert (report["cause"], report["exit_code"], report["killed"]) == ("cancel", 5, 0)
    assert "polite" in run.lines


async def test_a_stopped_process_ends_at_a_cancel(site: Site) -> None:
    run = site.shell("echo up; kill -STOP $$; echo continued", grace_seconds=30.0)
    await run.said("up")
    await run.until(lambda: _state(run.pid) == "T")

    run.command.stop("cancel")

    assert (await run.ended())["signal"] == signal.SIGTERM


async def test_a_worker_that_ends_waits_for_keepers_whose_launcher_was_killed() -> None:
    with open_directory() as directory:
        launcher = Launcher(lambda *_, **__: None)
        launcher.start()
        run = Site(launcher, directory).shell(f"{IGNORES}; {DAEMON}; echo up; sleep 300")
        await run.said("up")
        os.kill(launcher.pid or 0, signal.SIGKILL)
        await run.until(lambda: not launcher.is_up)

        await launcher.close()

        assert (await run.ended())["cause"] == "shutdown"


@pytest.mark.skipif(os.geteuid() != 0, reason="a limit of processes counts those of the user, so it takes another user")
@pytest.mark.skipif(not Path(PERL).exists(), reason="a shell ends when it cannot fork, so the bomb takes Perl")
async def test_a_fork_bomb_within_its_limit_is_killed_and_its_neighbour_lives(site: Site) -> None:
    neighbour = site.shell("echo up; sleep 300")
    await neighbour.said("up")
    bomb = "$SIG{TERM} = 'IGNORE'; $| = 1; print qq(up\\n); use POSIX; while (1) { fork; POSIX::setsid() }"
    run = site.run([PERL, "-e", bomb], limits={"processes": 60}, timeout_seconds=1.0, grace_seconds=0.1)

    report = await run.ended()

    assert report["cause"] == "timeout"
    assert report["killed"] >= 30
    assert len(find_processes(neighbour.token)) == 2
    neighbour.command.stop("cancel")
    await neighbour.ended()


async def test_limits_hold(site: Site) -> None:
    limits = {"open_files": 20, "file_bytes": 4096, "cpu_seconds": 1, "memory_bytes": 200 * 1024 * 1024}
    run = site.shell("ulimit -n; ulimit -f; ulimit -v; ulimit -c; while :; do :; done", limits=limits)

    report = await run.ended()

    files, size, memory, core = run.lines
    assert (files, core, memory) == ("20", "0", str(200 * 1024))
    assert int(size) * 512 in (4096, 4096 // 2)  # in units of 512 or 1024 bytes
    assert report["signal"] in (signal.SIGXCPU, signal.SIGKILL)
    assert report["user_ms"] + report["system_ms"] >= 500


def _state(pid: int | None) -> str:
    return Path(f"/proc/{pid}/stat").read_text().rpartition(") ")[2][0]
