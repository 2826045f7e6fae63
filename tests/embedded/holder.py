"""A process of its own that uses an embedded server, for tests that share it, kill it or fork it."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Final

import jobplane
from jobplane.embedded import EmbeddedServer
from jobplane.embedded.account import Account, Credentials

SETTINGS: Final = {"fsync": "off"}
ROLES: Final = (Path(jobplane.__file__).parent / "store/sql/postgres/roles.sql").read_text()


@dataclass
class Holder:
    """The parent's end of it: one line of JSON for each thing that it did."""

    process: subprocess.Popen[str]

    def order(self, word: str) -> None:
        assert self.process.stdin
        self.process.stdin.write(f"{word}\n")
        self.process.stdin.flush()

    def answer(self) -> str:
        line = _opened(self.process.stdout).readline()
        assert line, _opened(self.process.stderr).read()
        return json.loads(line)

    def do(self, word: str) -> str:
        self.order(word)
        return self.answer()

    def leave(self) -> None:
        """Stop using the server and end."""
        self.order("leave")
        _, complaints = self.process.communicate(timeout=60)
        assert self.process.returncode == 0, complaints

    def kill(self) -> None:
        self.process.kill()
        self.process.communicate(timeout=60)


def _opened(pipe: IO[str] | None) -> IO[str]:
    assert pipe
    return pipe


def spawn(data_dir: Path, *, new_session: bool = False, account: Account | None = None) -> Holder:
    """Start a holder, as another user if need be; its first answer, the server's URL, comes when the server is up."""
    python = python_of(account) if account else [sys.executable]
    pipe, who = subprocess.PIPE, account.credentials if account else Credentials()
    process = subprocess.Popen(
        [*python, __file__, str(data_dir)], cwd="/", stdin=pipe, stdout=pipe, stderr=pipe, text=True,
        start_new_session=new_session, **who,
    )  # fmt: skip
    return Holder(process)


def python_of(account: Account) -> list[str]:
    """A Python that this user can run, with our packages, or nothing; ours may lie in a closed home."""
    search = os.pathsep.join([str(Path(jobplane.__file__).parents[1]), *sys.path])
    for python in (sys.executable, "/usr/bin/python3"):
        command = ["/usr/bin/env", f"PYTHONPATH={search}", "PYTHONDONTWRITEBYTECODE=1", python]
        probe = [*command, "-c", "import jobplane.embedded; jobplane.embedded.find_binaries()"]
        if account.run(probe).returncode == 0:
            return command
    return []


def _say(answer: str) -> None:
    print(json.dumps(answer), flush=True)  # noqa: T201 the pipe to the test


def _fork(server: EmbeddedServer) -> None:
    """The child stops its copy of the server when its parent is gone."""
    parent = os.getpid()
    if os.fork() == 0:
        while os.getppid() == parent:
            time.sleep(0.01)
        server.stop()
        os._exit(0)


def _fork_and_stop(server: EmbeddedServer) -> None:
    """The child stops its copy at once."""
    child = os.fork()
    if child == 0:
        server.stop()
        os._exit(0)
    assert os.waitpid(child, 0)[1] == 0


def main() -> None:
    server = EmbeddedServer(Path(sys.argv[1]), bootstrap_sql=ROLES, settings=SETTINGS)
    server.start()
    _say(server.url("jobplane_app"))
    orders = {"stop": EmbeddedServer.stop, "fork": _fork, "fork and stop": _fork_and_stop}
    while (word := sys.stdin.readline().strip()) != "leave":
        orders[word](server)
        _say(word)
    server.stop()


if __name__ == "__main__":
    main()
