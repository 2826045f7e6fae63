"""References to secrets: what a payload or a command says in place of a secret, and which fields hold secrets."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Final, Literal, TypeAlias, cast
from urllib.parse import unquote
from uuid import UUID

from jsonschema_rs import Draft202012Validator, RegexOptions

from jobplane.core.bounds import show
from jobplane.core.errors import Invalid, SecretInPayload
from jobplane.core.model import Json

RULE: Final = "A reference is env:NAME or file:/absolute/path."
MAX_BYTES: Final = 4096
_ENV: Final = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_CONTROL: Final = re.compile(r"[\x00-\x1f\x7f\ud800-\udfff]")
_CHOICES: Final = ("allOf", "anyOf", "oneOf")
_BRANCHES: Final = ("if", "then", "else")
_REFERENCES: Final = ("$ref", "$dynamicRef")
_TYPES: Final[Mapping[str, type | tuple[type, ...]]] = {
    "object": Mapping,
    "array": (list, tuple),
    "string": str,
    "boolean": bool,
    "null": type(None),
    "number": (int, float),
    "integer": (int, float),
}
_Node: TypeAlias = Mapping[str, object]


@dataclass(frozen=True, slots=True)
class Reference:
    """A reference to a secret: a variable of the worker's environment, or a file on its machine."""

    scheme: Literal["env", "file"]
    name: str

    def __str__(self) -> str:
        return f"{self.scheme}:{self.name}"


def read_reference(text: str) -> Reference | None:
    """The reference that a text is; None where it is none."""
    if len(text) > MAX_BYTES or _CONTROL.search(text):
        return None
    scheme, _, name = text.partition(":")
    if scheme == "env" and _ENV.fullmatch(name):
        return Reference("env", name)
    if scheme == "file" and name.startswith("/") and not name.endswith("/"):
        return Reference("file", name)
    return None


class Grants:
    """The references that a policy allows, as prefixes of their text; `{tenant_id}` stands for the job's tenant."""

    def __init__(self, prefixes: Sequence[str]) -> None:
        self.prefixes: tuple[str, ...] = tuple(prefixes)
        for prefix in self.prefixes:
            _require_prefix(prefix)

    def allows(self, reference: Reference, tenant_id: UUID) -> bool:
        """True if one of the prefixes allows the reference. A path with a part `..` is never allowed."""
        text = str(reference)
        begins = any(text.startswith(prefix.replace("{tenant_id}", str(tenant_id))) for prefix in self.prefixes)
        return begins and not _climbs(reference)

    def may_allow(self, reference: Reference) -> bool:
        """True if one of the prefixes may allow the reference for some tenant."""
        text = str(reference)
        begins = any(text.startswith(prefix.partition("{tenant_id}")[0]) for prefix in self.prefixes)
        return begins and not _climbs(reference)


def _climbs(reference: Reference) -> bool:
    return reference.scheme == "file" and ".." in reference.name.split("/")


def _require_prefix(prefix: object) -> None:
    if not isinstance(prefix, str) or not prefix.startswith(("env:", "file:/")):
        raise Invalid(f'A prefix of references must begin with "env:" or "file:/", not be {show(prefix, 200)}.')
    if prefix.startswith("file:") and ".." in prefix.split("/"):
        raise Invalid(f'A prefix of references may not have a part "..": {show(prefix, 200)}.')


def secret_fields(schema: Json) -> frozenset[str]:
    """The names of the top-level properties that the schema marks as secrets."""
    nodes = list(_alternatives(schema, schema))
    names = {name for node in nodes for name in _node(node.get("properties"))}
    return frozenset(name for name in names if any(_is_secret_member(schema, node, name) for node in nodes))


def _is_secret_member(root: object, node: _Node, name: str) -> bool:
    return any(_is_secret(each) for part in _of_member(node, name) for each in _alternatives(root, part))


def has_secrets(schema: Json) -> bool:
    """True if any part of the schema marks a secret. Otherwise no payload needs the check."""
    waiting: list[object] = [schema]
    while waiting:
        part = waiting.pop()
        if isinstance(part, Mapping):
            node = _node(cast("object", part))
            if _is_secret(node):
                return True
            waiting.extend(node.values())
        elif isinstance(part, list | tuple):
            waiting.extend(cast("Sequence[object]", part))
    return False


