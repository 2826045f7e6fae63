"""Small nouns: rows that are put, listed and deleted by one list of columns."""
# ruff: noqa: S608 - statements are made of names that are written in the code

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Generic, TypeVar, cast

from jobplane.core import bounds
from jobplane.core.decoding import Read, Reader, loads, names_of
from jobplane.core.documents import documents
from jobplane.core.errors import Invalid, TenantNotFound
from jobplane.core.model import Document
from jobplane.core.paging import MOST, Page, page_of
from jobplane.core.payload import encode_document
from jobplane.store.base import Conn
from jobplane.store.sqlite import checks
from jobplane.store.sqlite.cursors import cursor_of, key_of
from jobplane.store.sqlite.moment import Moment
from jobplane.store.sqlite.verbs.arrays import batch
from jobplane.store.sqlite.verbs.moves import tenant_no
from jobplane.store.sqlite.verbs.tenants import refuse_unknown
from jobplane.store.verbs.nouns import Deletes, Lists, Owned, Puts

Value = TypeVar("Value")
Check = Callable[[str, Any], object]


class Noun(Generic[Value]):
    """A table of values. `columns` has what a document may name, the key first, and how each value is judged.

    The table has a `created_at`, and a default for every other column that is not `required` in a new document. With
    a `tenant_no` it is the tenants', and so are the verbs. `page` is a statement that lists more than the table's own
    columns; `reads` has a function for each of them that is more than a text or a number.
    """

    def __init__(
        self,
        kind: type[Value],
        table: str,
        columns: Mapping[str, Check],
        *,
        required: Sequence[str] = (),
        has_tenant: bool = False,
        page: str | None = None,
        **reads: Read,
    ) -> None:
        self._columns = columns
        self._key, *rest = columns
        self._required = frozenset(required)
        self._has_tenant = has_tenant
        self._read = Reader(kind, **reads)
        self._key_at = names_of(kind).index(self._key)
        sql = _Statements(table, self._key, has_tenant)
        self._found, self._insert = sql.find(), sql.insert(required)
        self._update, self._delete = sql.update(rest), sql.delete()
        self._page = page or sql.page(names_of(kind))

    def put(self, db: Conn, moment: Moment, verb: Puts) -> list[str]:
        """Make or change rows; the keys that were new. A value that a document does not name stays."""
        asked = {document[self._key]: document for document in map(self._check, documents(verb.documents, self._key))}
        whose = self._whose(db, verb)
        if 0 in whose:
            raise TenantNotFound("There is no such tenant.")
        there = {row[0] for row in db.rows(self._found, (*whose, batch(asked)))}
        new = {key: document for key, document in asked.items() if key not in there}
        self._require(new.values())
        if new:
            db.rows(self._insert, (*whose, moment.now, batch(new.values())))
        if changes := [document for document in asked.values() if len(document) > 1]:
            db.rows(self._update, (batch(changes), *whose))
        return [*new]

    def page(self, db: Conn, _: Moment, verb: Lists) -> Page[Value, str]:
        """A page in the order of the key."""
        most = min(max(bounds.whole("limit", verb.limit), 1), MOST)
        rows = db.rows(self._page, (*self._whose(db, verb), key_of(verb.after), most))
        return page_of(rows, most, self._read, lambda row: cursor_of(row[self._key_at]))

    def delete(self, db: Conn, _: Moment, verb: Deletes) -> list[str]:
        """The keys that were deleted; one that is not there is left out."""
        keys = batch(checks.texts(self._key, verb.ids))
        return [row[0] for row in db.rows(self._delete, (*self._whose(db, verb), keys))]

    def _check(self, document: Document) -> Mapping[str, Any]:
        named: Mapping[str, Any] = loads(encode_document(document, "document"))
        refuse_unknown(named, tuple(self._columns))
        return {name: self._columns[name](name, value) for name, value in named.items()}

    def _require(self, new: Iterable[Mapping[str, Any]]) -> None:
        for document in new:
            if missing := sorted(self._required - document.keys()):
                raise Invalid(f'The document of {self._key} "{document[self._key]}" must have {", ".join(missing)}.')

    def _whose(self, db: Conn, verb: object) -> tuple[int, ...]:
        return (tenant_no(db, cast("Owned", verb).tenant),) if self._has_tenant else ()


class _Statements:
    """The statements of a noun, made of the names that its declaration has."""

    def __init__(self, table: str, key: str, has_tenant: bool) -> None:
        self._table = table
        self._key = key
        self._ours = "tenant_no = ? and " if has_tenant else ""
        self._owner = ("tenant_no",) if has_tenant else ()

    def find(self) -> str:
        return f"select {self._key} from {self._table} where {self._where_named()}"

    def insert(self, required: Sequence[str]) -> str:
        first, given = (*self._owner, "created_at"), (self._key, *required)
        values = ", ".join((*("?" for _ in first), *(f"value ->> '{name}'" for name in given)))
        return f"insert into {self._table} ({', '.join((*first, *given))}) select {values} from json_each(?)"

    def update(self, columns: Sequence[str]) -> str:
        new = ", ".join(f"{c} = iif(d.value -> '{c}' is null, t.{c}, d.value ->> '{c}')" for c in columns)
        where = f"{self._ours}t.{self._key} = d.value ->> '{self._key}'"
        return f"update {self._table} as t set {new} from json_each(?) d where {where}"

    def page(self, columns: Sequence[str]) -> str:
        where = f"{self._ours}{self._key} > cast(? as text)"
        return f"select {', '.join(columns)} from {self._table} where {where} order by {self._key} limit ?"

    def delete(self) -> str:
        return f"delete from {self._table} where {self._where_named()} returning {self._key}"

    def _where_named(self) -> str:
        return f"{self._ours}{self._key} in (select value from json_each(?))"
