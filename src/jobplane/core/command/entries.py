"""The environment and the files of a command: texts, references, and secrets of the payload."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final, TypeAlias, cast

from jobplane.core.bounds import show
from jobplane.core.command.naming import require_known, require_scalar
from jobplane.core.command.properties import Properties
from jobplane.core.command.template_text import TemplateText, parse_text
from jobplane.core.errors import InvalidCommand
from jobplane.core.model import Json
from jobplane.core.references import Reference, read_reference
from jobplane.core.schema import pointer_of

MOST_VARIABLES: Final = 100
MOST_FILES: Final = 20
_VARIABLE: Final = re.compile(r"(?!JOBPLANE_)[A-Za-z_][A-Za-z0-9_]*")
_FILE: Final = re.compile(r"(?!\.{1,2}\Z)[A-Za-z0-9._][A-Za-z0-9._-]{0,254}")


@dataclass(frozen=True, slots=True)
class Secret:
    """A secret property, alone; its value in a payload is a reference."""

    name: str


Entry: TypeAlias = TemplateText | Reference | Secret


def read_environment(document: Json, properties: Properties) -> dict[str, Entry]:
    """The variables of a command; raises InvalidCommand."""
    found: dict[str, Entry] = {}
    for name, text in _texts(document, "environment", MOST_VARIABLES).items():
        pointer = pointer_of(["environment", name])
        if not _VARIABLE.fullmatch(name) or name == "TRACEPARENT":
            message = f"A command cannot set the variable {show(name, 200)}. Its name must have letters, digits and"
            raise InvalidCommand(
                f"{message} underscores, and not be TRACEPARENT or begin with JOBPLANE_.", pointer=pointer
            )
        found[name] = _read_entry(text, pointer, properties)
    return found


def read_files(document: Json, properties: Properties) -> dict[str, Reference | Secret]:
    """The files of a command; raises InvalidCommand."""
    found: dict[str, Reference | Secret] = {}
    for name, text in _texts(document, "files", MOST_FILES).items():
        pointer = pointer_of(["files", name])
        if not _FILE.fullmatch(name) or name.lower() == "result.json":  # file systems may not tell the cases apart
            message = (
                f"A command cannot have a file {show(name, 300)}. Its name must have letters, digits, dot, dash and"
            )
            raise InvalidCommand(
                f"{message} underscore, not begin with a dash, and not be result.json.", pointer=pointer
            )
        entry = _read_entry(text, pointer, properties)
        if isinstance(entry, TemplateText):
            message = (
                f"The file {show(name, 300)} must be a reference, env:NAME or file:/path, or a secret property alone"
            )
            raise InvalidCommand(f"{message}, like {{api_token}}.", pointer=pointer)
        found[name] = entry
    return found


def _texts(document: Json, field: str, most: int) -> Mapping[str, str]:
    if not isinstance(document, Mapping) or len(document) > most:
        raise InvalidCommand(f"The {field} must be an object of at most {most} names.", pointer=f"/{field}")
    for name, text in document.items():
        if not isinstance(text, str):
            raise InvalidCommand(
                f"The {field} must have a text for {show(name, 200)}.", pointer=pointer_of([field, name])
            )
    return cast("Mapping[str, str]", document)


def _read_entry(template: str, pointer: str, properties: Properties) -> Entry:
    text = parse_text(template, pointer)
    for name in text.names:
        require_known(name, pointer, properties)
    if properties.secrets.intersection(text.names):
        return _secret(text, pointer)
    for name in text.names:
        require_scalar(name, pointer, properties)
    if reference := _reference(text):
        if str(reference) != template:
            raise InvalidCommand(f"The reference at {pointer} may have no placeholders and no braces.", pointer=pointer)
        return reference
    return text


def _secret(text: TemplateText, pointer: str) -> Secret:
    if len(text.parts) > 1:
        message = f"A secret property must stand alone at {pointer}, like {{{text.names[0]}}}"
        raise InvalidCommand(f"{message}: its value is a reference, which the worker resolves.", pointer=pointer)
    return Secret(text.names[0])


def _reference(text: TemplateText) -> Reference | None:
    """The reference that a text is, or would look like with a name in place of each placeholder."""
    return read_reference("".join(part if isinstance(part, str) else "x" for part in text.parts)) if text.head else None
