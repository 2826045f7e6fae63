"""The values of a definition's document, judged before a store is called."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import Any, Final, cast

from jobplane.core import bounds
from jobplane.core.errors import Invalid
from jobplane.core.texts import require_text

_MAX_BYTES: Final = 65_536  # of a schema, and of a command


def judge_key(document: Mapping[str, Any]) -> None:
    """Raise Invalid where a document has no key, or one that no definition may have."""
    if not bounds.KEY.fullmatch(require_text("key", document.get("key"))):
        raise Invalid(bounds.KEY_RULE, field="key")


def judge_values(document: Mapping[str, Any]) -> None:
    """Raise Invalid for a value that no definition may have. Null keeps or removes a value."""
    for name, check in _CHECKS.items():
        if document.get(name) is not None:
            check(name, document[name])
    if "tags" in document:
        _tags(document["tags"])
    if document.get("queue") is not None:
        require_text("queue", document["queue"])
    if document.get("backoff") is not None:
        _backoff(document["backoff"])


def _one_of(*words: str) -> Callable[[str, Any], None]:
    def check(name: str, value: Any) -> None:
        if value not in words:
            raise Invalid(f"The {name} must be one of {', '.join(words)}.")

    return check


def _flag(name: str, value: Any) -> None:
    if not isinstance(value, bool):
        raise Invalid(f"The {name} must be true or false.")


def _schema(name: str, value: Any) -> None:
    if not isinstance(value, dict | bool):
        raise Invalid(f"The {name} must be a JSON object, true or false.")
    _short(name, value)


def _command(name: str, value: Any) -> None:
    """Its fields are judged where the schema is known, in core.command."""
    _object(name, value)
    _short(name, value)


def _short(name: str, value: Any) -> None:
    if (
        len(text := json.dumps(value, ensure_ascii=False, separators=(",", ":"))) > _MAX_BYTES
        or len(text.encode()) > _MAX_BYTES
    ):
        raise Invalid(f"The {name} must have at most {_MAX_BYTES} bytes.")


def _object(name: str, value: Any) -> None:
    if not isinstance(value, dict):
        raise Invalid(f"The {name} must be a JSON object.")


def _bounded(name: str, value: Any) -> None:
    bounds.whole(name, value, *bounds.POLICY[name])


def _tags(value: Any) -> None:
    if not isinstance(value, list):
        raise Invalid("The tags must be a list of strings.")
    for tag in cast("list[object]", value):
        require_text("tags", tag)


def _backoff(value: Any) -> None:
    if not isinstance(value, dict):
        raise Invalid("The backoff must be a JSON object.")
    for name, number in cast("dict[str, object]", value).items():
        if name in bounds.BACKOFF and number is not None:
            bounds.number(f"backoff.{name}", number, *bounds.BACKOFF[name])


_CHECKS: Final[Mapping[str, Callable[[str, Any], object]]] = {
    "description": require_text,
    "arg_schema": _schema,
    **dict.fromkeys(bounds.POLICY, _bounded),
    "active": _flag,
    "system": _flag,
    "kind": _one_of("python", "command", "connector"),
    "origin": _one_of("code", "db", "builtin", "manager"),
    "isolation": _one_of("shared", "process"),
    "on_lost_contact": _one_of("stop", "continue"),
    "metadata": _object,
    "default_payload": _object,
    "command": _command,
}
