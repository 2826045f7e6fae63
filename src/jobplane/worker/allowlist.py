"""The commands that this machine may run: its policy, compared with the definitions in the database."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from jobplane.core.command import Command, content_hash, read_command
from jobplane.core.errors import Invalid, StoreUnavailable
from jobplane.core.model import Definition, Json
from jobplane.core.paging import Page
from jobplane.store.verbs.operator import ListDefinitions
from jobplane.worker.policy import (
    NEEDED,
    CommandPolicy,
    Executable,
    Policy,
    Verdict,
    judge,
    load_policy,
    open_executable,
)

PAGE: Final = 200
Ask = Callable[[ListDefinitions], Awaitable[Page[Definition, str]]]
LogEvent = Callable[..., None]
_Mark = tuple[int, int, int, int]
POLICY_MISMATCH: Final = "policy_mismatch"  # the reason of a release: the policy does not name this command as it is
_READY: Final = "ready"
_MISSING: Final = "definition_missing"


@dataclass(frozen=True, slots=True)
class Approved:
    """A command that may start now: its entry in the policy, its definition, and its executable, open and hashed."""

    entry: CommandPolicy
    definition: Definition
    command: Command
    executable: Executable


class Allowlist:
    """Approves each start of a command by the definition as it is then. Without a policy there are no commands."""

    def __init__(self, path: Path | None, log_event: LogEvent) -> None:
        self._path = path
        self._log_event = log_event
        self._mark = _mark(path)
        self.policy: Policy | None = None if path is None else load_policy(path)
        self.ready: frozenset[str] = frozenset()  # the keys of the commands that this machine runs
        self._verdicts: Mapping[str, Verdict] = {}
        self._definitions: Mapping[str, Definition] = {}
        self._wanted: set[str] = set()
        self._next: asyncio.Task[dict[str, Definition]] | None = None
        self._reading = asyncio.Lock()
        self._ask: Ask | None = None

    def bind(self, ask: Ask) -> None:
        """Read definitions by this call when a command is to be started."""
        self._ask = ask

    @property
    def mismatched(self) -> list[str]:
        """The keys of commands that are there and that the policy does not fit."""
        return sorted(key for key, verdict in self._verdicts.items() if verdict.state not in (_READY, _MISSING))

    @property
    def queues(self) -> list[str]:
        """The queues of the commands in the policy, also of those that differ: their jobs are held with the reason."""
        there = (key for key, verdict in self._verdicts.items() if verdict.state != _MISSING)
        return sorted({self._definitions[key].queue for key in there if key in self._definitions})

    def describe(self) -> dict[str, Json]:
        """The facts of each command of the policy, for a registration."""
        entries: Mapping[str, CommandPolicy] = {} if self.policy is None else self.policy.commands
        return {
            key: {"state": verdict.state, "detail": verdict.sentence, "hash": entries[key].hash}
            for key, verdict in self._verdicts.items()
            if key in entries
        }

    async def refresh(self, ask: Ask) -> None:
        """Load the policy again if its file has changed, read the definitions of its commands, and compare."""
        if self._path is None:
            return
        self._reload()
        entries: Mapping[str, CommandPolicy] = {} if self.policy is None else self.policy.commands
        definitions = await _list(entries, ask)
        verdicts = await asyncio.to_thread(_judge_all, entries, definitions)  # an executable that has changed is hashed
        before, self._definitions, self._verdicts = self._verdicts, definitions, verdicts
        self.ready = frozenset(key for key, verdict in verdicts.items() if verdict.state == _READY)
        self._tell(before)

    def _reload(self) -> None:
        """Load the policy if its file has changed."""
        mark = _mark(self._path)
        if self._path is None or mark == self._mark:
            return
        self._mark = mark
        try:
            self.policy = load_policy(self._path)
        except Invalid as error:  # the commands of the policy before would be those that somebody has just taken away
            self._log_event("policy_refused", level="error", file=str(self._path), error=error.message)
            self.policy = None
        else:
            self._log_event("policy_loaded", file=str(self._path), commands=len(self.policy.commands))

    def _tell(self, before: Mapping[str, Verdict]) -> None:
        """Log the commands that are not ready, each once for each state."""
        for key, verdict in self._verdicts.items():
            known = before.get(key)
            if verdict.state != _READY and (known is None or known.state != verdict.state):
                self._log_event(
                    "command_refused", level="warning", definition=key, state=verdict.state, error=verdict.sentence
                )

    async def approve(self, key: str) -> Approved | str:
        """Whether a command may start now; if not, the code of the reason. Raises what the call to the store raises.

        Policy and definition are read after this call began, so what was changed or taken away before is not started.
        """
        self._reload()
        definition = await self._read(key)
        entry = None if self.policy is None else self.policy.commands.get(key)
        if definition is None or not definition.active or definition.deleted_at is not None:
            return "inactive"
        if entry is None:
            return POLICY_MISMATCH
        return await asyncio.to_thread(_admit, entry, definition) or POLICY_MISMATCH

    async def _read(self, key: str) -> Definition | None:
        """The definition as it is now. Calls of the same moment share one statement."""
        self._wanted.add(key)
        if self._next is None:
            self._next = asyncio.create_task(self._read_wanted())
        return (await asyncio.shield(self._next)).get(key)

    async def _read_wanted(self) -> dict[str, Definition]:
        async with self._reading:
            keys, self._wanted, self._next = self._wanted, set(), None
            if self._ask is None:
                raise StoreUnavailable("The worker is not connected to its database.")
            return await _list(keys, self._ask)


async def _list(keys: Iterable[str], ask: Ask) -> dict[str, Definition]:
    """The definitions with these keys, by key."""
    found: dict[str, Definition] = {}
    for named in batched(sorted(keys), PAGE):
        found |= {definition.key: definition for definition in (await ask(ListDefinitions(named, limit=PAGE))).items}
    return found


def batched(keys: Sequence[str], size: int) -> Iterator[Sequence[str]]:
    """The keys in groups: Python 3.11 has no itertools.batched."""
    for at in range(0, len(keys), size):
        yield keys[at : at + size]


def _judge_all(entries: Mapping[str, CommandPolicy], definitions: Mapping[str, Definition]) -> Mapping[str, Verdict]:
    return {key: judge(entry, definitions.get(key)) for key, entry in entries.items()}


def _admit(entry: CommandPolicy, definition: Definition) -> Approved | None:
    """None where the definition or the executable is not the one that the policy names."""
    if definition.kind != "command" or definition.command is None or not NEEDED.isdisjoint(definition.undecodable):
        return None
    try:
        command = read_command(definition.command, definition.arg_schema)
        executable = open_executable(command.executable)
    except Invalid:
        return None
    if content_hash(definition.command, definition.arg_schema, executable.digest) != entry.hash:
        executable.close()
        return None
    return Approved(entry, definition, command, executable)


def _mark(path: Path | None) -> _Mark | None:
    """The facts of a file that change when it is written or replaced. None: there is no file."""
    try:
        found = None if path is None else path.stat()
    except OSError:
        return None
    return None if found is None else (found.st_ino, found.st_size, found.st_mtime_ns, found.st_ctime_ns)
