"""The properties that a command may name: their types, and which of them are secrets."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Final, TypeAlias, cast

from jobplane.core.command.scope import JOB_NAMES
from jobplane.core.errors import InvalidCommand
from jobplane.core.model import Json
from jobplane.core.references import secret_fields, target

_SCALARS: Final = frozenset({"string", "integer", "number", "boolean"})
_ALL: Final = _SCALARS | {"object", "array", "null"}
_ANY: Final = ("anyOf", "oneOf")
_DEEPEST: Final = 32  # alternatives inside alternatives
_PROBE: Final = "\0"  # the name of no property: a schema cannot have it
_Node: TypeAlias = Mapping[str, object]
_Types: TypeAlias = frozenset[str]


class Properties:
    """The properties of a schema's top level. A type counts as known only where every value must have it."""

    def __init__(self, schema: Json) -> None:
        self._root = _node(schema)
        self._properties = _node(self._root.get("properties"))
        self.names = tuple(self._properties)
        self.secrets = secret_fields(schema)
        self._known: dict[tuple[bool, int], _Types] = {}
        for name in JOB_NAMES:
            if name in self._properties:
                message = f"The schema has a property {name}, which always comes from the job. Rename the property."
                raise InvalidCommand(message, pointer="", property=name)

    def is_scalar(self, name: str) -> bool:
        return self._types(self._properties[name]) - {"null"} <= _SCALARS

    def is_boolean(self, name: str) -> bool:
        return self._types(self._properties[name]) <= {"boolean", "null"}

    def is_list_of_scalars(self, name: str) -> bool:
        node = self._properties[name]
        return self._types(node) <= {"array", "null"} and self._types(node, of_items=True) - {"null"} <= _SCALARS

    def has_secret_items(self, name: str) -> bool:
        """True if an item of this list may be a secret."""
        parts = self._parts(self._properties[name], ("allOf", *_ANY))
        schemas = [schema for part in parts for schema in (part.get("items"), *_list(part.get("prefixItems")))]
        probe = {**self._properties, _PROBE: {"allOf": schemas}}
        return _PROBE in secret_fields(cast("Json", {**self._root, "properties": probe}))

    def may_be_absent(self, name: str) -> bool:
        """True if a payload may leave this property out, or give null or an empty list."""
        if name in JOB_NAMES:
            return False
        node = self._properties[name]
        if name not in _list(self._root.get("required")) or "null" in self._types(node):
            return True
        return "array" in self._types(node) and not (self._has_an_item(node) and self._has_full_items(node))

    def _has_an_item(self, node: object) -> bool:
        least = (part.get("minItems") for part in self._parts(node, ("allOf",)))
        return any(isinstance(each, int) and each > 0 for each in least)

    def _has_full_items(self, node: object) -> bool:
        return "null" not in self._types(node, of_items=True)

    def _types(self, node: object, depth: int = 0, *, of_items: bool = False) -> _Types:
        """The types that a value may have, or the items of a list; all of them where the schema does not say."""
        if not isinstance(node, Mapping) or depth > _DEEPEST:
            return frozenset[str]() if node is False else _ALL
        place = (of_items, id(cast("object", node)))
        if place not in self._known:
            self._known[place] = _ALL  # a schema that refers to itself says nothing more
            self._known[place] = self._judge(cast("object", node), depth, of_items=of_items)
        return self._known[place]

    def _judge(self, node: object, depth: int, *, of_items: bool) -> _Types:
        found = _ALL
        for part in self._parts(node, ("allOf",)):
            found &= self._of_items(part, depth) if of_items else _stated(part)
            for word in _ANY:
                if choices := _list(part.get(word)):
                    found &= _union(choices, lambda each: self._types(each, depth + 1, of_items=of_items))
        return found

    def _of_items(self, part: _Node, depth: int) -> _Types:
        if "array" not in _stated(part):
            return frozenset()
        if "items" not in part:
            return _ALL
        return _union([part["items"], *_list(part.get("prefixItems"))], lambda each: self._types(each, depth + 1))

    def _parts(self, node: object, words: Sequence[str]) -> Iterator[_Node]:
        """A part of the schema, and the others that judge the same value: by reference, and under these words."""
        waiting, seen = [node], set[int]()
        while waiting:
            part = waiting.pop()
            if isinstance(part, Mapping) and id(cast("object", part)) not in seen:
                seen.add(id(cast("object", part)))
                yield _node(cast("object", part))
                waiting += [target(self._root, _node(cast("object", part)).get("$ref"))]
                waiting += [each for word in words for each in _list(_node(cast("object", part)).get(word))]


def _stated(part: _Node) -> _Types:
    """The types that `type`, `enum` and `const` allow."""
    found = _ALL
    if "type" in part:
        named = part["type"]
        names = {str(each) for each in (_list(named) or [named])}
        found &= names | {"integer"} if "number" in names else names
    if "enum" in part:
        found &= {_type_of(value) for value in _list(part["enum"])}
    return found & {_type_of(part["const"])} if "const" in part else found


def _type_of(value: object) -> str:
    match value:
        case None:
            return "null"
        case bool():
            return "boolean"
        case int() | float():
            return "integer" if isinstance(value, int) or value.is_integer() else "number"
        case str():
            return "string"
        case _:
            return "array" if isinstance(value, list | tuple) else "object"


def _union(nodes: Sequence[object], types: Callable[[object], _Types]) -> _Types:
    return frozenset[str]().union(*(types(node) for node in nodes))


def _node(part: object) -> _Node:
    return cast("_Node", part) if isinstance(part, Mapping) else {}


def _list(part: object) -> Sequence[object]:
    return cast("Sequence[object]", part) if isinstance(part, list | tuple) else ()
