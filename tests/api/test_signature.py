"""From a signature to a schema, from arguments to a payload, and back."""

from __future__ import annotations

import enum
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta
from decimal import Decimal
from pathlib import Path
from typing import Annotated, Any, Literal, NamedTuple
from uuid import UUID

import pytest
from pydantic import BaseModel, Field
from typing_extensions import TypedDict

from jobplane import Context, Invalid, InvalidPayload, Jobplane


class Colour(enum.Enum):
    RED = "red"
    BLUE = "blue"


class Level(enum.IntEnum):
    LOW = 1


@dataclass(frozen=True)
class Point:
    x: int
    y: Decimal


class Address(BaseModel):
    street: str
    since: date | None = None


class Movie(TypedDict):
    title: str


class Pair(NamedTuple):
    a: int
    b: str


class Node(BaseModel):
    children: list[Node] = []


def everything(
    ctx: Context,
    id: UUID,  # noqa: A002 a parameter may be called as a builtin is
    at: datetime,
    day: date,
    daily_at: time,
    took: timedelta,
    price: Decimal,
    colour: Colour,
    level: Level,
    point: Point,
    address: Address,
    movie: Movie,
    pair: Pair,
    node: Node,
    copy: set[int],
    model_config: tuple[int, str],
    path: Path,
    raw: bytes,
    mode: Literal["a", "b"],
    size: Annotated[int, Field(ge=1, le=9)],
    union: int | str | None,
    _private: dict[str, list[float]],
    json: Any,
    *,
    schema: bool = False,
) -> None: ...


VALUES: dict[str, object] = {
    "id": UUID("0198c2f0-6f0d-7d53-8a34-5a2f8c0f7d11"),
    "at": datetime(2026, 1, 1, 12, 30, 1, 5, tzinfo=UTC),
    "day": date(2026, 2, 28),
    "daily_at": time(14, 30),
    "took": timedelta(days=-1, seconds=5, microseconds=7),
    "price": Decimal("1.10"),
    "colour": Colour.BLUE,
    "level": Level.LOW,
    "point": Point(1, Decimal("1E+3")),
    "address": Address(street="x", since=date(2020, 1, 1)),
    "movie": {"title": "Alien"},
    "pair": Pair(1, "b"),
    "node": Node(children=[Node(), Node(children=[Node()])]),
    "copy": {1, 2},
    "model_config": (1, "a"),
    "path": Path("/tmp/x"),
    "raw": b"bytes",
    "mode": "b",
    "size": 9,
    "union": "text",
    "_private": {"a": [1.5, 2.0]},
    "json": {"any": [1, None, "x"]},
    "schema": True,
}


def test_every_type_comes_back_as_it_went(jp: Jobplane) -> None:
    came: dict[str, object] = {}

    def catch(*args: object, **kwargs: object) -> None:
        came.update(kwargs)

    job = jp.job("everything")(everything)
    job.definition.function = catch
    jp.sync()

    jp.get(job.enqueue(**VALUES))  # pyright: ignore[reportArgumentType]
    assert jp.drain() == 1

    assert came == VALUES
    assert {name: type(value) for name, value in came.items()} == {n: type(v) for n, v in VALUES.items()}


def test_the_schema_is_closed_and_names_what_is_required(jp: Jobplane) -> None:
    @jp.job("greet")
    def greet(name: str, times: int = 1) -> None: ...

    jp.sync()
    definition = jp.get_definition("greet")

    assert definition.arg_schema == {
        "type": "object",
        "properties": {
            "name": {"type": "string", "title": "Name"},
            "times": {"type": "integer", "title": "Times", "default": 1},
        },
        "required": ["name"],
        "additionalProperties": False,
    }


@pytest.mark.parametrize(
    "wrong",
    [
        {"at": datetime(2026, 1, 1)},  # noqa: DTZ001 whose noon would it be?
        {"size": 10},
        {"mode": "c"},
        {"id": "0198c2f0-6f0d-7d53-8a34-5a2f8c0f7d11"},
        {"price": Decimal("NaN")},
        {"_private": {"a": [float("inf")]}},
        {"json": object()},
        {"schema": "yes"},
    ],
    ids=lambda wrong: next(iter(wrong)),
)
def test_a_value_that_does_not_fit_is_refused_where_it_is(jp: Jobplane, wrong: dict[str, object]) -> None:
    job = jp.job("everything")(everything)

    with pytest.raises(InvalidPayload):
        job.enqueue(**{**VALUES, **wrong})  # pyright: ignore[reportArgumentType]


