"""A tenant's call on a connection that the application lends: texts go in, one text comes out, whatever the driver.

Drivers differ in how they send arrays and read uuids, times and JSON, and an application may have taught its own
another way. A text is the same in all of them.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Sequence
from datetime import datetime
from functools import cache
from typing import Any, Final, cast
from uuid import UUID

from jobplane.core.decoding import FAULTS, loads
from jobplane.core.errors import Invalid
from jobplane.store.postgres.calls.call import Rows

# Each subquery depends on a column of the one before it and cannot be pulled up, so no plan can change their order:
# look at the settings, call, put the settings back. A setting that was never made reads as empty from then on, which
# the policies take for the same.
_OPENS: Final = (
    "select c.answer from"
    " (select coalesce(current_setting('jobplane.tenant_id', true), '') as tenant,"
    " coalesce(current_setting('jobplane.actor', true), '') as actor offset 0) b,"
    " lateral (select coalesce(json_agg(r), '[]')::text as answer from ("
)
_SHUTS: Final = (
    ") r where b.tenant is not null offset 0) c,"
    " lateral (select set_config('jobplane.tenant_id', b.tenant, true) as tenant,"
    " set_config('jobplane.actor', b.actor, true) as actor where c.answer is not null offset 0) a"
    " where a.tenant is not null and a.actor is not null"
)
# The search path is the caller's: every name that it could lead astray is written out.
_FUNCTION: Final = re.compile(r"\b(current_setting|set_config|json_agg)\(")
_TYPE: Final = re.compile(r"::(text|uuid|jsonb|timestamptz|float8)\b")
# A document comes as a text of its own: one that cannot be decoded spoils no other.
_DOCUMENT: Final = re.compile(r"(?<=, )(payload|metadata|result|triggered_by)(?=,)")
_READERS: Final[dict[str, Callable[[Any], object]]] = {
    **dict.fromkeys(("id", "job_id", "tenant_id", "trigger_id"), UUID),
    **dict.fromkeys(("payload", "metadata", "result", "triggered_by"), loads),
    "scheduled_for": datetime.fromisoformat,
    "progress": float,  # JSON has no NaN: it comes as a text
}


@cache
def lent_statement(statement: str) -> str:
    """The call, with every parameter a text and all its rows in one JSON array; the caller's tenant is put back."""
    whole = _OPENS + _DOCUMENT.sub(r"\1::text as \1", statement.replace("%s", "%s::text")) + _SHUTS
    return _TYPE.sub(r"::pg_catalog.\1", _FUNCTION.sub(r"pg_catalog.\1(", whole))


def texts(parameters: Sequence[object]) -> list[str | None]:
    """Each parameter as PostgreSQL would read it from a text."""
    return [_text(parameter) for parameter in parameters]


def _text(value: object) -> str | None:
    if value is None:
        return None
    if isinstance(value, list):
        return "{" + ",".join(map(_element, cast("list[object]", value))) + "}"
    if isinstance(value, datetime):
        return value.isoformat()
    # Not str(value): an enum of strings would give its own name.
    return str.__str__(value) if isinstance(value, str) else str(value)


def _element(value: object) -> str:
    text = _text(value)
    return "NULL" if text is None else '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'


def unfold(rows: Rows) -> Rows:
    """The rows of the call, with the types that its reader expects."""
    [[answer]] = rows
    return [tuple(_read_value(name, value) for name, value in row.items()) for row in json.loads(answer)]


def _read_value(name: str, value: Any) -> Any:
    """A value with its type, or its bytes where it has none in Python."""
    if value is None:
        return None
    read = _reader(name)
    try:
        return read(value) if read else value
    except FAULTS:
        return str(value).encode()


@cache
def _reader(name: str) -> Callable[[Any], object] | None:
    """How to read a column of a door: its name says what it is."""
    return datetime.fromisoformat if name.endswith("_at") else _READERS.get(name)


def require_postgres(conn: object) -> None:
    """Refuse a connection to another database before it is asked something it cannot understand."""
    dialect = getattr(conn, "dialect", "postgresql")
    if dialect != "postgresql":
        raise Invalid(
            f"The conn is a connection to {dialect}, but the jobs are in PostgreSQL. Pass one to that database."
        )
