"""Build what one job passes to its command: arguments, environment and files."""

from __future__ import annotations

from typing import Final
from uuid import UUID

from jobplane.core.bounds import INT
from jobplane.core.command.command import Command
from jobplane.core.command.entries import Secret
from jobplane.core.command.scope import LONGEST, Call, Scope
from jobplane.core.errors import InvalidPayload, SecretInPayload
from jobplane.core.model import Document
from jobplane.core.references import RULE, Reference, read_reference
from jobplane.core.schema import pointer_of

MOST_BYTES: Final = 1024 * 1024  # of all arguments; Linux takes 2 MiB of arguments and environment with the usual stack
MOST_BYTES_OF_ENVIRONMENT: Final = 512 * 1024
_OVERHEAD: Final = 9  # the kernel counts a final NUL and a pointer for each
_WIDEST: Final = Call(UUID(int=0), UUID(int=0), INT)


def build_argv(command: Command, payload: Document, call: Call) -> list[str]:
    """The executable and its arguments; raises InvalidPayload, with a pointer to the value that cannot be passed."""
    scope = Scope(payload, call)
    argv = [command.executable]
    size = len(command.executable.encode()) + _OVERHEAD
    for element in command.argv:
        for argument in element.arguments(scope):
            size += len(argument.encode()) + _OVERHEAD
            if size > MOST_BYTES:
                raise _too_much("arguments", MOST_BYTES)
            argv.append(argument)
    return argv


def build_environment(command: Command, payload: Document, call: Call) -> dict[str, str | Reference]:
    """The variables of the document. A text of the payload is never a reference, whatever it looks like.

    A variable is left out where a value of it is absent or null. Raises InvalidPayload, and SecretInPayload for a
    secret that is given as a plain value.
    """
    scope = Scope(payload, call)
    found: dict[str, str | Reference] = {}
    size = 0
    for name, entry in command.variables.items():
        is_secret = isinstance(entry, Reference | Secret)
        value = _reference(entry, payload) if is_secret else scope.render(entry)
        if value is None:
            continue
        length = len(name) + 1 + len(str(value).encode())
        size += length + _OVERHEAD
        if length > LONGEST or size > MOST_BYTES_OF_ENVIRONMENT:
            raise _too_much("variables", MOST_BYTES_OF_ENVIRONMENT)
        found[name] = value
    return found


def build_files(command: Command, payload: Document) -> dict[str, Reference]:
    """The reference for each file. A file is left out where its secret is absent or null. Raises SecretInPayload."""
    found = {name: _reference(entry, payload) for name, entry in command.secret_files.items()}
    return {name: reference for name, reference in found.items() if reference is not None}


def check_payload(command: Command, payload: Document) -> None:
    """Raise InvalidPayload where a job with this payload could not pass it to the command."""
    build_argv(command, payload, _WIDEST)
    build_environment(command, payload, _WIDEST)
    build_files(command, payload)


def _reference(entry: Reference | Secret, payload: Document) -> Reference | None:
    if isinstance(entry, Reference):
        return entry
    value = payload.get(entry.name)
    if value is None:
        return None
    if isinstance(value, str) and (reference := read_reference(value)):
        return reference
    pointer = pointer_of([entry.name])
    raise SecretInPayload(f"The value at {pointer} must be a reference to a secret. {RULE}", pointer=pointer)


def _too_much(what: str, most: int) -> InvalidPayload:
    message = f"The {what} of the command would have more than {most:,} bytes in sum. Keep large data in a file"
    return InvalidPayload(f"{message} and pass its name.", pointer="")
