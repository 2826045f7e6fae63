"""Read the argv of a command's document, and refuse templates through which a value could become an option."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final, cast

from jobplane.core.bounds import show
from jobplane.core.command.elements import Each, Element, Flag, Value
from jobplane.core.command.gaps import END_OF_OPTIONS, require_no_gap
from jobplane.core.command.naming import require_known, require_scalar
from jobplane.core.command.properties import Properties
from jobplane.core.command.scope import ITEM, JOB_NAMES
from jobplane.core.command.template_text import TemplateText, parse_text
from jobplane.core.errors import InvalidCommand
from jobplane.core.model import Json

MOST_ELEMENTS: Final = 256
_DASH: Final = "may_start_with_dash"
# For each form: the fields that it needs, and those that it may have.
_FIELDS: Final[Mapping[str, tuple[frozenset[str], frozenset[str]]]] = {
    "value": (frozenset({"value"}), frozenset({_DASH})),
    "flag": (frozenset({"flag", "if"}), frozenset()),
    "each": (frozenset({"each", "of"}), frozenset({_DASH})),
}
_FORMS: Final = (
    'Write a text, {"value": "{name}"}, {"flag": "--name", "if": "name"} or {"each": "--name={item}", "of": "names"}.'
)


def read_argv(document: Json, properties: Properties) -> tuple[Element, ...]:
    """The elements of an argv template; raises InvalidCommand."""
    if not isinstance(document, list | tuple) or len(cast("Sequence[Json]", document)) > MOST_ELEMENTS:
        message = f"The argv must be a list of at most {MOST_ELEMENTS} elements."
        raise InvalidCommand(message, pointer="/argv")
    elements: list[Element] = []
    is_behind_end = False
    for number, each in enumerate(cast("Sequence[Json]", document)):
        pointer = f"/argv/{number}"
        element = _Reading(pointer, properties, is_behind_end).element(each)
        if elements and not is_behind_end:
            require_no_gap(elements[-1], element, pointer, properties)
        is_behind_end = is_behind_end or (isinstance(element, Value) and element.text.literal == END_OF_OPTIONS)
        elements.append(element)
    return tuple(elements)


class _Reading:
    """Reads one element; `is_behind_end` says whether a literal `--` stands before it."""

    def __init__(self, pointer: str, properties: Properties, is_behind_end: bool) -> None:
        self._pointer = pointer
        self._properties = properties
        self._is_behind_end = is_behind_end

    def element(self, document: Json) -> Element:
        if isinstance(document, str):
            return self._value(self._text(document), may_start_with_dash=False)
        if not isinstance(document, Mapping):
            raise self._refusal(f"The element at {self._pointer} must be a text or an object. {_FORMS}")
        fields = cast("Mapping[str, Json]", document)
        kind = self._kind(fields)
        if kind == "flag":
            return self._flag(self._string(fields, "flag"), self._string(fields, "if"))
        may_start_with_dash = fields.get(_DASH, False)
        if not isinstance(may_start_with_dash, bool):
            raise self._refusal(f"The {_DASH} at {self._pointer} must be true or false.")
        if kind == "each":
            template, of = self._string(fields, "each"), self._string(fields, "of")
            return self._each(template, of, may_start_with_dash=may_start_with_dash)
        return self._value(self._text(self._string(fields, "value")), may_start_with_dash=may_start_with_dash)

    def _kind(self, fields: Mapping[str, Json]) -> str:
        for kind, (needed, others) in _FIELDS.items():
            if needed <= fields.keys() <= needed | others:
                return kind
        raise self._refusal(f"The element at {self._pointer} has other fields than it may have. {_FORMS}")

    def _string(self, fields: Mapping[str, Json], name: str) -> str:
        value = fields[name]
        if not isinstance(value, str):
            raise self._refusal(f"The field {name} of {self._pointer} must be a text.")
        return value

    def _text(self, template: str, item: str | None = None) -> TemplateText:
        """A text whose placeholders are scalars and no secrets. `item` is the name that stands for an item."""
        text = parse_text(template, self._pointer)
        for name in text.names:
            if name != item:
                self._require_open(name)
                require_scalar(name, self._pointer, self._properties)
        return text

    def _value(self, text: TemplateText, *, may_start_with_dash: bool) -> Value:
        if may_start_with_dash or self._is_behind_end:
            return Value(text, is_guarded=False)
        if text.names and text.head.startswith("-"):
            self._require_option(text.head)
        return Value(text, is_guarded=True)

    def _flag(self, template: str, condition: str) -> Flag:
        literal = parse_text(template, self._pointer).literal
        if not literal:
            raise self._refusal(f"The flag at {self._pointer} must be a text without placeholders.")
        self._require_open(condition)
        if condition in JOB_NAMES or not self._properties.is_boolean(condition):
            raise self._refusal(f"The property {show(condition, 200)}, which {self._pointer} names, must be a boolean.")
        return Flag(literal, condition)

    def _each(self, template: str, of: str, *, may_start_with_dash: bool) -> Each:
        self._require_open(of)
        if of in JOB_NAMES or not self._properties.is_list_of_scalars(of):
            message = f"The property {show(of, 200)}, which {self._pointer} names, must be an array with items that are"
            raise self._refusal(f"{message} strings, numbers or booleans.")
        if self._properties.has_secret_items(of):
            raise self._secret(of)
        text = self._text(template, ITEM)
        if ITEM not in text.names:
            raise self._refusal(f"The text for each item at {self._pointer} must have the placeholder {{{ITEM}}}.")
        return Each(self._value(text, may_start_with_dash=may_start_with_dash), of)

    def _require_open(self, name: str) -> None:
        """Raise InvalidCommand for an unknown name, and for a secret: everybody on a machine can read an argv."""
        require_known(name, self._pointer, self._properties)
        if name in self._properties.secrets:
            raise self._secret(name)

    def _require_option(self, head: str) -> None:
        """Raise InvalidCommand where a value would choose the name of an option: `--{name}`, `--path{rest}`, `-{x}`."""
        if (head.startswith(END_OF_OPTIONS) and "=" not in head) or not head.strip("-"):
            message = f"A value at {self._pointer} would become a part of an option's name. Write --name={{value}}"
            raise self._refusal(f'{message}, or allow it with {{"value": …, "{_DASH}": true}}.')

    def _secret(self, name: str) -> InvalidCommand:
        message = f"The property {show(name, 200)}, which {self._pointer} names, is a secret. Pass it by environment or"
        return self._refusal(f"{message} files: everybody on a machine can read arguments.")

    def _refusal(self, message: str) -> InvalidCommand:
        return InvalidCommand(message, pointer=self._pointer)
