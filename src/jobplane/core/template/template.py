"""A template: a JSON document, compiled once and rendered for each event or fire."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final, cast

from jobplane.core.errors import InvalidPayload, InvalidTemplate, TemplateRefused
from jobplane.core.payload import PAYLOAD, encode
from jobplane.core.template.expressions import Expression, Refusal, Roots, has_syntax, parse
from jobplane.core.template.filters import Misfit, to_text

MOST_EXPRESSIONS: Final = 200
_ENCODER: Final = json.JSONEncoder(ensure_ascii=False, allow_nan=False, separators=(",", ":"))


class Template:
    """A payload with `{{ path | filter }}` in its texts; raises InvalidTemplate with a JSON pointer to the fault.

    `roots` are the names that a path may begin with, each with the members that it has, or None where any may come.
    It can be used again, also by several threads: rendering changes nothing.
    """

    def __init__(self, document: Mapping[str, Any], roots: Roots) -> None:
        try:
            encode(document)
        except InvalidPayload as error:
            raise InvalidTemplate(f"Invalid template. {error.message}", **error.facts) from None
        compiling = _Compiling(roots)
        self._root = compiling.node(document, "")

    def render(self, values: Mapping[str, Any]) -> dict[str, Any]:
        """The payload, which shares nothing with `values`; raises TemplateRefused."""
        rendering = _Rendering(values)
        found = cast("dict[str, Any]", self._root(rendering))
        try:
            size = len(_ENCODER.encode(found).encode())
        except (TypeError, ValueError, RecursionError) as error:
            raise TemplateRefused(f"The rendered payload is not JSON: {error}.", pointer="") from None
        if size > PAYLOAD.bytes:
            raise _too_large("")
        return found


class _Rendering:
    """The values of one rendering, and how much it may still write."""

    def __init__(self, values: Mapping[str, Any]) -> None:
        self.values = values
        self._bytes = PAYLOAD.bytes
        self._values = PAYLOAD.values

    def spend(self, size: int, pointer: str, *, values: int = 1) -> None:
        """Count a value; raises TemplateRefused before the rest is made."""
        self._bytes -= size
        self._values -= values
        if self._bytes < 0:
            raise _too_large(pointer)
        if self._values < 0:
            raise TemplateRefused(
                f"The rendered payload has more than {PAYLOAD.values} values.", pointer=pointer, limit="values"
            )

    def copied(self, value: Any, pointer: str, depth: int) -> Any:
        """The same JSON value, with objects and lists of its own."""
        if depth > PAYLOAD.depth:
            raise TemplateRefused(
                f"The rendered payload is nested deeper than {PAYLOAD.depth} levels.", pointer=pointer
            )
        match value:
            case str():
                self.spend(len(value) + 2, pointer)
                return str(value)
            case None | bool() | int() | float():
                self.spend(1, pointer)
                return value
            case dict():
                self.spend(2, pointer)
                items = cast("dict[Any, Any]", value).items()
                return {self._key(key, pointer): self.copied(child, pointer, depth + 1) for key, child in items}
            case list() | tuple():
                self.spend(2, pointer)
                return [self.copied(child, pointer, depth + 1) for child in cast("list[Any]", value)]
            case _:
                kind = type(value).__name__
                raise TemplateRefused(
                    f"The value for {pointer} has the type {kind}, which is not a JSON type.", pointer=pointer
                )

    def _key(self, key: Any, pointer: str) -> str:
        if not isinstance(key, str):
            raise TemplateRefused(f"The value for {pointer} has a key that is not a string.", pointer=pointer)
        self.spend(len(key) + 3, pointer, values=0)
        return key


_Node = Callable[[_Rendering], Any]


@dataclass(slots=True)
class _Compiling:
    roots: Roots
    expressions: int = 0

    def node(self, value: Any, pointer: str, depth: int = 1) -> _Node:
        """A function that renders this part of the document. It keeps no reference to the document."""
        match value:
            case str() if has_syntax(value):
                return self._text(value, pointer, depth)
            case Mapping():
                pairs = cast("Mapping[str, Any]", value).items()
                members = [(key, self.node(child, f"{pointer}/{_escape(key)}", depth + 1)) for key, child in pairs]
                return lambda rendering: {key: node(rendering) for key, node in members}
            case list() | tuple():
                items = [
                    self.node(child, f"{pointer}/{number}", depth + 1)
                    for number, child in enumerate(cast("list[Any]", value))
                ]
                return lambda rendering: [node(rendering) for node in items]
            case _:
                return lambda rendering: rendering.copied(value, pointer, depth)

    def _text(self, text: str, pointer: str, depth: int) -> _Node:
        try:
            parts = parse(text, self.roots)
        except Refusal as refusal:
            raise InvalidTemplate(
                f"Invalid template at {pointer}: {refusal.reason}", pointer=pointer, reason=refusal.reason
            ) from None
        self.expressions += sum(isinstance(part, Expression) for part in parts)
        if self.expressions > MOST_EXPRESSIONS:
            raise InvalidTemplate(f"The template has more than {MOST_EXPRESSIONS} expressions.", pointer=pointer)
        match parts:
            case [Expression() as whole]:
                return lambda rendering: rendering.copied(_value(whole, rendering, pointer), pointer, depth)
            case _:
                return lambda rendering: _joined(parts, rendering, pointer)


def _joined(parts: list[str | Expression], rendering: _Rendering, pointer: str) -> str:
    written: list[str] = []
    for part in parts:
        text = part if isinstance(part, str) else _as_text(part, rendering, pointer)
        rendering.spend(len(text), pointer, values=0)
        written.append(text)
    return "".join(written)


def _as_text(part: Expression, rendering: _Rendering, pointer: str) -> str:
    try:
        return to_text(_value(part, rendering, pointer))
    except Misfit as misfit:
        raise TemplateRefused(f"Cannot render {pointer}: {misfit}", pointer=pointer) from None


def _value(expression: Expression, rendering: _Rendering, pointer: str) -> Any:
    try:
        return expression.value(rendering.values)
    except Refusal as refusal:
        message = f"Cannot render {pointer}: {refusal.reason}"
        raise TemplateRefused(message, pointer=pointer, path=refusal.path) from None


def _escape(key: str) -> str:
    return key.replace("~", "~0").replace("/", "~1")


def _too_large(pointer: str) -> TemplateRefused:
    message = f"The rendered payload has more than {PAYLOAD.bytes} bytes. Pass a reference instead of the data."
    return TemplateRefused(message, pointer=pointer, limit="bytes")
