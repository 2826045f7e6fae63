"""As root: which user the server runs as, and programs that this user can run."""

from __future__ import annotations

import os
import shutil
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from jobplane.embedded import EmbeddedError, NoBinaries, copies, find_binaries
from jobplane.embedded.account import Account, launcher, server_account
from jobplane.embedded.binaries import Binaries
from jobplane.embedded.copies import find_reachable
from tests.embedded.conftest import Hold, Serve, account_of, ask, connect_as, postmaster_pid
from tests.embedded.holder import python_of

pytestmark = pytest.mark.skipif(os.geteuid() != 0, reason="only root runs the server as someone else")


@pytest.fixture
def nobody() -> Account:
    """A user who is not root, and who can run our code."""
    account = account_of("nobody")
    if not python_of(account):
        pytest.skip("an unprivileged user cannot reach a Python, the package or the wheel")
    return account


@pytest.fixture(scope="session")
def closed(tmp_path_factory: pytest.TempPathFactory) -> Binaries:
    """The programs of the wheel where nobody but root can get at them; a test copies them, and leaves them alone."""
    found = find_binaries()
    package = tmp_path_factory.mktemp("venv") / found.bin.parent.parent.name
    shutil.copytree(found.bin.parent, package / found.bin.parent.name)
    if found.lib:
        shutil.copytree(found.lib, package.with_name(found.lib.name))
    return find_binaries(package / found.bin.parent.name / "bin")


def test_the_user_is_that_of_the_environment_or_the_owner_or_postgres(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (home / "owned").mkdir()
    os.chown(home / "owned", 1, 1)

    assert server_account(home / "none").name in ("postgres", "nobody")
    assert server_account(home / "owned").uid == 1
    monkeypatch.setenv("JOBPLANE_EMBEDDED_USER", "nobody")
    assert server_account(home / "owned").name == "nobody"


@pytest.mark.parametrize("name", ["root", "no-such-user"])
def test_a_user_that_will_not_do_is_named(serve: Serve, monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    monkeypatch.setenv("JOBPLANE_EMBEDDED_USER", name)

    with pytest.raises(EmbeddedError, match=f"JOBPLANE_EMBEDDED_USER={name} is not an unprivileged user"):
        serve().start()


def test_the_server_and_its_data_belong_to_the_user(
    serve: Serve, data_dir: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("JOBPLANE_EMBEDDED_USER", "nobody")

    with serve() as server:
        pid = (data_dir / "postmaster.pid").read_text().splitlines()[0]

        assert server.os_user == "nobody"
        assert Path(f"/proc/{pid}").owner() == data_dir.owner() == server.socket_dir.owner() == "nobody"


def test_programs_that_the_user_can_run_are_not_copied(public: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(copies, "SYSTEM_CACHE", public)
    programs = find_reachable(find_binaries(), server_account(public), public)

    assert find_reachable(programs, server_account(public), public) == programs


def test_programs_that_the_user_cannot_run_are_copied_once(
    serve: Serve, closed: Binaries, public: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(copies, "SYSTEM_CACHE", public)

    for _ in range(2):
        with serve(bin_dir=closed.bin) as server:
            assert ask(server.url("jobplane_app"), "select 1") == 1

    (copy,) = (public / copies.HOME).iterdir()
    assert copy.owner() == "root"
    assert not [path for path in copy.rglob("*") if not path.is_symlink() and path.stat().st_mode & 0o022]


def test_three_that_copy_at_once_use_the_same_copy(
    closed: Binaries, public: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(copies, "SYSTEM_CACHE", public)
    with ThreadPoolExecutor() as pool:
        futures = [pool.submit(find_reachable, closed, server_account(public), public) for _ in range(3)]
        copied = {future.result() for future in futures}

    assert len(copied) == 1
    assert len(list((public / copies.HOME).iterdir())) == 1


def test_a_cache_that_others_can_write_to_is_passed_over(
    closed: Binaries, public: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(copies, "SYSTEM_CACHE", public)
    (public / copies.HOME).mkdir()
    (public / copies.HOME).chmod(0o777)
    beside = public / "beside"
    beside.mkdir()

    assert find_reachable(closed, server_account(public), beside / "data").bin.is_relative_to(beside / copies.HOME)


def test_where_there_is_no_place_for_a_copy_the_message_says_so(
    closed: Binaries, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("SYSTEM_CACHE", "SHARED_TEMPORARY"):
        monkeypatch.setattr(copies, name, home)

    with pytest.raises(NoBinaries, match=r"can run neither .* nor a copy"):
        find_reachable(closed, server_account(home), home / "data")


def test_an_unprivileged_user_has_a_server_and_root_may_join_it(
    serve: Serve, hold: Hold, public: Path, nobody: Account
) -> None:
    closed_home = public / "home"
    closed_home.mkdir(mode=0o700)
    os.chown(closed_home, nobody.uid, nobody.gid)
    first = hold(closed_home / "data", account=nobody)
    url = first.answer()

    with serve(closed_home / "data") as server:
        assert server.os_user == "nobody"
        assert server.url("jobplane_app") == url
        assert ask(url, "select current_user") == "jobplane_app"
        for account in (nobody, launcher()):
            assert connect_as(account, server, "jobplane_worker") == "jobplane_worker"
            assert "rejects connection" in connect_as(account, server, "postgres")
        first.leave()
        assert postmaster_pid(server.data_dir)

    assert postmaster_pid(closed_home / "data") is None


def test_an_unprivileged_user_may_not_use_the_data_of_another(hold: Hold, data: Path, nobody: Account) -> None:
    refused = hold(data, account=nobody)

    _, complaint = refused.process.communicate(timeout=30)

    assert f"UnsafeDirectory: There is no permission to use {data}" in complaint
