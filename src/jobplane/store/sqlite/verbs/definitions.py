"""Definitions: what may run, as documents that change what they name."""

from __future__ import annotations

from typing import Any, Final
from uuid import UUID

from jobplane.core import bounds
from jobplane.core.decoding import Reader, as_object, loads, optional, texts
from jobplane.core.definitions import DEFAULTS, MERGED, NULLABLE, OVERRIDABLE, merged
from jobplane.core.errors import AlreadyExists, DefinitionInUse, DefinitionNotFound, Invalid, RevisionMismatch
from jobplane.core.model import Backoff, Definition
from jobplane.core.paging import Page, page_of
from jobplane.core.payload import encode_document
from jobplane.store.base import Conn
from jobplane.store.sqlite import checks, statements
from jobplane.store.sqlite.cursors import cursor_of, key_of
from jobplane.store.sqlite.moment import Moment, instant
from jobplane.store.sqlite.verbs import definition_rows as rows_of
from jobplane.store.sqlite.verbs.arrays import batch
from jobplane.store.sqlite.verbs.audit import audit
from jobplane.store.sqlite.verbs.definition_rows import Stored
from jobplane.store.sqlite.verbs.tenants import refuse_unknown
from jobplane.store.verbs.engine import PutDefinitions
from jobplane.store.verbs.operator import ChangeDefinition, CreateDefinition, DeleteDefinition, ListDefinitions

_ACTIONS: Final = {True: "enableDefinition", False: "disableDefinition"}
_USED_BY: Final = {"builtin": "jobplane"}
_NEEDS: Final = {
    "jobplane": "jobplane needs it. Disable it instead.",
    "triggers": "triggers name it. Delete them first, or disable the definition.",
}
_document: Final = optional(lambda text: as_object(loads(text)))
_read: Final = Reader(
    Definition,
    arg_schema=loads,
    backoff=lambda numbers: Backoff(*numbers),
    active=bool,
    tags=texts,
    created_at=instant,
    updated_at=instant,
    id=UUID,
    overridden=texts,
    code=_document,
    deleted_from_code=bool,
    deleted_at=instant,
    system=bool,
    metadata=lambda text: as_object(loads(text)),
    default_payload=_document,
    command=_document,
)


def put_definitions(db: Conn, moment: Moment, verb: PutDefinitions) -> list[str]:
    """One bad document refuses the whole call: it is configuration."""
    documents = [rows_of.read_document(definition) for definition in verb.definitions]
    for document in sorted(documents, key=lambda document: document["key"]):
        _put(db, moment, document, by_person=verb.by_person)
    return sorted({document["key"] for document in documents})


def _put(db: Conn, moment: Moment, document: dict[str, Any], *, by_person: bool) -> None:
    found = rows_of.find(db, document["key"])
    old = found or rows_of.insert(db, moment, document)
    if document.get("origin") not in (None, "db"):
        rows_of.refuse_command(old)
        old = rows_of.without_command(old)
    is_code = old["origin"] == "code"
    kept = set[str]() if by_person or not is_code else {*rows_of.overridden(old)} - {"active"}
    new = rows_of.changed(db, old, {name: value for name, value in document.items() if name not in kept})
    is_back = old["deleted_from_code"] and not by_person and document.get("origin") == "code"
    if is_back or old["deleted_at"] is not None:
        active = document.get("active")
        new["active"] = "active" not in rows_of.overridden(old) if active is None else active
        new["deleted_from_code"], new["deleted_at"] = old["deleted_from_code"] and by_person, None
    if is_code:  # no code names active: that is a person's
        named = document if by_person else document.keys() & {"active"}
        new["overridden"] = rows_of.overridden_by(new, named)
    rows_of.write(db, moment, new, created=found is None)
    if by_person:
        before = None if found is None else rows_of.document_of(db, old)
        audit(db, moment, "putDefinition", None, [old["key"]], before, rows_of.document_of(db, new))


def create_definition(db: Conn, moment: Moment, verb: CreateDefinition) -> Definition:
    document = rows_of.read_document(verb.document, ("key", "arg_schema", "command", *OVERRIDABLE))
    found = rows_of.find(db, document["key"])
    if found is not None and found["deleted_at"] is None:
        message = f'There is a definition "{document["key"]}" already. Change it, or use another key.'
        raise AlreadyExists(message, key=document["key"])
    old = rows_of.without_command(found or rows_of.insert(db, moment, document))
    new = rows_of.changed(db, rows_of.changed(db, old, {**DEFAULTS}), document)
    new |= {"app": "", "app_version": "", "app_version_order": None, "overridden": "[]", "code": None}
    new |= {"definition_hash": None, "deleted_from_code": 0, "deleted_at": None}
    rows_of.write(db, moment, new, created=found is None)
    audit(db, moment, "createDefinition", None, [new["key"]], None, rows_of.document_of(db, new))
    return _get(db, new["key"])


