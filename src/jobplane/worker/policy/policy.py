"""The policy of a worker: which commands its machine may run, and how. No database can change it."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final, TypeVar

from jobplane.core.references import Grants
from jobplane.execution.policy_file import InvalidPolicy, read_policy_file
from jobplane.worker.policy.tables import CommandTable, LimitsTable, PolicyTable, name_key, read_tables
from jobplane.worker.policy.users import User, find_user

DEFAULT_PATH: Final = "/usr/local/bin:/usr/bin:/bin"
_OPEN_FILES: Final = 1024
T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Limits:
    """The limits of each process of a command; None: no limit but those of the worker itself."""

    memory_bytes: int | None = None
    processes: int | None = None
    open_files: int | None = _OPEN_FILES
    cpu_seconds: int | None = None
    file_bytes: int | None = None


@dataclass(frozen=True, slots=True)
class CommandPolicy:
    """What the policy says of one command. `environment` has values, taken from the worker's own or from the file.

    `secrets` is what its definition may name.
    """

    key: str
    hash: str
    user: User
    environment: Mapping[str, str]
    work_dir: Path
    grace_seconds: float
    limits: Limits
    secrets: Grants


@dataclass(frozen=True, slots=True)
class Policy:
    """A policy file. `secrets` is for definitions and `ctx.secret`, `payload_secrets` for payloads."""

    path: Path
    secrets: Grants
    payload_secrets: Grants
    commands: Mapping[str, CommandPolicy]


def load_policy(path: Path) -> Policy:
    """Read a policy, and look up its users. Raises InvalidPolicy, also where others may change the file."""
    tables = read_tables(read_policy_file(path), path)
    commands = {key: _Command(path, tables, key, table).read() for key, table in tables.commands.items()}
    return Policy(path, Grants(tables.secrets), Grants(tables.payload_secrets), commands)


@dataclass(frozen=True, slots=True)
class _Command:
    """The table of one command, with what the top of the file says for all."""

    path: Path
    top: PolicyTable
    key: str
    own: CommandTable

    def read(self) -> CommandPolicy:
        return CommandPolicy(
            key=self.key,
            hash=self.own.hash,
            user=self._judged("user", lambda: find_user(self.own.user or self.top.user, self.own.group)),
            environment=self._judged("environment", self._environment),
            work_dir=Path(self.own.work_dir or self.top.work_dir or _default_work_dir()),
            grace_seconds=self.own.grace_seconds,
            limits=_limits(self.top.limits, self.own.limits),
            secrets=Grants(self.top.secrets),
        )

    def _environment(self) -> Mapping[str, str]:
        named = self.own.environment
        given = named if isinstance(named, dict) else {}
        names = [*self.top.environment, *(named if isinstance(named, list) else ())]
        return {"PATH": DEFAULT_PATH, **_inherited(names), **given}

    def _judged(self, name: str, find: Callable[[], T]) -> T:
        """What `find` answers; raises InvalidPolicy with the key instead of its ValueError."""
        try:
            return find()
        except ValueError as error:
            key = name_key(("commands", self.key, name))
            raise InvalidPolicy(f"Invalid {key} in {self.path}. {error}", file=str(self.path), key=key) from None


def _inherited(names: Sequence[str]) -> dict[str, str]:
    """The variables of this process that have these names, as far as they are set."""
    found = {name: os.environ[name] for name in names if name in os.environ}
    for name, value in found.items():
        if any("\ud800" <= letter <= "\udfff" for letter in value):
            raise ValueError(f"The worker's own variable {name} is not UTF-8.")
    return found


def _default_work_dir() -> str:
    return str(Path(tempfile.gettempdir()) / f"jobplane-{os.geteuid()}")


def _limits(top: LimitsTable, own: LimitsTable) -> Limits:
    """The command's own limits, else those for all, else the defaults. "none" is no limit."""
    said = {**top.model_dump(exclude_none=True), **own.model_dump(exclude_none=True)}
    return Limits(**{name: None if value == "none" else value for name, value in said.items()})
