"""Definitions as documents: what one has by default, what a person may set, and what a sync has done."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from hashlib import sha256
from typing import Final, Literal, TypeAlias, cast

from jobplane.core.model import Document, Json

DEFAULTS: Final[Document] = {
    "kind": None,
    "description": "",
    "arg_schema": {"type": "object", "additionalProperties": False},
    "queue": "default",
    "priority": 100,
    "timeout_seconds": 3600,
    "max_attempts": 3,
    "backoff": {"base": 5, "factor": 2, "cap": 300, "jitter": 0.5},
    "max_running": None,
    "max_running_per_tenant": None,
    "retention_days": None,
    "retention_days_logs": None,
    "retention_count": None,
    "active": True,
    "origin": "db",
    "tags": [],
    "isolation": "shared",
    "on_lost_contact": "stop",
    "system": False,
    "metadata": {},
    "default_payload": None,
    "command": None,
}
# What a person may set of a definition from code; a sync leaves it alone.
OVERRIDABLE: Final = (
    *("description", "queue", "priority", "timeout_seconds", "max_attempts", "backoff", "max_running"),
    *("max_running_per_tenant", "retention_days", "retention_days_logs", "retention_count", "active", "tags"),
    *("system", "metadata", "default_payload"),
)
NULLABLE: Final = frozenset(
    {
        *("timeout_seconds", "max_running", "max_running_per_tenant", "retention_days", "retention_days_logs"),
        *("retention_count", "default_payload"),
    }
)
MERGED: Final = ("metadata", "default_payload", "arg_schema")

SyncOutcome: TypeAlias = Literal["created", "changed", "unchanged", "kept", "deleted_from_code", "restored"]


@dataclass(frozen=True, slots=True)
class SyncedDefinition:
    """What a sync did to one definition.

    `kept`: a newer version of the app, or another app, has brought it, and nothing was changed. `changes` has a
    `from` and a `to` for each field. `left_alone` names the fields that a person has set to something else.
    """

    key: str
    outcome: SyncOutcome
    changes: Document
    left_alone: list[str]


def code_of(document: Document) -> Document:
    """What a store keeps of a document from code."""
    return {"origin": "code", **{name: value for name, value in document.items() if name != "key"}}


def digest_of(code: Document) -> str:
    """SHA-256 of the canonical JSON of what a store keeps."""
    return sha256(canonical(code).encode()).hexdigest()


def canonical(value: Json) -> str:
    """JSON text that is the same for equal values."""
    return json.dumps(value, ensure_ascii=False, sort_keys=True, separators=(",", ":"))


def merged(value: Json, patch: Json) -> Json:
    """A value with the changes of a JSON merge patch (RFC 7396): null takes a member away."""
    if not isinstance(patch, Mapping):
        return patch
    new: dict[str, Json] = dict(value) if isinstance(value, Mapping) else {}
    for name, change in cast("Document", patch).items():
        if change is None:
            new.pop(name, None)
        else:
            new[name] = merged(new.get(name), change)
    return new


def active_in(code: Document | None) -> bool:
    """Whether a definition is active as far as its code says."""
    said = None if code is None else code.get("active")
    return True if said is None else bool(said)