def change_definition(db: Conn, moment: Moment, verb: ChangeDefinition) -> Definition:
    changes: dict[str, Any] = loads(encode_document(verb.changes, "changes"))
    refuse_unknown(changes, ("arg_schema", "command", *OVERRIDABLE))
    if missing := sorted(name for name, value in changes.items() if value is None and name not in NULLABLE):
        raise Invalid(f"A definition needs a value for {', '.join(missing)}. Give one, or leave it out.")
    old = _found(db, verb.definition, verb.revision)
    if "arg_schema" in changes and old["origin"] != "db":
        raise Invalid(f'The arg_schema of definition "{old["key"]}" comes from its code. Change it there.')
    before = rows_of.document_of(db, old)
    patched = {name: merged(before[name], changes[name]) for name in MERGED if changes.get(name) is not None}
    new = rows_of.changed(db, old, changes | patched)
    if old["origin"] in ("code", "builtin"):
        new["overridden"] = rows_of.overridden_by(new, changes)
    if not rows_of.is_same(old, new):
        rows_of.write(db, moment, new, created=False)
    action = _ACTIONS[changes["active"]] if [*changes] == ["active"] else "changeDefinition"
    audit(db, moment, action, None, [old["key"]], before, rows_of.document_of(db, new))
    return _get(db, old["key"])


def delete_definition(db: Conn, moment: Moment, verb: DeleteDefinition) -> Definition:
    old = _found(db, verb.definition, verb.revision)
    _refuse_used(db, old)
    rows_of.write(db, moment, old | {"deleted_at": moment.now, "active": False}, created=False)
    audit(db, moment, "deleteDefinition", None, [old["key"]], rows_of.document_of(db, old))
    return _get(db, old["key"])


def _refuse_used(db: Conn, stored: Stored) -> None:
    """Refuse to delete a definition that something needs."""
    used_by = _USED_BY.get(stored["origin"])
    if used_by is None and db.rows(statements.load_verb("delete_definition")["triggers"], (stored["definition_id"],)):
        used_by = "triggers"
    if used_by is not None:
        message = f'Cannot delete definition "{stored["key"]}": {_NEEDS[used_by]}'
        raise DefinitionInUse(message, key=stored["key"], used_by=used_by)


def _found(db: Conn, definition: UUID | str, revision: int | None) -> Stored:
    """By key or id; one that was deleted is not found."""
    is_id = isinstance(definition, UUID)
    found = rows_of.find_id(db, str(definition)) if is_id else rows_of.find(db, checks.text("key", definition))
    if found is None or found["deleted_at"] is not None:
        shown = str(definition) if is_id else f'"{definition!s:.200}"'
        raise DefinitionNotFound(f"There is no definition {shown}. List them with list_definitions.")
    if revision is not None and bounds.whole("revision", revision) != found["revision"]:
        key, has = found["key"], found["revision"]
        message = f'Definition "{key}" has revision {has}, not {revision}. Read it again, and repeat the change.'
        raise RevisionMismatch(message, key=key, revision=has)
    return found


def list_definitions(db: Conn, _: Moment, verb: ListDefinitions) -> Page[Definition, str]:
    most = min(max(bounds.whole("limit", verb.limit), 1), 1000)
    after = key_of(verb.after)
    sql = statements.load_verb("get_definitions")
    if verb.ids is not None:
        rows = db.rows(sql["identified"], (after, batch(checks.uuids(verb.ids)), most))
    elif verb.keys is not None:
        rows = db.rows(sql["named"], (after, batch(checks.texts("definition key", verb.keys)), most))
    else:
        rows = db.rows(sql["page"], (after, verb.include_system, most))
    return page_of(rows, most, _definition, lambda row: cursor_of(row[1]))


def _get(db: Conn, key: str) -> Definition:
    return _definition(db.rows(statements.load_verb("get_definitions")["named"], ("", batch([key]), 1))[0])


def _definition(row: tuple[Any, ...]) -> Definition:
    """Columns 9 to 12 are the four numbers of the backoff."""
    return _read([*row[:9], row[9:13], *row[13:]])
