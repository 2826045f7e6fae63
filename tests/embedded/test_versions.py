"""Data of another major version are refused, and the two commands of the message move them."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path
from typing import TypedDict, cast

import pytest

from jobplane.embedded import EmbeddedVersion, find_binaries
from tests.embedded.conftest import Serve, ask


class Facts(TypedDict):
    commands: tuple[str, str]
    target: str


WHEEL_16 = find_binaries().bin.parent.parent / "pginstall/bin"


@pytest.fixture(params=["a plain path", "an odd path in a closed home"])
def former(request: pytest.FixtureRequest, public: Path, home: Path) -> Path:
    return public / "data" if request.param == "a plain path" else home / "odd $name's"


def test_the_two_commands_move_the_data(serve: Serve, former: Path) -> None:
    with serve(former, bin_dir=WHEEL_16) as server:
        ask(server.url("jobplane_owner"), "create schema kept; create table kept.t as select 7 as n")

    with pytest.raises(EmbeddedVersion, match="holds data of PostgreSQL 16, and") as refused:
        serve(former).start()
    facts = cast("Facts", refused.value.facts)
    for command in facts["commands"]:
        assert f"  {command}\n" in str(refused.value)
        forgetful = re.sub(r"(/initdb|/pg_upgrade) ", r"\1 --no-sync ", command)
        done = subprocess.run(["/bin/sh", "-c", forgetful], cwd="/", capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stdout + done.stderr

    with serve(Path(facts["target"])) as moved, serve(former, bin_dir=WHEEL_16) as kept:
        assert ask(moved.url("jobplane_owner"), "select n from kept.t") == 7
        assert ask(moved.url("jobplane_app"), "show max_connections") == "200"
        assert ask(kept.url("jobplane_owner"), "select n from kept.t") == 7


def test_a_running_server_of_another_major_version_is_not_joined(serve: Serve, data: Path) -> None:
    with serve() as server:
        with pytest.raises(EmbeddedVersion) as refused:
            serve(bin_dir=WHEEL_16).start()

        assert refused.value.code == "embedded_version"
        assert ask(server.url("jobplane_app"), "select 1") == 1
