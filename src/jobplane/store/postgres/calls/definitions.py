"""Definitions: what code brings, and what people make and change."""

from __future__ import annotations

from operator import itemgetter
from typing import Final, LiteralString
from uuid import UUID

from jobplane.core.decoding import Reader, as_object, as_texts, loads, optional
from jobplane.core.definition_values import judge_key, judge_values
from jobplane.core.definitions import SyncedDefinition, code_of, digest_of
from jobplane.core.errors import DefinitionNotFound
from jobplane.core.model import Backoff, Definition, Document
from jobplane.core.paging import Page, Row, page_of
from jobplane.core.payload import encode_document
from jobplane.core.schema import check_schema
from jobplane.core.versions import order_of
from jobplane.store.postgres.calls.call import Call, Role, Rows, asks, uuids
from jobplane.store.postgres.calls.nouns import firsts
from jobplane.store.verbs.engine import PutDefinitions, SyncDefinitions
from jobplane.store.verbs.operator import ChangeDefinition, CreateDefinition, DeleteDefinition, ListDefinitions

_BACKOFF: Final = "backoff_base, backoff_factor, backoff_cap, backoff_jitter"
_DEFINITION: Final = asks(Definition).replace("backoff", _BACKOFF)
_SYNCED: Final = asks(SyncedDefinition)
_read_definition: Final = Reader(
    Definition,
    backoff=lambda numbers: Backoff(*numbers),
    tags=as_texts,
    overridden=as_texts,
    code=optional(as_object),
    metadata=as_object,
    default_payload=optional(as_object),
    command=optional(as_object),
)


def put_definitions(verb: PutDefinitions) -> Call[list[str]]:
    """The worker's login may put definitions too, and no admin's is asked for where it is enough."""
    documents = [_encoded(definition) for definition in verb.definitions]
    role: Role = "admin" if verb.by_person else "worker"
    statement = "select key from jobplane.put_definitions(%s::text[]::jsonb[], %s::boolean)"
    return Call(role, statement, (documents, verb.by_person), firsts)


def sync_definitions(verb: SyncDefinitions) -> Call[list[SyncedDefinition]]:
    documents = [_encoded(definition) for definition in verb.definitions]
    digests = [digest_of(code_of(loads(document))) for document in documents]
    return Call(
        "worker",
        _SYNCED + "sync_definitions(%s::text, %s::text, %s::text, %s::text[]::jsonb[], %s::text[], %s::boolean,"
        " %s::boolean, %s::boolean)",
        (verb.app, verb.version, order_of(verb.version), documents, digests, verb.force, verb.whole, verb.dry_run),
        lambda rows: [SyncedDefinition(*row) for row in rows],
    )


def list_definitions(verb: ListDefinitions) -> Call[Page[Definition, str]]:
    named = None if verb.keys is None else list(verb.keys)
    ids = None if verb.ids is None else uuids(verb.ids)
    return Call(
        "app",
        _DEFINITION + "get_definitions(%s::text[], %s::int, %s::text, %s::boolean, %s::uuid[])",
        (named, verb.limit, verb.after, verb.include_system, ids),
        lambda rows: page_of(rows, verb.limit, _definition, itemgetter(1)),
    )


def create_definition(verb: CreateDefinition) -> Call[Definition]:
    document = _encoded(verb.document)
    return _one("jobplane.create_definition(%s::jsonb)", (document,))


def change_definition(verb: ChangeDefinition) -> Call[Definition]:
    changes = encode_document(verb.changes, "changes")
    judge_values(as_object(loads(changes)))
    parameters = (*_named(verb.definition), changes, verb.revision)
    return _one("jobplane.change_definition(%s::text, %s::uuid, %s::jsonb, %s::int)", parameters)


def _encoded(definition: Document) -> str:
    """The JSON of a document that has a key and values which a definition may have."""
    text = encode_document(check_schema(definition), "definition")
    document = as_object(loads(text))
    judge_key(document)
    judge_values(document)
    return text


def delete_definition(verb: DeleteDefinition) -> Call[Definition]:
    parameters = (*_named(verb.definition), verb.revision)
    return _one("jobplane.delete_definition(%s::text, %s::uuid, %s::int)", parameters)


def _one(call: LiteralString, parameters: tuple[object, ...]) -> Call[Definition]:
    """A call that answers a key, and the definition of that key: the function sees what the call has written."""
    return Call("admin", _DEFINITION + "get_definitions(array[" + call + "])", parameters, _first)


def _first(rows: Rows) -> Definition:
    if not rows:
        raise DefinitionNotFound("The definition is gone. Create it again.")
    return _definition(rows[0])


def _named(definition: UUID | str) -> tuple[str | None, UUID | None]:
    return (None, definition) if isinstance(definition, UUID) else (definition, None)


def _definition(row: Row) -> Definition:
    """Columns 9 to 12 are the four numbers of the backoff."""
    return _read_definition((*row[:9], row[9:13], *row[13:]))
