"""JSON Schema 2020-12 as the one judge of payloads: offline, formats checked, patterns in linear time."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import islice
from typing import Final, NoReturn, cast

from jsonschema_rs import Draft202012Validator, RegexOptions, ValidationError

from jobplane.core.bounds import show
from jobplane.core.errors import InvalidPayload, InvalidSchema
from jobplane.core.model import Definition, Document, Json
from jobplane.core.payload import encode
from jobplane.core.references import has_secrets, require_references

MAX_BYTES: Final = 64 * 1024
MAX_DEPTH: Final = 32
# A chain of references that each name the next one twice is short as a text, and without end as work.
MAX_STEPS: Final = 100_000
MAX_ERRORS: Final = 20
# Whether a payload fits is known at once. To say what does not takes, where the schema refers to itself, a multiple of
# the work on each level: with a choice of two 30 ms at 7 levels, minutes at 18.
MAX_EXPLAINED: Final = 1_000
_CHOICES: Final = ("allOf", "anyOf", "oneOf")
_REFERENCES: Final = ("$ref", "$dynamicRef", "$recursiveRef")
_MASK: Final = "the value"  # a message never repeats what was sent: it may be a secret


class Judge:
    """A compiled schema; safe to share between threads."""

    def __init__(self, text: str) -> None:
        schema = json.loads(text)
        self._depth = _measure(schema, text)
        self._with_secrets: Json = schema if has_secrets(schema) else None
        try:
            self._validator = Draft202012Validator(
                schema, validate_formats=True, retriever=_refuse, pattern_options=RegexOptions(), mask=_MASK
            )
        except ValidationError as error:
            place = error.instance_path or error.schema_path  # before 0.57 a pattern's place is in the second alone
            pointer = pointer_of(place)
            message = f"The schema is invalid at {pointer or 'its root'}: {_sentence(error.message)}"
            raise InvalidSchema(message, pointer=pointer) from None
        except ValueError as error:
            raise InvalidSchema(f"The schema cannot be used: {_sentence(str(error))}") from None

    def check(self, payload: object) -> None:
        """Raise InvalidPayload, with a JSON pointer for each of the first faults, where the payload does not fit.

        Raises SecretInPayload where it has a plain value in place of a reference to a secret.
        """
        if self._with_secrets is not None:
            require_references(self._with_secrets, payload)
        try:
            if self._validator.is_valid(payload):
                return
            if self._depth is not None and is_deeper(payload, self._depth):
                raise misfit([("", "schema", "A part does not fit. It is nested too deeply to say which part.")])
            faults = list(islice(self._validator.iter_errors(payload), MAX_ERRORS))
        except (ValueError, RecursionError) as error:
            encode(payload)
            raise InvalidPayload(f"The payload cannot be validated: {_sentence(str(error))}", pointer="") from None
        raise misfit([(pointer_of(fault.instance_path), fault.kind.name, fault.message) for fault in faults])


def misfit(faults: Sequence[tuple[str, str, str]]) -> InvalidPayload:
    """One InvalidPayload for all faults, each given as pointer, code and detail."""
    shown = "; ".join(f"{pointer}: {detail}" if pointer else detail for pointer, _, detail in faults[:3])
    more = f"; and {len(faults) - 3} more" if len(faults) > 3 else ""
    message = f"The payload does not fit the schema: {_sentence(shown + more)}"
    errors = [{"pointer": pointer, "code": code, "detail": _sentence(detail)} for pointer, code, detail in faults]
    return InvalidPayload(message, pointer=faults[0][0], errors=errors)


def judge(schema: Json) -> Judge:
    """The judge for a schema; compiled once for each text."""
    try:
        text = json.dumps(schema, sort_keys=True, separators=(",", ":"), allow_nan=False)
    except (TypeError, ValueError, RecursionError) as error:
        raise InvalidSchema(f"The schema is not JSON: {_sentence(str(error))}") from None
    return _compile(text)


def judge_of(key: str, schema: Json) -> Judge:
    """The judge for a definition's schema; the error names the definition."""
    try:
        return judge(schema)
    except InvalidSchema as error:
        message = f"Definition {show(key, 250)} cannot have this arg_schema. {error.message}"
        raise InvalidSchema(message, **{**error.facts, "key": key}) from None


def stored_judge(definition: Definition) -> Judge:
    """The judge for the schema of a definition that was read; raises InvalidSchema where it cannot be decoded."""
    if "arg_schema" in definition.undecodable:
        key = definition.key
        message = f"The arg_schema of definition {show(key, 250)} cannot be decoded. Put the definition again."
        raise InvalidSchema(message, key=key)
    return judge_of(definition.key, definition.arg_schema)


