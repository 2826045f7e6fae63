"""Several processes on one server: it starts once, stops once, and outlives whatever is killed."""

from __future__ import annotations

import os
import select
import signal
import subprocess
import sys
import time
from pathlib import Path
from threading import Thread

import psycopg
import pytest

from jobplane.core.errors import StoreBusy, StoreUnavailable
from jobplane.embedded import launch
from jobplane.embedded.account import server_account
from jobplane.embedded.cluster_place import enter
from jobplane.embedded.directories import prepare_socket_dir
from jobplane.embedded.locks import CHANGING, SERVING, lock_exclusive
from jobplane.embedded.postmaster import DETACH
from jobplane.embedded.processes import find_process
from tests import programs
from tests.embedded.conftest import Hold, Serve, ask, postmaster_pid, until

STARTER = """
import signal, sys
from pathlib import Path
from jobplane.embedded import EmbeddedServer
signal.signal(signal.SIGTERM, lambda *_: None)
print("here", flush=True)
with EmbeddedServer(Path(sys.argv[1]), settings={"fsync": "off"}):
    print("up", flush=True)
"""


def kill_server(data: Path) -> None:
    pid = postmaster_pid(data)
    assert pid
    os.kill(pid, signal.SIGKILL)
    until(lambda: find_process(pid) is None)


def test_the_last_one_out_stops_it(hold: Hold, data: Path) -> None:
    first, second = hold(), hold()
    assert first.answer() == second.answer()
    served_by = postmaster_pid(data)

    first.leave()
    assert postmaster_pid(data) == served_by
    second.leave()

    assert served_by
    assert postmaster_pid(data) is None


def test_six_that_start_at_once_make_one_cluster_and_one_server(hold: Hold, data_dir: Path) -> None:
    holders = [hold() for _ in range(6)]
    urls = {holder.answer() for holder in holders}
    servers = len(list((data_dir / "log").glob("server-*.log")))
    for holder in holders:
        holder.order("leave")

    assert len(urls) == servers == 1
    until(lambda: postmaster_pid(data_dir) is None)


def test_objects_in_one_process_count_like_processes(serve: Serve, data: Path) -> None:
    with serve() as first:
        with serve() as second:
            assert first.url("jobplane_app") == second.url("jobplane_app")
        assert ask(first.url("jobplane_app"), "select 1") == 1

    assert postmaster_pid(data) is None


