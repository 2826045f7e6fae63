"""A definition as its row has it: read, changed by a document, compared, and written."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any, Final, TypeAlias, cast

from jobplane.core import bounds
from jobplane.core.decoding import as_object, loads, readable, texts
from jobplane.core.definition_values import judge_key, judge_values
from jobplane.core.definitions import OVERRIDABLE, active_in
from jobplane.core.errors import DefinitionOwned, Invalid, UnknownQueue
from jobplane.core.ids import new_id
from jobplane.core.model import Document, Json
from jobplane.core.payload import encode_document
from jobplane.store.base import Conn
from jobplane.store.sqlite import checks, statements
from jobplane.store.sqlite.moment import Moment
from jobplane.store.sqlite.verbs import gates
from jobplane.store.sqlite.verbs.arrays import batch, dumps
from jobplane.store.sqlite.verbs.tenants import refuse_unknown

Stored: TypeAlias = dict[str, Any]  # by column; JSON as its text

_COLUMNS: Final = (
    *("kind", "description", "arg_schema", "queue_id", "priority", "timeout_seconds", "max_attempts"),
    *("base", "factor", "cap", "jitter", "max_running", "max_running_per_tenant"),
    *("retention_days", "retention_days_logs", "retention_count", "active", "origin", "tags", "isolation"),
    *("on_lost_contact", "system", "metadata", "default_payload", "command", "app", "app_version"),
    *("app_version_order", "overridden", "code", "definition_hash", "deleted_from_code", "deleted_at"),
)
_STORED: Final = ("definition_id", "key", *_COLUMNS, "revision")
_JSON: Final = ("arg_schema", "tags", "metadata", "default_payload", "command", "overridden", "code")
_FLAGS: Final = ("active", "system")
_KNOWN: Final = (
    *("key", "kind", "description", "arg_schema", "queue", "priority", "timeout_seconds", "max_attempts", "backoff"),
    *("max_running", "max_running_per_tenant", "retention_days", "retention_days_logs", "retention_count", "active"),
    *("origin", "tags", "isolation", "on_lost_contact", "system", "metadata", "default_payload", "command"),
)
_BACK: Final = 1000
_COMMAND: Final = "command"  # the kind
_RUN: Final = ("kind", "command", "arg_schema", "deleted_at")  # what a worker compares with its policy
# Null keeps the stored value.
_KEPT: Final = (
    *("description", "arg_schema", "priority", "max_attempts", "active", "origin", "isolation", "on_lost_contact"),
    *("system", "metadata", "command"),
)
# Null removes the value.
_CLEARED: Final = (
    *("kind", "timeout_seconds", "max_running", "max_running_per_tenant", "retention_days", "retention_days_logs"),
    *("retention_count", "default_payload"),
)


def read_document(given: Document, known: tuple[str, ...] = _KNOWN) -> dict[str, Any]:
    """A document with a key as plain JSON values; refuses names that no document may have."""
    document: dict[str, Any] = loads(encode_document(given, "definition"))
    refuse_unknown(document, known)
    judge_key(document)
    return document


def find(db: Conn, key: str) -> Stored | None:
    return _first(db.rows(statements.load_shared("definitions")["by_key"], (key,)))


def find_id(db: Conn, public_id: str) -> Stored | None:
    return _first(db.rows(statements.load_shared("definitions")["by_id"], (public_id,)))


def of_app(db: Conn, app: str) -> list[Stored]:
    return [_stored(row) for row in db.rows(statements.load_shared("definitions")["of_app"], (app,))]


def _first(rows: list[tuple[Any, ...]]) -> Stored | None:
    return _stored(rows[0]) if rows else None


def _stored(row: tuple[Any, ...]) -> Stored:
    return dict(zip(_STORED, row, strict=True))


def insert(db: Conn, moment: Moment, document: dict[str, Any]) -> Stored:
    """A new definition with its key and queue; the caller writes the rest."""
    queue = document.get("queue")
    queue_id = _queue(db, "default" if queue is None else queue)
    values = (str(new_id()), document["key"], queue_id, moment.now, moment.now)
    db.rows(statements.load_shared("definitions")["insert"], values)
    return cast("Stored", find(db, document["key"]))


def changed(db: Conn, stored: Stored, document: dict[str, Any]) -> Stored:
    """A definition with what a document names changed, each value judged."""
    judge_values(document)
    backoff: dict[str, Any] = {} if document.get("backoff") is None else document["backoff"]
    refuse_unknown(backoff, tuple(bounds.BACKOFF))
    new = {**stored}
    kept = (name for name in _KEPT if document.get(name) is not None)
    for name in (*kept, *(name for name in (*_CLEARED, "tags") if name in document)):
        new[name] = _written(name, document[name])
    if document.get("queue") is not None:
        new["queue_id"] = _queue(db, document["queue"])
    new |= _judged_kind(stored, new, is_new=document.get("command") is not None)
    return new | {name: float(value) for name, value in backoff.items() if value is not None}


def _judged_kind(old: Stored, new: Stored, *, is_new: bool) -> Stored:
    """A definition has a command if its kind is `command`, and only then; a new one makes it of that kind."""
    key, kind, origin = new["key"], new["kind"], new["origin"]
    if is_new and origin != "db":
        raise Invalid(f'Definition "{key}" cannot have a command: its origin is {origin}. Use another key.')
    if is_new and kind not in (None, _COMMAND):
        raise Invalid(f'Definition "{key}" cannot have a command: its kind is {kind}. Use another key.')
    if is_new:
        return {"kind": _COMMAND}
    if kind == _COMMAND and new["command"] is None:
        raise Invalid(f'Definition "{key}" of the kind command needs a command.')
    if kind != _COMMAND and old["kind"] == _COMMAND:
        raise Invalid(f'Definition "{key}" is a command, and stays one. Use another key, or delete it first.')
    return {} if kind == _COMMAND else {"command": None}  # no verb has written it


def refuse_command(stored: Stored | None) -> None:
    """Refuse to let code take the key of a command; one that was deleted may be taken."""
    if stored is not None and stored["kind"] == _COMMAND and stored["deleted_at"] is None:
        key, app = stored["key"], stored["app"]
        message = f'Definition "{key}" is a command, and code cannot take its key.'
        raise DefinitionOwned(f"{message} Use another key, or delete the command first.", key=key, app=app)


def without_command(stored: Stored) -> Stored:
    """For code that takes the key of a command that was deleted."""
    return stored | {"command": None, "kind": None if stored["kind"] == _COMMAND else stored["kind"]}


def _written(name: str, value: Any) -> Any:
    return dumps(value) if name in _JSON and value is not None else value


def document_of(db: Conn, stored: Stored) -> dict[str, Json]:
    """What a document can say of a definition, as it is; a value that cannot be decoded is None."""
    values = {name: stored[name] for name in _KNOWN if name in stored and name != "key"}
    values |= {name: readable(stored[name], loads) for name in _JSON if name in values}
    values |= {name: bool(stored[name]) for name in _FLAGS}
    names = db.rows(statements.load_shared("definitions")["queue_name"], (stored["queue_id"],))
    backoff = {name: stored[name] for name in bounds.BACKOFF}
    return {**values, "queue": names[0][0] if names else None, "backoff": backoff}


def overridden(stored: Stored) -> list[str]:
    return readable(stored["overridden"], texts) or []


def code(stored: Stored) -> Document | None:
    return None if stored["code"] is None else readable(stored["code"], lambda text: as_object(loads(text)))


def overridden_by(new: Stored, named: Collection[str]) -> str:
    """The fields that people have set, once a person has also set those that are named.

    `active` is among them only if it differs from the code: a definition that was switched off and on again is as its
    code has it.
    """
    fields = {*overridden(new), *named} & {*OVERRIDABLE}
    if "active" in named and bool(new["active"]) == active_in(code(new)):
        fields -= {"active"}
    return dumps(sorted(fields))


def is_same(one: Stored, other: Stored) -> bool:
    return _comparable(one) == _comparable(other)


def _comparable(stored: Stored) -> Stored:
    return stored | {name: readable(stored[name], loads) for name in _JSON}


def differences(db: Conn, old: Stored, new: Stored) -> dict[str, Json]:
    """How two states of a definition differ, as {field: {from, to}}."""
    before, after = (
        {**document_of(db, each), "app": each["app"], "overridden": overridden(each)} for each in (old, new)
    )
    return {name: {"from": before[name], "to": after[name]} for name in before if before[name] != after[name]}


def write(db: Conn, moment: Moment, new: Stored, *, created: bool) -> None:
    """Write a definition, raise its revision, and count its running jobs against its limits again."""
    [old] = db.rows(statements.load_shared("definitions")["by_key"], (new["key"],))
    definition_id, revision = new["definition_id"], 1 if created else new["revision"] + 1
    values = (*(new[column] for column in _COLUMNS), revision, moment.now, definition_id)
    db.rows(statements.load_shared("definitions")["update"], values)
    if not created:
        _count(db, definition_id, new)
        gate = f"d/{definition_id}"
        gates.release(db, gate, gates.room(db, gate, _BACK, moment.now))
    if _is_changed_command(_stored(old), new):
        _forget_command(db, new["key"])


def _is_changed_command(old: Stored, new: Stored) -> bool:
    before, after = (_comparable(stored) for stored in (old, new))
    return _COMMAND in (old["kind"], new["kind"]) and any(before[name] != after[name] for name in _RUN)


def _forget_command(db: Conn, key: str) -> None:
    """No worker runs a command of this key until it has registered again and compared it with its policy."""
    sql, named = statements.load_shared("definitions"), dumps(key)
    for worker_id, definitions in db.rows(sql["that_know"], (named, named)):
        known = readable(definitions, texts)
        kept = definitions if known is None else batch(name for name in known if name != key)
        db.rows(sql["forget"], (kept, worker_id))


def _queue(db: Conn, name: object) -> int:
    rows = db.rows(statements.load_shared("definitions")["queue"], (checks.text("queue", name),))
    if not rows:
        raise UnknownQueue(f'There is no queue "{name!s:.200}". Check the spelling, or create it first.')
    return rows[0][0]


def _count(db: Conn, definition_id: int, new: Stored) -> None:
    """Count the running jobs against a limit that is set now."""
    kinds = [kind for kind, name in (("d", "max_running"), ("dt", "max_running_per_tenant")) if new[name] is not None]
    if not kinds:
        return
    leases = db.rows(statements.load_shared("definitions")["leases"], (definition_id,))
    keys = {"d": "d/{0}", "dt": "dt/{0}/{1}"}
    gates.count_leases(
        db, [(seq, had, [keys[kind].format(definition_id, tenant) for kind in kinds]) for seq, had, tenant in leases]
    )
