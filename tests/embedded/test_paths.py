"""Wherever the data are: long paths, odd names, a home that nobody else can enter."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

from jobplane.embedded.account import Account
from jobplane.embedded.directories import prepare_socket_dir
from tests.embedded.conftest import Serve, ask

ODD = ["with space", "per%20cent", "quote'\"s", "$(dollar)`x`", "-dash", "Ümläut", "new\nline"]
SERVE_IN_DEFAULT_DIRECTORY = """
from jobplane.embedded import EmbeddedServer, default_data_dir
with EmbeddedServer(default_data_dir(), settings={"fsync": "off"}) as server:
    print(server.data_dir)
"""


def test_a_path_of_200_characters_and_more(serve: Serve, home: Path) -> None:
    data_dir = home / ("d" * 100) / ("e" * 100)

    with serve(data_dir) as server:
        assert len(str(server.socket_dir)) < 80
        assert ask(server.url("jobplane_app"), "select 1") == 1


def test_any_name_will_do(serve: Serve, home: Path) -> None:
    with serve(home.joinpath(*ODD)) as server:
        assert ask(server.url("jobplane_app"), "select 1") == 1


def test_every_spelling_of_a_directory_is_the_same_server(
    serve: Serve, data: Path, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (home / "link").symlink_to(data)
    monkeypatch.chdir(home)

    with serve(data) as one, serve(home / "link") as two, serve(Path("x/../data")) as three:
        assert one.socket_dir == two.socket_dir == three.socket_dir


def test_the_default_directory_lies_below_a_home_of_mode_0700(home: Path) -> None:
    rest = {name: value for name, value in os.environ.items() if not name.startswith("XDG_")}
    command = [sys.executable, "-c", SERVE_IN_DEFAULT_DIRECTORY]
    done = subprocess.run(command, env=rest | {"HOME": str(home)}, capture_output=True, text=True, check=False)

    assert done.returncode == 0, done.stderr
    assert done.stdout.strip() == str(home / ".local/share/jobplane/postgres")


def test_the_session_has_a_place_for_sockets_unless_its_path_is_too_long(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    runtime = Path(tempfile.mkdtemp())
    me = Account("me", os.geteuid(), os.getegid())
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(runtime))
    chosen = prepare_socket_dir(home, me)
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(runtime / ("long" * 20)))
    fallback = prepare_socket_dir(home, me)
    shutil.rmtree(runtime)
    fallback.rmdir()

    assert chosen.parent == runtime
    assert fallback.parent == Path("/tmp")
