"""Small nouns: three functions each, which take and answer alike. Those of the role `app` are a tenant's."""

from __future__ import annotations

from collections.abc import Callable
from operator import itemgetter
from typing import Any, LiteralString, TypeVar, cast

from jobplane.core.decoding import Read, Reader, names_of
from jobplane.core.documents import documents
from jobplane.core.paging import Page, page_of
from jobplane.core.payload import encode_document
from jobplane.store.postgres.calls.call import Call, Role, Rows, asks, door
from jobplane.store.verbs.nouns import Deletes, Lists, Owned, Puts

Answer = TypeVar("Answer")
Value = TypeVar("Value")


def put(role: Role, function: LiteralString, key: str = "name") -> Callable[[Puts], Call[list[str]]]:
    """`put_x(p_documents jsonb)`, which answers the keys that were new."""

    def call(verb: Puts) -> Call[list[str]]:
        encoded = [encode_document(document, "document") for document in documents(verb.documents, key)]
        parameters = (f"[{','.join(encoded)}]",)
        return _call(role, verb, "select * from jobplane.", function + "(p_documents => %s::jsonb)", parameters, firsts)

    return call


def page(
    role: Role, function: LiteralString, kind: type[Value], key: str = "name", **reads: Read
) -> Callable[[Lists], Call[Page[Value, str]]]:
    """`list_x(p_limit int, p_after text)`, in the order of the key."""
    asked, asks_for = asks(kind), function + "(p_limit => %s::int, p_after => %s::text)"
    read, cursor = Reader(kind, **reads), itemgetter(names_of(kind).index(key))

    def call(verb: Lists) -> Call[Page[Value, str]]:
        def read_page(rows: Rows) -> Page[Value, str]:
            return page_of(rows, verb.limit, read, cursor)

        return _call(role, verb, asked, asks_for, (verb.limit, verb.after), read_page)

    return call


def delete(role: Role, function: LiteralString) -> Callable[[Deletes], Call[list[str]]]:
    """`delete_x(text[])`, which answers the keys that were deleted."""
    asks_for = function + "(%s::text[])"
    return lambda verb: _call(role, verb, "select * from jobplane.", asks_for, (list(verb.ids),), firsts)


def _call(
    role: Role,
    verb: object,
    asked: LiteralString,
    function: LiteralString,
    parameters: tuple[object, ...],
    read: Callable[[Rows], Answer],
) -> Call[Answer]:
    if role == "app":
        return door(cast("Owned", verb).tenant, asked, function, parameters, read)
    return Call(role, asked + function, parameters, read)


def firsts(rows: Rows) -> list[Any]:
    """The first column."""
    return [row[0] for row in rows]