def test_what_is_left_out_is_the_default_of_the_day_it_runs(jp: Jobplane) -> None:
    @jp.job("greet")
    def greet(name: str, greeting: str = "hello") -> str:
        return f"{greeting} {name}"

    jp.sync()
    handle = greet.enqueue("alice")
    jp.drain()

    assert jp.get(handle).payload == {"name": "alice"}
    assert jp.result(handle) == "hello alice"


def test_a_default_need_not_be_json(jp: Jobplane) -> None:
    marker = object()

    @jp.job("mark")
    def mark(value: int = marker) -> bool:  # pyright: ignore[reportArgumentType]
        return value is marker

    jp.sync()
    handle = mark.enqueue()
    jp.drain()

    assert jp.result(handle) is True


@pytest.mark.parametrize("key", ["", "-", "a b", "a/b", "ä", "a" * 201, "a-"])
def test_a_key_that_no_store_can_keep_is_refused_at_once(key: str) -> None:
    with pytest.raises(Invalid, match="key"):

        @Jobplane().job(key)
        def _() -> None: ...


def test_a_type_that_never_comes_is_named() -> None:
    def lost(value: Nowhere) -> None: ...  # pyright: ignore[reportUndefinedVariable, reportUnknownParameterType]  # noqa: F821

    job = Jobplane().job("lost")(lost)  # pyright: ignore[reportUnknownArgumentType]

    with pytest.raises(Invalid, match="Nowhere"):
        job.call(1)  # pyright: ignore[reportCallIssue]


class Opaque:
    pass


def _star(*values: int) -> None: ...


def _stars(**values: int) -> None: ...


def _slash(value: int, /) -> None: ...


def _untyped(value) -> None: ...  # pyright: ignore[reportUnknownParameterType, reportMissingParameterType]


def _opaque(value: Opaque) -> None: ...


def _callback(value: Callable[[], None]) -> None: ...


def _late(value: int, ctx: Context) -> None: ...


@pytest.mark.parametrize("function", [_star, _stars, _slash, _untyped, _opaque, _callback, _late])  # pyright: ignore[reportUnknownArgumentType]
def test_a_signature_that_cannot_be_a_payload_is_refused_at_once(function: Callable[..., None]) -> None:
    with pytest.raises(Invalid, match="bad-one"):
        Jobplane().job("bad-one")(function)


def test_a_type_may_be_defined_further_down(jp: Jobplane) -> None:
    @jp.job("later")
    def later(value: DefinedBelow) -> int:
        return value.n

    jp.sync()
    handle = later.enqueue(DefinedBelow(n=3))
    jp.drain()

    assert jp.result(handle) == 3


class DefinedBelow(BaseModel):
    n: int


def test_a_type_may_be_local(jp: Jobplane) -> None:
    class Local(BaseModel):
        n: int

    @jp.job("local")
    def local(value: Local) -> Local:
        return value

    jp.sync()
    handle = local.enqueue(Local(n=3))
    jp.drain()

    assert jp.result(handle) == {"n": 3}


class Grid(BaseModel):
    rows: dict[int | str, int]


def test_arguments_with_two_keys_that_are_one_in_json_are_refused() -> None:
    @Jobplane().job("count")
    def count(counts: dict[Any, int], grid: Grid | None = None) -> None: ...

    def payload(**arguments: Any) -> object:
        return count.definition.signature.payload((), arguments)

    clashes: list[dict[str, object]] = [
        {"counts": {1: 2, "1": 3}},
        {"counts": {}, "grid": Grid(rows={1: 2, "1": 3})},
    ]
    for arguments in clashes:
        with pytest.raises(
            InvalidPayload, match=r'The arguments of job count cannot be JSON: .* both "1" in JSON\. Rename one of them'
        ):
            payload(**arguments)
    assert payload(counts={1: 2, "2": 3}) == {"counts": {"1": 2, "2": 3}}