def check_schema(definition: Document) -> Document:
    """The definition itself; raises InvalidSchema where it names an arg_schema that cannot judge payloads.

    Every store calls it before it writes. A definition without an arg_schema, or with null, keeps the stored one.
    """
    is_document = isinstance(cast("object", definition), Mapping)  # else the store says what it is
    if is_document and (schema := definition.get("arg_schema")) is not None:
        judge_of(str(definition.get("key")), schema)
    return definition


@lru_cache(maxsize=1024)
def _compile(text: str) -> Judge:
    return Judge(text)


def _refuse(uri: str) -> NoReturn:
    """Fetch nothing; a retriever is asked in every version of the library, `offline` came with 0.52."""
    raise ValueError(f"{show(uri, 200)} is outside the schema.")


def _sentence(text: str) -> str:
    """The first line of a library's message, with a full stop."""
    return f"{(text.splitlines() or [''])[0].rstrip('.')}."


def pointer_of(path: Sequence[str | int]) -> str:
    """A path as a JSON pointer."""
    return "".join("/" + str(step).replace("~", "~0").replace("/", "~1") for step in path)


def is_deeper(payload: object, levels: int) -> bool:
    """Whether objects and lists are nested in more levels than these."""
    level = [payload]
    for _ in range(levels + 1):
        level = [part for value in level for part in _children(value)]
    return bool(level)


def _measure(schema: object, text: str) -> int | None:
    """Refuse a schema that asks for too much; how deep a payload may be if its faults are to be explained."""
    if not isinstance(schema, dict | bool):
        raise InvalidSchema("The schema must be an object, true or false.")
    if len(text.encode()) > MAX_BYTES:
        raise InvalidSchema(f"The schema has more than {MAX_BYTES} bytes. Make it smaller.")
    widest = 1
    for node, depth in _nodes(cast("object", schema)):
        if depth > MAX_DEPTH:
            raise InvalidSchema(f"The schema is nested deeper than {MAX_DEPTH} levels.")
        if isinstance(node, dict):
            _local(cast("dict[str, object]", node))
            widest = max(widest, _choices(cast("dict[str, object]", node)))
    steps = _Steps(cast("object", schema))
    steps.count()
    return int(math.log(MAX_EXPLAINED, widest)) if steps.recurs and widest > 1 else None


def _choices(node: Mapping[str, object]) -> int:
    return max(len(_children(node.get(word))) for word in _CHOICES)


def _nodes(root: object) -> Iterator[tuple[object, int]]:
    waiting = [(root, 1)]
    while waiting:
        node, depth = waiting.pop()
        yield node, depth
        waiting += [(child, depth + 1) for child in _children(node)]


def _children(node: object) -> Sequence[object]:
    if isinstance(node, dict):
        return list(cast("dict[str, object]", node).values())
    return cast("list[object]", node) if isinstance(node, list) else ()


def _local(node: Mapping[str, object]) -> None:
    for word in _REFERENCES:
        target = node.get(word)
        if isinstance(target, str) and target != "#" and not target.startswith("#/"):
            raise InvalidSchema(f"The schema has a {word} to {show(target, 200)}. Use references that begin with #/.")


class _Steps:
    """How much a schema asks for when every reference is followed; what refers to itself is bounded by the payload."""

    def __init__(self, root: object) -> None:
        self._root = root
        self._known: dict[int, int] = {}
        self._open: set[int] = set()
        self.recurs = False

    def count(self) -> None:
        try:
            steps = self._of(self._root)
        except RecursionError:
            steps = MAX_STEPS + 1
        if steps > MAX_STEPS:
            raise InvalidSchema(f"The schema takes more than {MAX_STEPS} steps to follow. Refer to a part less often.")

    def _of(self, node: object) -> int:
        if not _children(node):
            return 1
        place = id(node)
        if place in self._open:
            self.recurs = True
            return 1
        if place not in self._known:
            self._open.add(place)
            asked = sum(self._of(part) for part in (*_children(node), self._target(node)))
            self._known[place] = 1 + min(asked, MAX_STEPS)
            self._open.remove(place)
        return self._known[place]

    def _target(self, node: object) -> object:
        """What a `$ref` leads to, None where there is none."""
        reference = cast("dict[str, object]", node).get("$ref") if isinstance(node, dict) else None
        if not isinstance(reference, str):
            return None
        found = self._root
        for step in reference.split("/")[1:]:
            key = step.replace("~1", "/").replace("~0", "~")
            found = cast("dict[str, object]", found).get(key) if isinstance(found, dict) else None
        return found
