"""Rows as values: what cannot be decoded is None, and named."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import NamedTuple
from uuid import UUID

import pytest

from jobplane.core import decoding
from jobplane.core.decoding import FAULTS, Reader, document, loads, names_of, optional, readable, texts
from jobplane.core.errors import InvalidPayload

ID = UUID(int=7)
DEEP = "[" * 100_000


@dataclass(frozen=True)
class Thing:
    id: UUID
    name: str
    payload: dict[str, int]
    at: datetime | None
    undecodable: tuple[str, ...] = ()


class Pair(NamedTuple):
    one: str
    two: str | None
    undecodable: tuple[str, ...] = ()


read = Reader(Thing, id=UUID, payload=document, at=optional(datetime.fromisoformat))


def test_a_row_that_can_be_decoded_has_no_mark() -> None:
    assert read((str(ID), "n", '{"a":1}', None)) == Thing(ID, "n", {"a": 1}, None, ())
    assert Reader(Pair)(("a", None)) == ("a", None, ())


@pytest.mark.parametrize(
    ("row", "bad"),
    [
        (("x", "n", "{}", None), ("id",)),
        ((str(ID), b"\xff", "{}", None), ("name",)),
        ((str(ID), "n", "[]", None), ("payload",)),
        ((str(ID), "n", None, None), ("payload",)),
        ((str(ID), "n", DEEP, "infinity"), ("payload", "at")),
        ((b"\xff", b"\xff", b"\xff", b"\xff"), ("id", "name", "payload", "at")),
    ],
)
def test_every_column_that_cannot_be_decoded_is_none_and_named(row: tuple[object, ...], bad: tuple[str, ...]) -> None:
    found = read(row)

    assert found.undecodable == bad
    assert all(getattr(found, name) is None for name in bad)
    assert ("id" in bad) or found.id == ID


def test_the_mark_is_no_column() -> None:
    assert names_of(Thing) == ("id", "name", "payload", "at")
    assert names_of(Pair) == ("one", "two")


@pytest.mark.parametrize(
    "text", ["", "{", '{"a":NaN}', "[-Infinity]", r'["\ud800"]', "1" * 5000, DEEP, '["\n"]', b"{}"]
)
def test_what_is_no_json_raises(text: object) -> None:
    with pytest.raises(FAULTS):
        loads(text)
    assert readable(text, loads) is None


@pytest.mark.parametrize(
    ("text", "value"), [(None, None), ('{"a": [1, "\\u00fc", "\\ud83d\\ude00"]}', {"a": [1, "ü", "😀"]}), ("5", 5)]
)
def test_json_is_read_as_it_is(text: str | None, value: object) -> None:
    assert loads(text) == value


@pytest.mark.parametrize("text", ['{"a":1}', ' {"a":1}', '{"a":1}\n', '\t{ "a" :\r\n1 }  '])
def test_white_space_around_an_object_is_harmless(text: str) -> None:
    assert document(text) == {"a": 1}


@pytest.mark.parametrize(
    "text", [None, "", b"{}", '{"a":1}{}', '{"a":1} }', "{}}", "{", "[]", r'{"a":"\udc00"}', '{"a":NaN}']
)
def test_what_is_no_object_raises(text: object) -> None:
    with pytest.raises(FAULTS):
        document(text)


def test_a_document_of_megabytes_is_not_decoded() -> None:
    text = '{"a":"' + "x" * decoding.LONGEST + '"}'
    for decode in (document, loads, texts):
        with pytest.raises(ValueError, match="more than 16777216 characters"):
            decode(text)


def test_a_list_has_texts_alone() -> None:
    assert texts('["a","b"]') == ["a", "b"]
    for text in ('"ab"', "[1]", '["a",null]', "null"):
        with pytest.raises(TypeError):
            texts(text)


def test_a_text_that_is_not_utf8_stays_as_it_is() -> None:
    assert decoding.text_or_bytes("ü".encode()) == "ü"
    assert decoding.text_or_bytes(b"\xff") == b"\xff"


def test_a_job_without_some_of_its_columns_is_refused() -> None:
    decoding.refuse_undecodable(())
    with pytest.raises(InvalidPayload, match=r"cannot be decoded: payload, source\.") as refused:
        decoding.refuse_undecodable(("payload", "source"))
    assert refused.value.facts == {"undecodable": ["payload", "source"]}