def require_references(schema: Json, payload: object) -> None:
    """Raise SecretInPayload where a field that the schema marks as a secret has a value that is no reference.

    A field is a secret where any alternative of the schema that takes the value's type says so. Null is no secret.
    """
    seen: set[tuple[int, int]] = set()  # bounds the work where the schema refers to itself
    waiting: list[tuple[object, object, str]] = [(schema, payload, "")]
    while waiting:
        part, value, pointer = waiting.pop()
        place = (id(part), id(value))
        if not isinstance(part, Mapping) or place in seen:
            continue
        seen.add(place)
        node = _node(cast("object", part))
        if value is None or not _takes(node, value):
            continue
        if _is_secret(node) and not (isinstance(value, str) and read_reference(value)):
            raise _plain(pointer)
        waiting += [(other, value, pointer) for other in _same_value(schema, node)]
        waiting += _inside(node, value, pointer)


def _plain(pointer: str) -> SecretInPayload:
    """The error; it repeats nothing of the value."""
    message = f"The payload has a plain value at {pointer or 'its root'}, where the schema wants a secret. {RULE}"
    detail = f"A secret must be given by reference. {RULE}"
    errors = [{"pointer": pointer, "code": SecretInPayload.code, "detail": detail}]
    return SecretInPayload(message, pointer=pointer, errors=errors)


def _is_secret(node: _Node) -> bool:
    return node.get("writeOnly") is True or node.get("format") == "password"


def _takes(node: _Node, value: object) -> bool:
    """True if the node's `type` takes the value. A node without `type` takes every value."""
    named = node.get("type")
    names = [named] if isinstance(named, str) else named
    if not isinstance(names, list | tuple):
        return True
    return any(_has_type(value, str(name)) for name in cast("Sequence[object]", names))


def _has_type(value: object, name: str) -> bool:
    return name not in _TYPES or isinstance(value, _TYPES[name])


def _alternatives(root: object, part: object) -> Iterator[_Node]:
    """A part of a schema, and every other part that judges the same value."""
    waiting, seen = [part], set[int]()
    while waiting:
        node = waiting.pop()
        if isinstance(node, Mapping) and id(cast("object", node)) not in seen:
            seen.add(id(cast("object", node)))
            yield _node(cast("object", node))
            waiting += _same_value(root, _node(cast("object", node)))


def _same_value(root: object, node: _Node) -> list[object]:
    """The parts of the schema that a node applies to the value that it judges."""
    parts = [target(root, node[word]) for word in _REFERENCES if word in node]
    parts += [part for word in _CHOICES for part in _list(node.get(word))]
    parts += [node[word] for word in _BRANCHES if word in node]
    return [*parts, *_node(node.get("dependentSchemas")).values()]


def _inside(node: _Node, value: object, pointer: str) -> Iterator[tuple[object, object, str]]:
    """The schemas that a node has for the members or items of a value."""
    if isinstance(value, Mapping):
        for name, member in cast("Mapping[str, object]", value).items():
            place = f"{pointer}/{name.replace('~', '~0').replace('/', '~1')}"
            for part in _of_member(node, name):
                yield part, member, place
    elif isinstance(value, list | tuple):
        first = _list(node.get("prefixItems"))
        for at, item in enumerate(cast("Sequence[object]", value)):
            yield first[at] if at < len(first) else node.get("items"), item, f"{pointer}/{at}"
            yield node.get("unevaluatedItems"), item, f"{pointer}/{at}"
            yield node.get("contains"), item, f"{pointer}/{at}"


def _of_member(node: _Node, name: str) -> list[object]:
    """The schemas that a node has for the member of this name."""
    properties, patterns = _node(node.get("properties")), _node(node.get("patternProperties"))
    found = [properties[name]] if name in properties else []
    found += [part for pattern, part in patterns.items() if _pattern(pattern).is_valid(name)]
    return found or [node.get("additionalProperties"), node.get("unevaluatedProperties")]


@lru_cache(1024)
def _pattern(pattern: str) -> Draft202012Validator:
    """Judges names by a pattern in linear time, as the schema itself does."""
    return Draft202012Validator({"type": "string", "pattern": pattern}, pattern_options=RegexOptions())


def target(root: object, reference: object) -> object:
    """The part of a schema that a local reference, `#` or `#/…`, leads to; None where there is none."""
    if not isinstance(reference, str) or not reference.startswith("#"):
        return None
    part = root
    for step in reference[1:].split("/")[1:]:
        name = unquote(step).replace("~1", "/").replace("~0", "~")
        if isinstance(part, Mapping):
            part = _node(cast("object", part)).get(name)
        else:
            items = _list(part)
            part = items[int(name)] if name.isdigit() and int(name) < len(items) else None
    return part


def _node(part: object) -> _Node:
    return cast("_Node", part) if isinstance(part, Mapping) else {}


def _list(part: object) -> Sequence[object]:
    return cast("Sequence[object]", part) if isinstance(part, list | tuple) else ()
