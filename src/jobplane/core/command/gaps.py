"""Refuse a template in which an option would take the next argument as its value."""

from __future__ import annotations

from typing import Final

from jobplane.core.bounds import show
from jobplane.core.command.elements import Each, Element, Flag, Value
from jobplane.core.command.properties import Properties
from jobplane.core.command.scope import ITEM
from jobplane.core.errors import InvalidCommand

END_OF_OPTIONS: Final = "--"


def require_no_gap(before: Element, element: Element, pointer: str, properties: Properties) -> None:
    """Raise InvalidCommand where an option would take the next argument as its value when this one is left out.

    With `["--name", "{name}", "--", "{file}"]` and no name, a program could take `--` as the name, and then the file as
    an option.
    """
    option = before.text.literal if isinstance(before, Value) else None
    if option is None or not option.startswith("-") or option in ("-", END_OF_OPTIONS) or "=" in option:
        return
    value = element.element if isinstance(element, Each) else element
    if isinstance(value, Flag) or value.text.head.startswith("-"):
        return
    names = [name for name in value.text.names if not (isinstance(element, Each) and name == ITEM)]
    names += [element.of] if isinstance(element, Each) else []
    if absent := next((name for name in names if properties.may_be_absent(name)), None):
        joined = f"{option}={{…}}" if option.startswith(END_OF_OPTIONS) else f"{option}{{…}}"
        message = (
            f"Without the property {show(absent, 200)}, {show(option)} before {pointer} would take the next argument."
        )
        raise InvalidCommand(
            f"{message} Write {joined} as one argument, require the property, or put -- between them.", pointer=pointer
        )
