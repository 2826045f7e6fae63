"""Compare a definition and its executable with the entry of a policy."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final, Literal, NamedTuple, TypeAlias, cast

from jobplane.core.command import Command, content_hash, read_command
from jobplane.core.errors import Invalid
from jobplane.core.model import Definition, Json
from jobplane.core.references import Reference
from jobplane.core.wording import reason_of
from jobplane.execution.trusted_paths import Untrusted, resolve_trusted
from jobplane.worker.policy.executables import ExecutableRefused, open_executable
from jobplane.worker.policy.policy import CommandPolicy

State: TypeAlias = Literal[
    "ready",
    "definition_missing",
    "definition_invalid",
    "content_changed",
    "definition_changed",
    "executable_changed",
    "executable_missing",
    "executable_unsafe",
    "executable_relative",
    "secret_not_allowed",
    "work_dir_unsafe",
]
NEEDED: Final = frozenset({"kind", "command", "arg_schema", "active", "deleted_at"})  # of a definition
_MOST_KNOWN: Final = 1000
_digests: dict[str, str] = {}  # of the executables behind the hashes that were found ready


class Verdict(NamedTuple):
    """Whether a command may run on this machine, and a sentence that says why not."""

    state: State
    sentence: str


def judge(entry: CommandPolicy, definition: Definition | None) -> Verdict:
    """Whether a definition is the one that the policy names. It opens and hashes the executable, so it may take long.

    A policy holds one hash of a definition and its executable. Only a process that has found them ready before can tell
    which of the two has changed: `definition_changed` or `executable_changed`. Otherwise it is `content_changed`.
    """
    if definition is None or definition.deleted_at is not None:
        return Verdict("definition_missing", f'There is no definition "{entry.key}".')
    if not NEEDED.isdisjoint(definition.undecodable):
        return Verdict("definition_invalid", f'The stored definition "{entry.key}" cannot be decoded. Put it again.')
    if definition.kind != "command" or definition.command is None:
        return Verdict("definition_missing", f'The definition "{entry.key}" is no command.')
    return judge_content(entry, definition.command, definition.arg_schema)


def judge_content(entry: CommandPolicy, document: Json, schema: Json) -> Verdict:
    """The same of a command's document and the schema of its payloads."""
    path = document.get("executable") if isinstance(document, Mapping) else None
    if not isinstance(path, str):
        return Verdict("definition_invalid", f'The command of definition "{entry.key}" names no executable.')
    try:
        with open_executable(path) as executable:
            digest = executable.digest
        found = content_hash(document, schema, digest)
        if found != entry.hash:
            state = _what_changed(entry, document, schema, digest)
            return Verdict(state, _describe(state, entry.key, path))
        command = read_command(document, schema)
    except ExecutableRefused as error:
        return Verdict(cast("State", error.code), error.message)
    except Invalid as error:
        return Verdict("definition_invalid", error.message)
    _remember(found, digest)
    return _judge_secrets(entry, command) or _judge_work_dir(entry)


def _what_changed(entry: CommandPolicy, document: Json, schema: Json, digest: str) -> State:
    """What is another than when this process found the entry ready."""
    known = _digests.get(entry.hash)
    if known is None:
        return "content_changed"
    if content_hash(document, schema, known) == entry.hash:
        return "executable_changed"
    return "definition_changed" if known == digest else "content_changed"


def _describe(state: State, key: str, path: str) -> str:
    again = f"If it is what you expect, run `jobplane policy write {key}`."
    if state == "executable_changed":
        return f"The content of {path} has changed since the policy was written. {again}"
    look = f"Look at `jobplane definitions get {key} -o json`"
    if state == "definition_changed":
        return f"The command or the arg_schema has changed since the policy was written. {look}. {again}"
    return (
        "The executable, argv, environment, stdin, exit codes, files or arg_schema has changed since the policy was "
        f"written: it has one hash of them all. {look} and at `sha256sum {path}`. {again}"
    )


def _judge_secrets(entry: CommandPolicy, command: Command) -> Verdict | None:
    """The verdict where the definition names a secret that its jobs would not get, whatever their tenant is."""
    for named in (*command.variables.values(), *command.secret_files.values()):
        if isinstance(named, Reference) and not entry.secrets.may_allow(named):
            message = f'The definition "{entry.key}" names the secret {named}, which the policy does not allow.'
            return Verdict("secret_not_allowed", f'{message} Add the prefix "{named}" to secrets.')
    return None


def _judge_work_dir(entry: CommandPolicy) -> Verdict:
    """A directory that is not there yet is made by the worker."""
    try:
        if not (found := resolve_trusted(entry.work_dir)).is_dir():
            return Verdict("work_dir_unsafe", f"The work_dir {found} is no directory.")
    except FileNotFoundError:
        pass
    except (OSError, Untrusted) as error:
        why = str(error) if isinstance(error, Untrusted) else f"{reason_of(error)}."
        return Verdict("work_dir_unsafe", f"The work_dir {entry.work_dir} cannot be used. {why}")
    return Verdict("ready", "The definition and its executable are those that the policy names.")


def _remember(found: str, digest: str) -> None:
    if len(_digests) >= _MOST_KNOWN:
        _digests.clear()
    _digests[found] = digest
