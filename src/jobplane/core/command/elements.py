"""The elements of an argv template, and the arguments that each becomes in one job."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TypeAlias, cast

from jobplane.core.bounds import show
from jobplane.core.command.scope import Found, Scope
from jobplane.core.command.template_text import TemplateText
from jobplane.core.errors import InvalidPayload
from jobplane.core.model import Json


@dataclass(frozen=True, slots=True)
class Value:
    """One argument, or none where a value is absent.

    `is_guarded`: a value may not give it a dash to begin with, and may not be missing behind a short option.
    """

    text: TemplateText
    is_guarded: bool

    def arguments(self, scope: Scope) -> Iterator[str]:
        argument = scope.render(self.text)
        if argument is None:
            return
        if self.is_guarded:
            self._require_no_option(argument, scope)
        yield argument

    def _require_no_option(self, argument: str, scope: Scope) -> None:
        head = self.text.head
        if not head and argument.startswith("-"):
            raise _dash(scope.first_value(self.text).pointer)
        if self.text.names and argument == head and head.startswith("-") and "=" not in head:
            raise _empty(head, scope.first_value(self.text).pointer)


@dataclass(frozen=True, slots=True)
class Flag:
    """A literal argument that stands where a property is true."""

    text: str
    condition: str

    def arguments(self, scope: Scope) -> Iterator[str]:
        pointer, value = scope.find(self.condition)
        if not (value is None or isinstance(value, bool)):
            raise InvalidPayload(f"The value at {pointer} must be true or false.", pointer=pointer)
        if value is True:
            yield self.text


@dataclass(frozen=True, slots=True)
class Each:
    """One argument for each item of a list."""

    element: Value
    of: str

    def arguments(self, scope: Scope) -> Iterator[str]:
        pointer, items = scope.find(self.of)
        if items is None:
            return
        if not isinstance(items, list | tuple):
            raise InvalidPayload(f"The value at {pointer} must be a list.", pointer=pointer)
        for number, item in enumerate(cast("Sequence[Json]", items)):
            yield from self.element.arguments(replace(scope, item=Found(f"{pointer}/{number}", item)))


Element: TypeAlias = Value | Flag | Each


def _dash(pointer: str) -> InvalidPayload:
    message = f'The value at {pointer} makes an argument that begins with "-", which a program may take as an option.'
    return InvalidPayload(f"{message} Send another value.", pointer=pointer)


def _empty(option: str, pointer: str) -> InvalidPayload:
    message = f"The value at {pointer} is empty, so the option {show(option, 200)} would take the next argument as its"
    return InvalidPayload(f"{message} value. Leave it out, or send another value.", pointer=pointer)
