"""What a document must be before any store sees it."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator, Mapping
from types import MappingProxyType
from typing import Any, cast

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from jobplane.core.errors import Invalid, InvalidPayload
from jobplane.core.payload import DOCUMENT, MAX_TEXT, encode, encode_document, encode_result, fault_of, storable
from tests.conformance import hostile


def nested(levels: int, innermost: object = 1) -> dict[str, Any]:
    """An object whose innermost value is so many levels deep."""
    document = innermost
    for _ in range(levels - 2):
        document = [document]
    return {"x": document}


@pytest.mark.parametrize(
    ("payload", "text"),
    [
        ({}, "{}"),
        ({"a": 1, "b": [True, None, "ä", 1.5]}, '{"a":1,"b":[true,null,"ä",1.5]}'),
        ({"a": {"b": ()}}, '{"a":{"b":[]}}'),
        ({"a": "\\u0000"}, '{"a":"\\\\u0000"}'),
        ({"a": -(10**309) + 1}, '{"a":-' + "9" * 309 + "}"),
        (
            {"a": 1e16, "b": [1e23, -1e23]},
            '{"a":10000000000000000,"b":[99999999999999991611392,-99999999999999991611392]}',
        ),
        ({"a": 9999999999999998.0, "b": 1e-300}, '{"a":9999999999999998.0,"b":1e-300}'),
    ],
)
def test_a_payload_becomes_json(payload: dict[str, Any], text: str) -> None:
    assert encode(payload) == text


@pytest.mark.parametrize("name", hostile.VALUES)
def test_what_cannot_be_kept_is_refused_with_a_pointer(name: str) -> None:
    value = hostile.VALUES[name]()

    with pytest.raises(InvalidPayload) as refusal:
        encode({"fine": 1, "x": [value]})

    assert isinstance(refusal.value.facts["pointer"], str)
    assert len(refusal.value.message) < 500


@pytest.mark.parametrize(
    ("payload", "pointer", "fault"),
    [
        ({"a": {"b~c/d": [0, "\x00"]}}, "/a/b~0c~1d/1", "a NUL character"),
        ({"a": ["\ud800"]}, "/a/0", "a lone surrogate"),
        ({"k\x00": 1}, "/k�", "a NUL character"),
        ({"\udc80": 1}, "/?", "a lone surrogate"),
        ({"a": {1: 2}}, "/a/int", "a key that is not a string"),
        ({"a": float("nan")}, "/a", "not finite"),
        ({"a": 10**309}, "/a", "more than 309 digits"),
        ({"a": b""}, "/a", "type bytes"),
    ],
)
def test_the_pointer_leads_to_the_fault(payload: dict[str, Any], pointer: str, fault: str) -> None:
    with pytest.raises(InvalidPayload, match=fault) as refusal:
        encode(payload)

    assert refusal.value.facts == {"pointer": pointer}


@pytest.mark.parametrize("payload", [None, [], "{}", 5, MappingProxyType({"a": 1})])
def test_only_an_object_is_a_payload(payload: object) -> None:
    with pytest.raises(InvalidPayload):
        encode(payload)


@pytest.mark.parametrize(
    ("within", "beyond"),
    [
        ({"x": "a" * (65_536 - 8)}, {"x": "a" * (65_537 - 8)}),
        ({"x": "ä" * 32_764}, {"x": "ä" * 32_765}),
        (nested(64), nested(65)),
        (nested(64, []), nested(64, [1])),
        ({"x": [1] * 9_998}, {"x": [1] * 9_999}),
        ({"x": [{"": 1}] * 4_999}, {"x": [{"": 1}] * 5_000}),
    ],
    ids=["bytes", "bytes of two", "levels", "levels of lists", "values", "values under keys"],
)
def test_one_more_than_the_limit_is_refused(within: dict[str, Any], beyond: dict[str, Any]) -> None:
    assert json.loads(encode(within)) == within
    with pytest.raises(InvalidPayload):
        encode(beyond)


def test_a_hostile_size_is_refused_in_a_moment() -> None:
    started = time.process_time()
    with pytest.raises(InvalidPayload, match="artifact_ref"):
        encode({"x": hostile.HUNDRED_MB})

    assert time.process_time() - started < 10


documents = st.dictionaries(
    st.text(st.characters(codec="utf-8", exclude_characters="\x00"), max_size=5),
    st.recursive(
        st.none()
        | st.booleans()
        | st.integers()
        | st.floats(allow_nan=False, allow_infinity=False)
        | st.text(max_size=9),
        lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=3),
        max_leaves=9,
    ),
    max_size=5,
)


def texts(value: Any) -> Iterator[str]:
    """Every text of a document, its keys too."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, Mapping):
        for key, child in cast("Mapping[str, Any]", value).items():
            yield key
            yield from texts(child)
    elif isinstance(value, list):
        for child in cast("list[Any]", value):
            yield from texts(child)


@given(documents)
@example({"a": 1e16, "b": "1e+16"})
@example({"a": 1.7976931348623157e308})
def test_a_payload_is_json_of_the_same_value_or_refused_for_its_texts(document: dict[str, Any]) -> None:
    if any(map(fault_of, texts(document))):
        with pytest.raises(InvalidPayload, match=r"NUL|surrogate"):
            encode(document)
    else:
        assert json.loads(encode(document)) == document


@pytest.mark.parametrize("name", hostile.VALUES)
def test_a_result_always_becomes_json(name: str) -> None:
    text = encode_result(hostile.VALUES[name]())

    assert fault_of(text) is None
    assert "\\u0000" not in text
    assert isinstance(json.loads(text), Mapping)
    assert len(text) < 1000


def test_a_result_may_be_four_times_a_payload() -> None:
    assert len(encode_result("a" * 262_142)) == 262_144
    assert "262145 bytes" in encode_result("a" * 262_143)


def test_a_document_beside_a_payload_has_room_for_one() -> None:
    assert encode_document({"payload": nested(64)}, "changes")
    wrong: list[Any] = [
        [],
        None,
        {"x": "a" * DOCUMENT.bytes},
        {"x": nested(DOCUMENT.depth)},
        {"x": [1] * DOCUMENT.values},
        {"x": "\x00"},
    ]
    for bad in wrong:
        with pytest.raises(Invalid, match="changes") as refusal:
            encode_document(bad, "changes")
        assert refusal.value.code == "invalid"


@pytest.mark.parametrize(
    ("text", "kept"),
    [
        (None, None),
        ("", ""),
        ("plain ä 😀", "plain ä 😀"),
        ("a\x00b", "a�b"),
        ("a\ud800b", "a?b"),
        ("a" * (MAX_TEXT + 1), "a" * MAX_TEXT),
    ],
)
def test_every_text_can_be_kept_somehow(text: str | None, kept: str | None) -> None:
    assert storable(text) == kept


@given(st.text(st.characters()))
def test_a_stored_text_has_no_fault(text: str) -> None:
    kept = storable(text)

    assert kept is not None
    assert fault_of(kept) is None
