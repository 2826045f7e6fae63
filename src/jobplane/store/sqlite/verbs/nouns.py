"""Small nouns: rows that are put, listed and deleted by one list of columns."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Generic, TypeVar

from jobplane.core import bounds
from jobplane.core.decoding import Read, Reader, loads, names_of
from jobplane.core.documents import documents
from jobplane.core.model import Document
from jobplane.core.paging import MOST, Page, page_of
from jobplane.core.payload import encode_document
from jobplane.store.base import Conn
from jobplane.store.sqlite import checks
from jobplane.store.sqlite.cursors import cursor_of, key_of
from jobplane.store.sqlite.moment import Moment
from jobplane.store.sqlite.verbs.batch import batch
from jobplane.store.sqlite.verbs.tenants import refuse_unknown
from jobplane.store.verbs.nouns import Deletes, Lists, Puts

Value = TypeVar("Value")
Check = Callable[[str, Any], object]


class Noun(Generic[Value]):
    """A table of values. `columns` has what a document may name, the key first, and how each value is judged.

    The table has a `created_at`, and a default for every column but the key. `page` is a statement that lists more
    than the table's own columns; `reads` has a function for each of them that is more than a text or a number.
    """

    def __init__(
        self, kind: type[Value], table: str, columns: Mapping[str, Check], *, page: str | None = None, **reads: Read
    ) -> None:
        self._columns = columns
        self._key, *rest = columns
        self._key_at = names_of(kind).index(self._key)
        self._read = Reader(kind, **reads)
        self._insert = _insert(table, self._key)
        self._update = _update(table, self._key, rest)
        self._page = page or _page(table, self._key, names_of(kind))
        self._delete = (
            f"delete from {table} where {self._key} in (select value from json_each(?)) returning {self._key}"  # noqa: S608 our names
        )

    def put(self, db: Conn, moment: Moment, verb: Puts) -> list[str]:
        """Make or change rows; the keys that were new. A value that a document does not name stays."""
        asked = [self._checked(document) for document in documents(verb.documents, self._key)]
        new = [row[0] for row in db.rows(self._insert, (self._key, moment.now, batch(asked)))]
        if changes := [document for document in asked if len(document) > 1]:
            db.rows(self._update, (batch(changes),))
        return new

    def _checked(self, document: Document) -> Mapping[str, Any]:
        named: Mapping[str, Any] = loads(encode_document(document, "document"))
        refuse_unknown(named, tuple(self._columns))
        return {name: self._columns[name](name, value) for name, value in named.items()}

    def page(self, db: Conn, _: Moment, verb: Lists) -> Page[Value, str]:
        """A page in the order of the key."""
        most = min(max(bounds.whole("limit", verb.limit), 1), MOST)
        rows = db.rows(self._page, (key_of(verb.after), most))
        return page_of(rows, most, self._read, lambda row: cursor_of(row[self._key_at]))

    def delete(self, db: Conn, _: Moment, verb: Deletes) -> list[str]:
        """The keys that were deleted; one that is not there is left out."""
        return [row[0] for row in db.rows(self._delete, (batch(checks.texts(self._key, verb.ids)),))]


def _insert(table: str, key: str) -> str:
    return (
        f"insert into {table} ({key}, created_at) select value ->> ?, ? from json_each(?)"  # noqa: S608 our names
        f" where true on conflict do nothing returning {key}"
    )


def _update(table: str, key: str, columns: Sequence[str]) -> str:
    new = ", ".join(f"{c} = iif(d.value -> '{c}' is null, t.{c}, d.value ->> '{c}')" for c in columns)
    return f"update {table} as t set {new} from json_each(?) d where t.{key} = d.value ->> '{key}'"  # noqa: S608 our names


def _page(table: str, key: str, columns: Sequence[str]) -> str:
    shown = ", ".join(columns)
    return f"select {shown} from {table} where {key} > cast(? as text) order by {key} limit ?"  # noqa: S608 our names