def test_many_that_come_and_go_always_find_it_running(serve: Serve, data: Path) -> None:
    failures: list[BaseException] = []

    def come_and_go() -> None:
        try:
            for _ in range(8):
                with serve() as server:
                    ask(server.url("jobplane_app"), "select 1")
        except BaseException as error:  # noqa: BLE001 reported below
            failures.append(error)

    threads = [Thread(target=come_and_go) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert not failures
    assert postmaster_pid(data) is None


def test_a_killed_holder_does_not_count(hold: Hold, data: Path) -> None:
    killed, other = hold(), hold()
    killed.answer()
    other.answer()

    killed.kill()
    assert postmaster_pid(data)
    other.leave()

    assert postmaster_pid(data) is None


def test_when_all_are_killed_the_next_one_joins_and_stops_it(hold: Hold, serve: Serve, data: Path) -> None:
    killed = hold()
    url = killed.answer()
    served_by = postmaster_pid(data)
    killed.kill()

    with serve() as server:
        assert postmaster_pid(data) == served_by
        assert server.url("jobplane_app") == url

    assert postmaster_pid(data) is None


def test_a_killed_server_recovers_at_the_next_start(serve: Serve, data: Path) -> None:
    with serve() as server:
        with psycopg.connect(server.url("jobplane_owner"), autocommit=True) as busy:
            busy.execute("create schema kept")
            busy.execute("create table kept.t as select 7 as n")
            kill_server(data)
            with serve() as next_server:
                assert ask(next_server.url("jobplane_owner"), "select n from kept.t") == 7
        assert postmaster_pid(data), "the first one still uses it"

    assert postmaster_pid(data) is None


def test_a_holder_of_a_killed_server_leaves_in_peace(serve: Serve, data: Path) -> None:
    with serve():
        kill_server(data)

    assert postmaster_pid(data) is None


def test_a_stale_lock_file_with_the_number_of_another_process_is_no_server(serve: Serve, data: Path) -> None:
    with serve():
        stale = (data / "postmaster.pid").read_text().splitlines()
    (data / "postmaster.pid").write_text("\n".join([str(os.getpid()), *stale[1:]]))

    with serve() as server:
        assert ask(server.url("jobplane_app"), "select 1") == 1


@pytest.mark.parametrize("content", ["", "garbage\n", "1\n", "99999999999\n", "-5\n"])
def test_a_damaged_lock_file_is_no_server(serve: Serve, data: Path, content: str) -> None:
    with serve():
        pass
    (data / "postmaster.pid").write_text(content)

    with serve() as server:
        assert ask(server.url("jobplane_app"), "select 1") == 1


def test_stale_sockets_are_no_obstacle(serve: Serve, data: Path) -> None:
    with serve() as server:
        socket_dir = server.socket_dir
        kill_server(data)
        assert (socket_dir / ".s.PGSQL.5432.lock").exists()
        (socket_dir / ".s.PGSQL.5432.lock").write_text(f"{os.getpid()}\n")

        with serve() as again:
            assert ask(again.url("jobplane_app"), "select 1") == 1


def test_a_server_whose_socket_was_cleaned_away_is_started_anew(serve: Serve, data: Path) -> None:
    with serve() as server:
        cut_off = postmaster_pid(data)
        for file in server.socket_dir.iterdir():
            file.unlink()
        server.socket_dir.rmdir()

        with serve() as again:
            assert postmaster_pid(data) != cut_off
            assert ask(again.url("jobplane_app"), "select 1") == 1


def test_a_forked_child_keeps_the_server_and_the_last_copy_stops_it(hold: Hold, data: Path) -> None:
    parent = hold()
    url = parent.answer()
    parent.do("fork")
    parent.do("stop")
    assert ask(url, "select 1") == 1

    parent.leave()

    until(lambda: postmaster_pid(data) is None)


def test_a_forked_child_that_stops_leaves_the_server_to_its_parent(hold: Hold, data: Path) -> None:
    parent = hold()
    parent.answer()
    parent.do("fork and stop")

    assert postmaster_pid(data)
    parent.leave()
    assert postmaster_pid(data) is None


def test_an_interrupt_at_the_keyboard_does_not_reach_the_server(hold: Hold, data: Path) -> None:
    holder = hold(new_session=True)
    holder.answer()

    os.killpg(holder.process.pid, signal.SIGINT)
    holder.process.communicate(timeout=30)

    assert postmaster_pid(data)


def test_a_signal_to_the_group_of_a_starter_is_for_the_starter_alone(data_dir: Path, home: Path) -> None:
    command = [sys.executable, "-c", STARTER, str(data_dir)]
    with programs.start(command, stdout=subprocess.PIPE) as starter:
        assert starter.stdout
        assert starter.stdout.readline() == "here\n"
        while not select.select([starter.stdout], [], [], 0)[0]:
            os.killpg(starter.pid, signal.SIGTERM)

        assert starter.stdout.readline() == "up\n"
    assert starter.returncode == 0


@pytest.mark.parametrize("delay_ms", [100, 300, 500, 700])
def test_a_maker_killed_at_any_time_is_no_harm(hold: Hold, serve: Serve, delay_ms: int) -> None:
    maker = hold()
    time.sleep(delay_ms / 1000)
    maker.kill()

    with serve() as server:
        assert ask(server.url("jobplane_app"), "select current_database()") == "jobplane"


def test_a_server_that_was_started_by_hand_is_left_alone(serve: Serve, data: Path) -> None:
    with serve() as server:
        programs = (data / "jobplane.binaries").read_text().splitlines()[1]
    socket_dir = prepare_socket_dir(data, server_account(data))
    with enter(data, server_account(data), 0) as place:
        command = [f"{programs}/postgres", "-D", place.name, "-k", str(socket_dir), "-c", "listen_addresses="]
        place.run(["/bin/sh", "-c", DETACH, "sh", place.name, *command])
    until(lambda: postmaster_pid(data))

    with pytest.raises(StoreUnavailable, match=r"did not start .* Stop it first"):
        server.start()

    assert postmaster_pid(data)


@pytest.mark.parametrize(("lock", "reason"), [(CHANGING, "another process"), (SERVING, "another container")])
def test_who_waits_too_long_for_others_is_told_why(
    serve: Serve, data: Path, monkeypatch: pytest.MonkeyPatch, lock: str, reason: str
) -> None:
    with serve():
        pass
    monkeypatch.setattr(launch, "START_SECONDS", 0.1)

    with lock_exclusive(data / lock, server_account(data), 1, ""), pytest.raises(StoreBusy, match=reason):
        serve().start()
