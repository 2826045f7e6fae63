"""The values of a command's placeholders in one job."""

from __future__ import annotations

import json
import math
from dataclasses import dataclass
from typing import Final, NamedTuple
from uuid import UUID

from jobplane.core.command.template_text import TemplateText
from jobplane.core.errors import InvalidPayload
from jobplane.core.model import Document, Json
from jobplane.core.payload import fault_of
from jobplane.core.schema import pointer_of

JOB_NAMES: Final = ("tenant_id", "job_id", "attempt_no")
ITEM: Final = "item"
LONGEST: Final = 131_071  # Linux takes 128 KiB for one argument or variable, with its final NUL
_MAX_NUMBER: Final = 10**309
_WIDE: Final = 1e16  # from here on stores keep a float as the whole number that it is


class Call(NamedTuple):
    """The job that runs a command. None, in a preview, is written as the placeholder itself: `{job_id}`."""

    tenant_id: UUID
    job_id: UUID | None
    attempt_no: int | None


class Found(NamedTuple):
    """A value, and its place in the payload; the place of a fact of the job is empty."""

    pointer: str
    value: Json


@dataclass(frozen=True, slots=True)
class Scope:
    """The values of one job. `item` is the item of the list that an element repeats for."""

    payload: Document
    call: Call
    item: Found | None = None

    def find(self, name: str) -> Found:
        """The value of a placeholder, None where the payload has none. A payload never replaces a fact of the job."""
        if name == ITEM and self.item is not None:
            return self.item
        if name in JOB_NAMES:
            return Found("", self._of_job(name))
        return Found(pointer_of([name]), self.payload.get(name))

    def render(self, text: TemplateText) -> str | None:
        """The text with its values; None where a value is absent or null. Raises InvalidPayload."""
        written: list[str] = []
        size = 0
        for part in text.parts:
            value = part if isinstance(part, str) else write_scalar(self.find(part.name))
            if value is None:
                return None
            size += len(value.encode())
            if size > LONGEST:
                raise self._too_long(text)
            written.append(value)
        return "".join(written)

    def first_value(self, text: TemplateText) -> Found:
        """The first value of a text that is not empty; where all are, the first one."""
        found = [self.find(name) for name in text.names]
        return next((each for each in found if write_scalar(each)), found[0])

    def _of_job(self, name: str) -> str:
        value = getattr(self.call, name)
        return f"{{{name}}}" if value is None else str(value)

    def _too_long(self, text: TemplateText) -> InvalidPayload:
        pointer = max((self.find(name) for name in text.names), key=lambda found: len(str(found.value))).pointer
        message = f"The value at {pointer} makes an argument or a variable longer than {LONGEST:,} bytes."
        return InvalidPayload(f"{message} Keep large data in a file and pass its name.", pointer=pointer)


def write_scalar(found: Found) -> str | None:
    """A value as text: numbers, true and false as JSON writes them; None for null. Raises InvalidPayload."""
    match found.value:
        case None:
            return None
        case bool() as flag:
            return "true" if flag else "false"
        case str() as text:
            return _require_storable(text, found.pointer)
        case int() as number if -_MAX_NUMBER < number < _MAX_NUMBER:
            return str(int(number))
        case float() as number if math.isfinite(number):
            return json.dumps(int(number) if abs(number) >= _WIDE else number)
        case value:
            kind = type(value).__name__
            message = f"The value at {found.pointer} cannot be part of a command: it is a {kind}, or out of range."
            raise InvalidPayload(f"{message} Send a text, a number, true or false.", pointer=found.pointer)


def _require_storable(text: str, pointer: str) -> str:
    if fault := fault_of(text):
        raise InvalidPayload(f"The value at {pointer} has {fault}. A command cannot take it.", pointer=pointer)
    return text
