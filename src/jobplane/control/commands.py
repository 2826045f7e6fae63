"""The command line that a payload would become, and the workers that may run it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final, cast
from uuid import UUID

from jobplane.control.access import Access
from jobplane.control.definitions import Definitions
from jobplane.core.bounds import show
from jobplane.core.command import Call, build_argv, build_environment, build_files
from jobplane.core.defaults import STANDARD
from jobplane.core.errors import NotACommand
from jobplane.core.judging import payload_judge, stored_command
from jobplane.core.model import Definition, Document, Worker
from jobplane.core.payload import encode
from jobplane.store.verbs.operator import ListWorkers

_MOST: Final = 1000  # workers that are looked at, the latest seen first
_MISMATCH: Final = "policy_mismatch"
_READY: Final = "ready"
_LONGEST: Final = 1000  # characters of what a worker says
_UNSAID: Final = "The policy of this worker does not allow the definition as it is now."


@dataclass(frozen=True, slots=True)
class CommandWorker:
    """A live worker whose policy names the definition: `ready` to run it, or why it does not, as code and sentence."""

    worker_id: str
    state: str
    reason: str | None
    hash: str | None


@dataclass(frozen=True, slots=True)
class CommandWorkers:
    """The number of live workers of a definition's queue that may run it, and of those whose policy differs.

    `listed` is for operators.
    """

    ready: int
    mismatched: int
    listed: list[CommandWorker] | None


@dataclass(frozen=True, slots=True)
class CommandPreview:
    """The process that a worker would start. References are not resolved: only the worker knows their values."""

    definition_key: str
    argv: list[str]
    environment: dict[str, str]
    files: dict[str, str]
    stdin: str
    workers: CommandWorkers


class Commands:
    """The commands of an installation, as one tenant would run them."""

    def __init__(self, access: Access, tenant: UUID) -> None:
        self._access = access
        self._tenant = tenant

    async def preview(self, named: str, payload: Document) -> CommandPreview:
        """Show the process that a job would start. Raises DefinitionNotFound, NotACommand and InvalidPayload."""
        self._access.caller.require("previewCommand")
        definition = await Definitions(self._access, STANDARD).find(named, "previewCommand")
        command = stored_command(definition)
        if command is None:
            message = f"Definition {show(definition.key, 200)} has no command. There is nothing to preview."
            raise NotACommand(message, definition=definition.key)
        encode(payload)
        payload_judge(definition).check(payload)
        environment = build_environment(command, payload, self._call)
        return CommandPreview(
            definition.key,
            build_argv(command, payload, self._call),
            {name: str(value) for name, value in environment.items()},
            {name: str(reference) for name, reference in build_files(command, payload).items()},
            command.stdin,
            await self._workers(definition),
        )

    def arguments(self, definition: Definition, payload: Document) -> list[str] | None:
        """The executable and its arguments; None where there is no command, or the caller may see none."""
        if not self._access.caller.may("previewCommand"):
            return None
        command = stored_command(definition)
        return None if command is None else build_argv(command, payload, self._call)

    @property
    def _call(self) -> Call:
        return Call(self._tenant, None, None)

    async def _workers(self, definition: Definition) -> CommandWorkers:
        page = await self._access.peek(ListWorkers(_MOST))
        live = [each for each in page.items if each.live and not each.draining and definition.queue in each.queues]
        ready = [worker for worker in live if definition.key in (worker.definitions or ())]
        mismatched = [worker for worker in live if definition.key in worker.mismatched]
        listed = [_described(worker, definition.key) for worker in (*ready, *mismatched)]
        return CommandWorkers(len(ready), len(mismatched), listed if self._access.caller.may("listWorkers") else None)


def _described(worker: Worker, key: str) -> CommandWorker:
    said = _said(worker, key)
    if key in (worker.definitions or ()):
        return CommandWorker(worker.worker_id, _READY, None, said.get("hash"))
    state = said.get("state", _MISMATCH)
    if state == _READY:  # the definition has changed, and the worker has not looked yet
        return CommandWorker(worker.worker_id, _MISMATCH, _UNSAID, said.get("hash"))
    return CommandWorker(worker.worker_id, state, said.get("detail", _UNSAID), said.get("hash"))


def _said(worker: Worker, key: str) -> dict[str, str]:
    """The state that a worker reports of a definition in its policy. Its metadata may have any shape."""
    policy = worker.metadata.get("policy")
    entry = cast("Document", policy).get(key) if isinstance(policy, Mapping) else None
    if not isinstance(entry, Mapping):
        return {}
    return {name: text[:_LONGEST] for name, text in cast("Document", entry).items() if isinstance(text, str)}
