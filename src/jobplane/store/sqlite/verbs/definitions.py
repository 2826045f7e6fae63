"""Definitions: what may run, as documents that change what they name."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final, cast

from jobplane.core import bounds
from jobplane.core.decoding import Reader, loads, texts
from jobplane.core.errors import Invalid, UnknownQueue
from jobplane.core.model import Backoff, Definition, Json
from jobplane.core.paging import Page, page_of
from jobplane.core.payload import encode_document
from jobplane.store.base import Conn
from jobplane.store.sqlite import checks, statements
from jobplane.store.sqlite.cursors import cursor_of, key_of
from jobplane.store.sqlite.moment import Moment, instant
from jobplane.store.sqlite.verbs import gates
from jobplane.store.sqlite.verbs.arrays import batch, dumps
from jobplane.store.sqlite.verbs.tenants import refuse_unknown
from jobplane.store.verbs.engine import PutDefinitions
from jobplane.store.verbs.operator import ListDefinitions

_COLUMNS: Final = (
    *("kind", "description", "arg_schema", "queue_id", "priority", "timeout_seconds", "max_attempts"),
    *("base", "factor", "cap", "jitter", "max_running", "max_running_per_tenant"),
    *("retention_days", "retention_days_logs", "active", "origin", "tags", "isolation", "on_lost_contact"),
)
_KNOWN: Final = (
    *("key", "kind", "description", "arg_schema", "queue", "priority", "timeout_seconds", "max_attempts", "backoff"),
    *("max_running", "max_running_per_tenant", "retention_days", "retention_days_logs", "active", "origin", "tags"),
    *("isolation", "on_lost_contact"),
)
_read: Final = Reader(
    Definition,
    arg_schema=loads,
    backoff=lambda numbers: Backoff(*numbers),
    active=bool,
    tags=texts,
    created_at=instant,
    updated_at=instant,
)
_MAX_SCHEMA: Final = 65_536
_BACK: Final = 1000


def _one_of(*words: str) -> Callable[[str, Any], str]:
    def check(name: str, value: Any) -> str:
        if value not in words:
            raise Invalid(f"{name} must be one of {', '.join(words)}")
        return value

    return check


def _flag(name: str, value: Any) -> bool:
    if not isinstance(value, bool):
        raise Invalid(f"{name} must be true or false")
    return value


def _schema(name: str, value: Any) -> str:
    if not isinstance(value, dict | bool):
        raise Invalid(f"{name} must be a JSON object, true or false")
    if len(text := dumps(cast("Json", value))) > _MAX_SCHEMA or len(text.encode()) > _MAX_SCHEMA:
        raise Invalid(f"the {name} has more than {_MAX_SCHEMA} bytes")
    return text


def _tags(name: str, value: Any) -> str:
    if not isinstance(value, list):
        raise Invalid(f"{name} must be a list of strings")
    return dumps(checks.texts(name, cast("object", value)))


def _check_bounds(name: str, value: Any) -> int:
    return bounds.whole(name, value, *bounds.POLICY[name])


# what a document may name: how it is judged; null keeps the value
_KEPT: Final[dict[str, Callable[[str, Any], object]]] = {
    "description": checks.text,
    "arg_schema": _schema,
    "priority": _check_bounds,
    "max_attempts": _check_bounds,
    "active": _flag,
    "origin": _one_of("code", "db", "builtin", "manager"),
    "isolation": _one_of("shared", "process"),
    "on_lost_contact": _one_of("stop", "continue"),
}
# the same; null takes the value away
_CLEARED: Final[dict[str, Callable[[str, Any], object]]] = {
    "kind": _one_of("python", "command", "connector"),
    "timeout_seconds": _check_bounds,
    "max_running": _check_bounds,
    "max_running_per_tenant": _check_bounds,
    "retention_days": _check_bounds,
    "retention_days_logs": _check_bounds,
}


def put_definitions(db: Conn, moment: Moment, verb: PutDefinitions) -> list[str]:
    """One bad document refuses the whole call: it is configuration."""
    documents = [loads(encode_document(definition, "definition")) for definition in verb.definitions]
    for document in documents:
        refuse_unknown(document, _KNOWN)
        if not bounds.KEY.fullmatch(checks.text("key", document.get("key"))):
            raise Invalid("a definition's key has letters, digits, dot, dash and underscore, up to 200")
    for document in sorted(documents, key=lambda document: document["key"]):
        _put(db, moment, document)
    return sorted({document["key"] for document in documents})


def _put(db: Conn, moment: Moment, document: dict[str, Any]) -> None:
    sql = statements.load_verb("put_definitions")
    rows = db.rows(sql["old"], (document["key"],))
    if not rows:
        queue = document.get("queue")
        queue_id = _queue(db, "default" if queue is None else queue)
        db.rows(sql["insert"], (document["key"], queue_id, moment.now, moment.now))
    definition_id, *old = (rows or db.rows(sql["old"], (document["key"],)))[0]
    new = _change(db, dict(zip(_COLUMNS, old, strict=True)), document)
    db.rows(sql["update"], (*(new[column] for column in _COLUMNS), moment.now, definition_id))
    if rows:
        _count(db, definition_id, new)
        gate = f"d/{definition_id}"
        gates.release(db, gate, gates.room(db, gate, _BACK, moment.now))


def _change(db: Conn, new: dict[str, Any], document: dict[str, Any]) -> dict[str, Any]:
    """A definition with what a document names changed, each value judged."""
    for name, check in _KEPT.items():
        if document.get(name) is not None:
            new[name] = check(name, document[name])
    for name, check in _CLEARED.items():
        if name in document:
            new[name] = None if document[name] is None else check(name, document[name])
    if document.get("queue") is not None:
        new["queue_id"] = _queue(db, document["queue"])
    if "tags" in document:
        new["tags"] = _tags("tags", document["tags"])
    backoff: dict[str, Any] = {} if document.get("backoff") is None else document["backoff"]
    refuse_unknown(backoff, tuple(bounds.BACKOFF))
    given = {name: value for name, value in backoff.items() if value is not None}
    return new | {name: bounds.number(f"backoff.{name}", value, *bounds.BACKOFF[name]) for name, value in given.items()}


def _queue(db: Conn, name: object) -> int:
    rows = db.rows(statements.load_verb("put_definitions")["queue"], (checks.text("queue", name),))
    if not rows:
        raise UnknownQueue(f"there is no queue {name!r}: put_queues makes it")
    return rows[0][0]


def _count(db: Conn, definition_id: int, new: dict[str, Any]) -> None:
    """Count the running jobs against a limit that is set now."""
    kinds = [kind for kind, name in (("d", "max_running"), ("dt", "max_running_per_tenant")) if new[name] is not None]
    if not kinds:
        return
    leases = db.rows(statements.load_verb("put_definitions")["leases"], (definition_id,))
    keys = {"d": "d/{0}", "dt": "dt/{0}/{1}"}
    gates.count_leases(
        db, [(seq, had, [keys[kind].format(definition_id, tenant) for kind in kinds]) for seq, had, tenant in leases]
    )


def list_definitions(db: Conn, _: Moment, verb: ListDefinitions) -> Page[Definition, str]:
    most = min(max(bounds.whole("limit", verb.limit), 1), 1000)
    after = key_of(verb.after)
    sql = statements.load_verb("get_definitions")
    if verb.keys is None:
        rows = db.rows(sql["page"], (after, most))
    else:
        rows = db.rows(sql["named"], (after, batch(checks.texts("a definition's key", verb.keys)), most))
    return page_of(rows, most, _definition, lambda row: cursor_of(row[1]))


def _definition(row: tuple[Any, ...]) -> Definition:
    """Columns 9 to 12 are the four numbers of the backoff."""
    return _read([*row[:9], row[9:13], *row[13:]])
