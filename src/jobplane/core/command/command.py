"""The document of a command: an executable, a template of its arguments, and what else it is given."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final, Literal, TypeAlias, cast

from jobplane.core.bounds import show
from jobplane.core.command.elements import Element
from jobplane.core.command.entries import Entry, Secret, read_environment, read_files
from jobplane.core.command.properties import Properties
from jobplane.core.command.reading import read_argv
from jobplane.core.errors import InvalidCommand, InvalidPayload
from jobplane.core.model import Document, Json
from jobplane.core.payload import Limits, encode_part
from jobplane.core.references import Reference
from jobplane.core.schema import pointer_of
from jobplane.core.spelling import suggest

ExitMeaning: TypeAlias = Literal["retry", "fail", "succeed"]
Stdin: TypeAlias = Literal["closed", "payload"]

DEFAULTS: Final[Document] = {"argv": [], "environment": {}, "files": {}, "stdin": "closed", "exit_codes": {}}
LIMITS: Final = Limits(bytes=64 * 1024, depth=8)
_FIELDS: Final = ("executable", *DEFAULTS)
_LONGEST_PATH: Final = 4095
_EXIT_CODE: Final = re.compile(r"[1-9][0-9]?|1[0-9]{2}|2[0-4][0-9]|25[0-5]")


@dataclass(frozen=True, slots=True)
class Command:
    """A command that was read. `environment` and `files` are the texts of the document, by name."""

    executable: str
    argv: tuple[Element, ...]
    environment: Mapping[str, str]
    files: Mapping[str, str]
    stdin: Stdin
    exit_codes: Mapping[int, ExitMeaning]
    variables: Mapping[str, Entry] = field(repr=False)
    secret_files: Mapping[str, Reference | Secret] = field(repr=False)


def read_command(document: Json, schema: Json) -> Command:
    """The command of a document; raises InvalidCommand where it does not fit together with the schema.

    The schema is taken to be valid: a Judge has compiled it.
    """
    given = {**DEFAULTS, **_require_object(document)}
    properties = Properties(schema)
    return Command(
        _read_executable(given.get("executable")),
        read_argv(given["argv"], properties),
        variables=read_environment(given["environment"], properties),
        secret_files=read_files(given["files"], properties),
        environment=cast("Mapping[str, str]", given["environment"]),
        files=cast("Mapping[str, str]", given["files"]),
        stdin=_read_stdin(given["stdin"]),
        exit_codes=_read_exit_codes(given["exit_codes"]),
    )


def _require_object(document: Json) -> Document:
    if not isinstance(document, Mapping):
        raise InvalidCommand("The command must be an object with the field executable.", pointer="")
    try:
        encode_part(document, "command", LIMITS)
    except InvalidPayload as error:
        is_long = error.facts.get("limit") == "bytes"
        message = f"The command has more than {LIMITS.bytes:,} bytes. Make it smaller." if is_long else error.message
        raise InvalidCommand(message, pointer=error.facts.get("pointer", "")) from None
    for name in document:
        if name not in _FIELDS:
            hint = suggest(name, _FIELDS, f"The fields are {', '.join(_FIELDS)}.")
            raise InvalidCommand(f"A command has no field {show(name, 100)}. {hint}", pointer=pointer_of([name]))
    return document


def _read_executable(path: Json) -> str:
    if not isinstance(path, str) or not _is_exact(path):
        message = (
            "The executable must be an absolute path without parts like `.` and `..`, such as /opt/zoltag/bin/zoltag"
        )
        raise InvalidCommand(f"{message}, not {show(path, 100)}.", pointer="/executable")
    return path


def _is_exact(path: str) -> bool:
    is_absolute = path.startswith("/") and not path.startswith("//") and path != "/"
    return is_absolute and posixpath.normpath(path) == path and len(path.encode()) <= _LONGEST_PATH


def _read_stdin(value: Json) -> Stdin:
    if value not in ("closed", "payload"):
        raise InvalidCommand('The stdin must be "closed" or "payload".', pointer="/stdin")
    return value


def _read_exit_codes(document: Json) -> dict[int, ExitMeaning]:
    if not isinstance(document, Mapping):
        raise InvalidCommand('The exit_codes must be an object like {"75": "retry"}.', pointer="/exit_codes")
    found: dict[int, ExitMeaning] = {}
    for code, meaning in document.items():
        if not _EXIT_CODE.fullmatch(code) or meaning not in ("retry", "fail", "succeed"):
            message = f"The exit code {show(code)} cannot be mapped to {show(meaning)}. Map 1 to 255 to retry, fail or"
            raise InvalidCommand(f"{message} succeed.", pointer=pointer_of(["exit_codes", code]))
        found[int(code)] = meaning
    return found
