"""Small nouns: three functions each, which take and answer alike."""

from __future__ import annotations

from collections.abc import Callable
from operator import itemgetter
from typing import Any, LiteralString, TypeVar

from jobplane.core.decoding import Read, Reader, names_of
from jobplane.core.documents import documents
from jobplane.core.paging import Page, page_of
from jobplane.core.payload import encode_document
from jobplane.store.postgres.calls.call import Call, Role, Rows, asks
from jobplane.store.verbs.nouns import Deletes, Lists, Puts

Value = TypeVar("Value")


def put(role: Role, function: LiteralString, key: str = "name") -> Callable[[Puts], Call[list[str]]]:
    """`put_x(p_documents jsonb)`, which answers the keys that were new."""
    statement = "select jobplane." + function + "(p_documents => %s::jsonb)"

    def call(verb: Puts) -> Call[list[str]]:
        encoded = [encode_document(document, "document") for document in documents(verb.documents, key)]
        return Call(role, statement, (f"[{','.join(encoded)}]",), firsts)

    return call


def page(
    role: Role, function: LiteralString, kind: type[Value], key: str = "name", **reads: Read
) -> Callable[[Lists], Call[Page[Value, str]]]:
    """`list_x(p_limit int, p_after text)`, in the order of the key."""
    statement = asks(kind) + function + "(p_limit => %s::int, p_after => %s::text)"
    read, cursor = Reader(kind, **reads), itemgetter(names_of(kind).index(key))

    def call(verb: Lists) -> Call[Page[Value, str]]:
        return Call(role, statement, (verb.limit, verb.after), lambda rows: page_of(rows, verb.limit, read, cursor))

    return call


def delete(role: Role, function: LiteralString) -> Callable[[Deletes], Call[list[str]]]:
    """`delete_x(text[])`, which answers the keys that were deleted."""
    statement = "select jobplane." + function + "(%s::text[])"
    return lambda verb: Call(role, statement, (list(verb.ids),), firsts)


def firsts(rows: Rows) -> list[Any]:
    """The first column."""
    return [row[0] for row in rows]
