"""Data of another major version: refused, with the two commands that move them."""

from __future__ import annotations

import re
import shlex
from dataclasses import dataclass
from pathlib import Path

from jobplane.embedded.account import Account
from jobplane.embedded.binaries import Binaries
from jobplane.embedded.cluster import initdb_options
from jobplane.embedded.cluster_place import OPEN_FILES
from jobplane.embedded.directories import VERSION, prepare_data_dir, prepare_socket_dir, write_private
from jobplane.embedded.errors import EmbeddedVersion
from jobplane.embedded.settings import MOVING_HBA, SUPERUSER

RECORD = "jobplane.binaries"
HARMLESS = re.compile(r"[\w@%+=:,./-]+", re.ASCII)


def record_programs(data_dir: Path, binaries: Binaries, account: Account) -> None:
    """Write down what serves the data, for those who join and for those who move them one day."""
    write_private(data_dir / RECORD, f"{binaries.version[0]}.{binaries.version[1]}\n{binaries.bin}\n", account)


def running_version(data_dir: Path) -> tuple[int, int]:
    """The version of the server that was started last; ours may be of another minor version."""
    major, minor = (data_dir / RECORD).read_text().splitlines()[0].split(".")
    return int(major), int(minor)


def refuse(data_dir: Path, binaries: Binaries, account: Account) -> EmbeddedVersion:
    """The error with the two commands; they copy, and leave the old data as they are."""
    found = (data_dir / VERSION).read_text().strip()
    target = data_dir.with_name(f"{data_dir.name}-{binaries.major}")
    move = Move(data_dir, target, binaries, account)
    if account.is_other or move.by_descriptor:
        prepare_data_dir(target, account)  # initdb could not make it
    commands = move.commands(_former_programs(data_dir, found))
    lines = "".join(f"  {command}\n" for command in commands)
    return EmbeddedVersion(
        f"{data_dir} holds data of PostgreSQL {found}, and the programs in {binaries.bin} are {binaries.major}.\n"
        f"To copy them to {target}, run\n{lines}and use embedded:{target} from then on. The old data stay as they are.",
        found=found, wanted=str(binaries.major), commands=commands, target=str(target),
    )  # fmt: skip


@dataclass(frozen=True, slots=True)
class Move:
    """From one data directory to another."""

    source: Path
    target: Path
    binaries: Binaries
    account: Account

    def commands(self, former: str) -> tuple[str, str]:
        source, target = self._name(self.source, 8), self._name(self.target, 9)
        initdb = [self.binaries.program("initdb"), "-D", target, *initdb_options(self.binaries, "trust")]
        upgrade = [
            *(self.binaries.program("pg_upgrade"), "-b", former, "-B", str(self.binaries.bin)),
            *("-d", source, "-D", target, "-U", SUPERUSER, "-o", f"-c hba_file={source}/{MOVING_HBA}"),
        ]
        return self._write_command(initdb), self._write_command(upgrade)

    @property
    def by_descriptor(self) -> bool:
        """pg_upgrade passes paths through many shells, and the server's user may not get there by path."""
        return not HARMLESS.fullmatch(str(self.target)) or not self.account.can_enter(self.source)

    def _name(self, path: Path, descriptor: int) -> str:
        return f"{OPEN_FILES}/{descriptor}" if self.by_descriptor else str(path)

    def _write_command(self, words: list[str]) -> str:
        ids = [f"--reuid={self.account.uid}", f"--regid={self.account.gid}", "--clear-groups"]
        become = ["setpriv", *ids] if self.account.is_other else []
        opened = [f"8<{shlex.quote(str(self.source))}", f"9<{shlex.quote(str(self.target))}"]
        command = " ".join([shlex.join([*become, *words]), *(opened if self.by_descriptor else [])])
        # pg_upgrade writes into the directory where it starts, and makes its socket there.
        return f"(cd {prepare_socket_dir(self.source, self.account)} && {command})"


def _former_programs(data_dir: Path, found: str) -> str:
    """Where the programs are that last served the data; else where Debian has them."""
    try:
        recorded = Path((data_dir / RECORD).read_text().splitlines()[1])
    except (OSError, IndexError):
        recorded = Path()
    return str(recorded) if (recorded / "postgres").exists() else f"/usr/lib/postgresql/{found}/bin"
