"""A call of one function, and the ways to write its arguments."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final, Generic, Literal, LiteralString, TypeVar, cast
from uuid import UUID

from jobplane.core.actors import Actor
from jobplane.core.decoding import names_of
from jobplane.core.errors import Invalid, JobplaneError

Answer = TypeVar("Answer")
Role = Literal["app", "worker", "scheduler", "admin", "maintenance"]
Rows = list[tuple[Any, ...]]

_DOOR_OPENS: Final = (
    "select v.* from (select set_config('jobplane.tenant_id', %s, true) as tenant offset 0) s, lateral ("
)
_DOOR_SHUTS: Final = " f where s.tenant is not null offset 0) v"
# The same for the actor, around any statement.
_ACTOR_OPENS: Final = (
    "select w.* from (select set_config('jobplane.actor', %s, true) as actor offset 0) a, lateral (select x.* from ("
)
_ACTOR_SHUTS: Final = ") x where a.actor is not null offset 0) w"


def reraise(error: JobplaneError) -> Any:
    """An error is no answer, as a rule."""
    raise error


@dataclass(frozen=True, slots=True)
class Call(Generic[Answer]):
    """One statement for one login; `read` turns its rows into the verb's answer, `refused` an error that is one.

    `binary`: how the rows come, which is for rows that are large.
    """

    role: Role
    statement: LiteralString
    parameters: tuple[object, ...]
    read: Callable[[Rows], Answer]
    refused: Callable[[JobplaneError], Answer] = reraise
    binary: bool = False

    def by(self, actor: Actor) -> Call[Answer]:
        """The same call, made by an actor. Nothing of it stays on the connection."""
        statement = _ACTOR_OPENS + self.statement + _ACTOR_SHUTS
        return replace(self, statement=statement, parameters=(actor.encode(), *self.parameters))


def asks(row: type, *more: str) -> LiteralString:
    """`select … from`, by the names of the class that a row becomes: a column that is added later is not asked for."""
    return cast("LiteralString", f"select {', '.join((*names_of(row), *more))} from jobplane.")  # noqa: S608 our names


def door(
    tenant: UUID,
    asked: LiteralString,
    function: LiteralString,
    parameters: tuple[object, ...],
    read: Callable[[Rows], Answer],
) -> Call[Answer]:
    """A tenant's verb."""
    return Call("app", door_statement(asked, function), (str(tenant), *parameters), read)


def door_statement(asked: LiteralString, function: LiteralString) -> LiteralString:
    """One statement that sets the tenant and then calls the function; nothing stays on the connection.

    The function's subquery depends on the setting's row, so no plan can call it first.
    """
    return _DOOR_OPENS + asked + function + _DOOR_SHUTS


def array(values: Iterable[object]) -> str:
    """An array of numbers, uuids or words as its literal text: half the cost of a list in the driver."""
    return "{" + ",".join("NULL" if value is None else str(value) for value in values) + "}"


def texts(values: Iterable[str | None]) -> str:
    """An array of texts as its literal: a tenth of the cost of a list in the driver."""
    return "{" + ",".join("NULL" if value is None else _quote(value) for value in values) + "}"


def _quote(value: str) -> str:
    return '"' + value.replace("\\", "\\\\").replace('"', '\\"') + '"'


def uuids(values: Iterable[object]) -> str:
    """An array of uuids, and nothing that could break out of its literal."""
    ids = list(values)
    if strange := [value for value in ids if not isinstance(value, UUID)]:
        raise Invalid(f"An id must be a UUID, not {type(strange[0]).__name__}.")
    return array(ids)


def column(values: Sequence[object]) -> list[object] | None:
    """A column of a batch; None where no row has a value, which the functions read as their default."""
    return list(values) if any(value is not None for value in values) else None


def one(rows: Rows) -> Any:
    """The only value of the only row."""
    return rows[0][0]


def nothing(_rows: Rows) -> None:
    """A verb without an answer."""
