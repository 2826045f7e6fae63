"""Sync: an app's code brings its definitions, and leaves alone what people have set."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from jobplane.core.definitions import DEFAULTS, SyncedDefinition, active_in, canonical, code_of, digest_of
from jobplane.core.errors import DefinitionOwned
from jobplane.core.model import Document
from jobplane.core.versions import LONGEST, is_older, order_of
from jobplane.store.base import Conn
from jobplane.store.sqlite import checks, statements
from jobplane.store.sqlite.moment import Moment
from jobplane.store.sqlite.verbs import definition_rows as rows_of
from jobplane.store.sqlite.verbs.arrays import batch, dumps
from jobplane.store.sqlite.verbs.audit import audit
from jobplane.store.sqlite.verbs.definition_rows import Stored
from jobplane.store.sqlite.verbs.queues import put_queues
from jobplane.store.verbs.engine import PutQueues, SyncDefinitions

_SAVED: Final = "jobplane_sync"


def sync_definitions(db: Conn, moment: Moment, verb: SyncDefinitions) -> list[SyncedDefinition]:
    checks.text("app", verb.app, 0, LONGEST)
    checks.text("version", verb.version, 0, LONGEST)
    if not verb.dry_run:
        return _sync(db, moment, verb)
    db.rows(f"savepoint {_SAVED}", ())
    report = _sync(db, moment, verb)
    db.rows(f"rollback to {_SAVED}", ())
    db.rows(f"release {_SAVED}", ())
    return report


def _sync(db: Conn, moment: Moment, verb: SyncDefinitions) -> list[SyncedDefinition]:
    """One bad document refuses the whole call: it is configuration."""
    documents = sorted(map(rows_of.read_document, verb.definitions), key=lambda document: document["key"])
    known = rows_of.of_app(db, verb.app) if verb.app else []
    if any(is_older(verb.version, stored["app_version"]) for stored in known):
        return [_kept(document["key"]) for document in documents]
    report = [_synced(db, moment, verb, document) for document in documents]
    synced = [done.key for done in report if done.outcome != "kept"]
    if verb.app and verb.whole:
        report += [_deleted(db, moment, stored) for stored in known if _is_gone(stored, synced)]
    if verb.version:
        _write_version(db, moment, verb, known, synced)
    return report


def _kept(key: str) -> SyncedDefinition:
    return SyncedDefinition(key, "kept", {}, [])


def _synced(db: Conn, moment: Moment, verb: SyncDefinitions, document: dict[str, Any]) -> SyncedDefinition:
    key = document["key"]
    found = rows_of.find(db, key)
    if found is not None and _is_kept(found, verb):
        return _kept(key)
    rows_of.refuse_command(found)
    _make_queue(db, moment, document)
    old = found or rows_of.insert(db, moment, document)
    new = _as_in_code(db, old, document, force=verb.force) | {"app": verb.app}
    if found is None or not rows_of.is_same(old, new):
        rows_of.write(db, moment, new, created=found is None)
    if found is None:
        return SyncedDefinition(key, "created", {}, [])
    changes = rows_of.differences(db, old, new)
    was_deleted = old["deleted_from_code"] or old["deleted_at"] is not None
    outcome = "restored" if was_deleted else "changed" if changes else "unchanged"
    return SyncedDefinition(key, outcome, changes, _left_alone(db, old, new, document))


def _make_queue(db: Conn, moment: Moment, document: dict[str, Any]) -> None:
    name = document.get("queue")
    if name is not None and not db.rows(statements.load_shared("definitions")["queue"], (checks.text("queue", name),)):
        put_queues(db, moment, PutQueues([name]))


def _is_kept(found: Stored, verb: SyncDefinitions) -> bool:
    """Whether a definition stays as it is; raises DefinitionOwned where it belongs to another app."""
    if found["app"] == verb.app:
        return is_older(verb.version, found["app_version"])
    if verb.force or not found["app"]:
        return False
    if verb.app:
        key, app = found["key"], found["app"]
        message = f'Definition "{key}" belongs to app "{app}". Use another key, or sync with force to take it.'
        raise DefinitionOwned(message, key=key, app=app)
    return True


def _as_in_code(db: Conn, old: Stored, document: dict[str, Any], *, force: bool) -> Stored:
    """With what the code says. What a person has set stays; what the code no longer names gets its default."""
    overridden, code = rows_of.overridden(old), code_of(document)
    kept = [] if force else overridden
    reset = {*(rows_of.code(old) or {}), *(overridden if force else ())}
    values: Document = {name: value for name, value in DEFAULTS.items() if name in reset} | {**code}
    named = {name: value for name, value in values.items() if name not in kept}
    new = rows_of.changed(db, rows_of.without_command(old), named)
    if old["deleted_from_code"] or old["deleted_at"] is not None:
        new["active"] = active_in(code) != ("active" in kept)
    return new | {
        "overridden": dumps(kept),
        "deleted_from_code": 0,
        "deleted_at": None,
        "code": canonical(code),
        "definition_hash": digest_of(code),
    }


def _left_alone(db: Conn, old: Stored, new: Stored, document: dict[str, Any]) -> list[str]:
    said, has = (
        rows_of.document_of(db, each) for each in (rows_of.changed(db, rows_of.without_command(old), document), new)
    )
    return sorted(name for name in rows_of.overridden(new) if name in document and said[name] != has[name])


def _is_gone(stored: Stored, synced: Sequence[str]) -> bool:
    return stored["origin"] == "code" and not stored["deleted_from_code"] and stored["key"] not in synced


def _deleted(db: Conn, moment: Moment, old: Stored) -> SyncedDefinition:
    new = old | {"deleted_from_code": 1, "active": False}
    rows_of.write(db, moment, new, created=False)
    return SyncedDefinition(old["key"], "deleted_from_code", rows_of.differences(db, old, new), [])


def _write_version(
    db: Conn, moment: Moment, verb: SyncDefinitions, known: Sequence[Stored], synced: Sequence[str]
) -> None:
    mine = [stored for stored in rows_of.of_app(db, verb.app) if verb.app or stored["key"] in synced]
    ids = batch(stored["definition_id"] for stored in mine if stored["app_version"] != verb.version)
    db.rows(statements.load_shared("definitions")["version"], (verb.version, order_of(verb.version), ids))
    before = max((stored["app_version"] for stored in known), default="") or None
    if verb.app and before != verb.version:
        facts: Document = {"app": verb.app, "from": before, "to": verb.version}
        audit(db, moment, "syncDefinitions", None, synced, facts=facts)
