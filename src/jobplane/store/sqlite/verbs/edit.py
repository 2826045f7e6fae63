"""edit: change a waiting job, each change judged as at enqueue; it goes to the end of its lane."""

from __future__ import annotations

from typing import Any, Final

from jobplane.core.decoding import loads
from jobplane.core.edits import judge_edit, parse_expiry
from jobplane.core.errors import Invalid, UnknownQueue
from jobplane.core.model import JobStatus, Json, Moved
from jobplane.core.payload import encode, encode_document
from jobplane.store.base import Conn
from jobplane.store.sqlite import checks, statements
from jobplane.store.sqlite.moment import Moment, micros
from jobplane.store.sqlite.verbs.arrays import dumps
from jobplane.store.sqlite.verbs.audit import audit
from jobplane.store.sqlite.verbs.lanes import set_aside
from jobplane.store.sqlite.verbs.moves import states, tenant_no
from jobplane.store.verbs.jobs import EDITABLE, Edit

_SQL: Final = statements.load_verb("edit")
_FACTS: Final = (
    *("payload", "priority", "queue_id", "max_attempts", "timeout_seconds", "expires_at", "tags", "metadata"),
)
_NAMES: Final = "payload, priority, queue, max_attempts, timeout_seconds, expires_at, tags or metadata"


def edit(db: Conn, moment: Moment, verb: Edit) -> Moved:
    named = checks.uuid(verb.job_id)
    asked: dict[str, Any] = loads(encode_document(verb.changes, "changes"))
    judge_edit(asked)
    seq, status = states(db, verb.tenant, [named]).get(named, (0, None))
    if status is None:
        return Moved(verb.job_id, "not_found", None)
    if status is not JobStatus.QUEUED:
        return Moved(verb.job_id, "illegal_move", status)
    number = tenant_no(db, verb.tenant)
    [(_, *facts)] = db.rows(_SQL["job"], (number, named))
    old = dict(zip(_FACTS, facts, strict=True))
    new = _change(db, old, asked)
    _write(db, moment, seq, old, new)
    audit(db, moment, "editJob", number, [named], _shown(old), _shown(new), {"fields": sorted(asked)})
    return Moved(verb.job_id, "queued", JobStatus.QUEUED)


def _shown(facts: dict[str, Any]) -> Json:
    """The facts for a digest; a text that cannot be decoded is bytes."""
    return {name: str(value) for name, value in facts.items()}


def _write(db: Conn, moment: Moment, seq: int, old: dict[str, Any], new: dict[str, Any]) -> None:
    set_aside(db, [seq])
    db.rows(_SQL["facts"], (*(new[name] for name in _FACTS), moment.now, seq))
    more = new["max_attempts"] - old["max_attempts"]
    db.rows(_SQL["place"], (new["priority"], new["queue_id"], more, new["expires_at"], seq))
    if new["expires_at"] == old["expires_at"]:
        return
    if old["expires_at"] is not None:
        db.rows(_SQL["leave"], (old["expires_at"], seq))
    if new["expires_at"] is not None:
        db.rows(_SQL["expiring"], (new["expires_at"], seq))


def _change(db: Conn, old: dict[str, Any], asked: dict[str, Any]) -> dict[str, Any]:
    """The facts with the changes of a document. Null removes a value that may be missing."""
    if unknown := sorted(set(asked).difference(EDITABLE)):
        shown = ", ".join(f'"{name:.200}"' for name in unknown)
        raise Invalid(f"Cannot edit {shown} of a job. Name {_NAMES}.")
    new = dict(old)
    if "payload" in asked:
        new["payload"] = encode(asked["payload"])
    kept = {name: asked[name] for name in ("priority", "max_attempts") if asked.get(name) is not None}
    if asked.get("queue") is not None:
        kept["queue_id"] = _queue(db, asked["queue"])
    if "timeout_seconds" in asked:
        kept["timeout_seconds"] = asked["timeout_seconds"]
    if "expires_at" in asked:
        kept["expires_at"] = None if asked["expires_at"] is None else micros(parse_expiry(asked["expires_at"]))
    return new | kept | {name: _document(asked[name]) for name in ("tags", "metadata") if name in asked}


def _document(value: Any) -> str | None:
    return None if value is None else dumps(value)


def _queue(db: Conn, name: object) -> int:
    rows = db.rows(_SQL["queue"], (checks.text("queue", name),))
    if not rows:
        raise UnknownQueue(f'There is no queue "{name!s:.200}". Check the spelling, or create it first.')
    return rows[0][0]
