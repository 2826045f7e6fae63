"""Texts with placeholders, like `--path={path_prefix}`. `{{` and `}}` are literal braces."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final, TypeAlias

from jobplane.core.bounds import show
from jobplane.core.errors import InvalidCommand

MOST_PLACEHOLDERS: Final = 32  # of one text; bounds the work of a long list with empty values
_BRACES: Final = re.compile(r"(?P<escaped>\{\{|\}\})|\{(?P<name>[^{}]+)\}|(?P<stray>[{}])")


@dataclass(frozen=True, slots=True)
class Placeholder:
    """The place of one value; `name` is a property, a fact of the job, or `item`."""

    name: str


Part: TypeAlias = str | Placeholder


@dataclass(frozen=True, slots=True)
class TemplateText:
    """A text in parts, in order. No literal part is empty, and no two stand side by side."""

    parts: tuple[Part, ...]

    @property
    def names(self) -> list[str]:
        return [part.name for part in self.parts if isinstance(part, Placeholder)]

    @property
    def literal(self) -> str | None:
        """The whole text where it has no placeholder, else None."""
        return None if self.names else self.head

    @property
    def head(self) -> str:
        """The literal text before the first placeholder."""
        return self.parts[0] if self.parts and isinstance(self.parts[0], str) else ""


def parse_text(text: str, pointer: str) -> TemplateText:
    """The parts of a text; raises InvalidCommand for a brace that belongs to no placeholder."""
    parts: list[Part] = []
    literal, end = "", 0
    for found in _BRACES.finditer(text):
        literal += text[end : found.start()]
        end = found.end()
        if found["stray"]:
            raise _stray(text, pointer)
        if found["escaped"]:
            literal += found["escaped"][0]
        else:
            parts += [literal, Placeholder(found["name"])] if literal else [Placeholder(found["name"])]
            literal = ""
    literal += text[end:]
    parsed = TemplateText((*parts, literal) if literal else tuple(parts))
    if len(parsed.names) > MOST_PLACEHOLDERS:
        raise InvalidCommand(f"The text at {pointer} has more than {MOST_PLACEHOLDERS} placeholders.", pointer=pointer)
    return parsed


def _stray(text: str, pointer: str) -> InvalidCommand:
    message = f"The text at {pointer} has a brace that belongs to no placeholder: {show(text, 200)}."
    return InvalidCommand(f"{message} Write {{name}} for a value, and {{{{ or }}}} for a brace.", pointer=pointer)
