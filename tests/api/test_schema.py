"""The one judge of payloads."""

from __future__ import annotations

import time

import pytest

from jobplane.core.errors import Invalid, InvalidPayload
from jobplane.core.model import Json
from jobplane.core.schema import MAX_BYTES, MAX_DEPTH, judge

PERSON: Json = {
    "type": "object",
    "properties": {"name": {"type": "string"}, "born": {"type": "string", "format": "date-time"}},
    "required": ["name"],
    "additionalProperties": False,
}


def pointers(schema: Json, payload: object) -> list[str]:
    try:
        judge(schema).check(payload)
    except InvalidPayload as error:
        errors = error.facts["errors"]
        assert isinstance(errors, list)
        return sorted(one["pointer"] for one in errors)  # pyright: ignore[reportUnknownVariableType, reportUnknownArgumentType]
    return []


@pytest.mark.parametrize(
    ("payload", "faults"),
    [
        ({"name": "alice"}, []),
        ({"name": "alice", "born": "2026-01-01T00:00:00Z"}, []),
        ({"name": "alice", "born": "2026-01-01"}, ["/born"]),
        ({"name": 1}, ["/name"]),
        ({}, [""]),
        ({"name": "alice", "a/b": 1}, [""]),
    ],
)
def test_a_payload_fits_or_has_pointers_to_its_faults(payload: Json, faults: list[str]) -> None:
    assert pointers(PERSON, payload) == faults


def test_a_pointer_is_escaped() -> None:
    schema: Json = {"properties": {"a/b~": {"type": "integer"}}}

    assert pointers(schema, {"a/b~": "x"}) == ["/a~1b~0"]


def test_a_message_does_not_repeat_the_value() -> None:
    with pytest.raises(InvalidPayload) as refused:
        judge(PERSON).check({"name": {"password": "s3cret"}})

    assert "s3cret" not in str(refused.value) + str(refused.value.facts)


@pytest.mark.parametrize(
    "schema",
    [
        {"$ref": "http://127.0.0.1:1/schema.json"},
        {"$ref": "file:///etc/hostname"},
        {"$ref": "other.json"},
        {"$dynamicRef": "http://127.0.0.1:1/"},
        {"$ref": "#/$defs/nowhere"},
        {"type": "strnig"},
        {"pattern": "(?=look)ahead"},
        {"description": "x" * MAX_BYTES},
        [],
        "object",
        None,
    ],
    ids=lambda schema: str(schema)[:40],
)
def test_a_schema_that_cannot_be_used_is_refused(schema: Json) -> None:
    with pytest.raises(Invalid):
        judge(schema)


def test_a_deep_schema_is_refused() -> None:
    schema: Json = {}
    for _ in range(MAX_DEPTH):
        schema = {"not": schema}

    with pytest.raises(Invalid, match="deeper"):
        judge(schema)


def test_a_chain_of_references_that_doubles_is_refused() -> None:
    links: Json = {f"d{n}": {"allOf": [{"$ref": f"#/$defs/d{n + 1}"}] * 2} for n in range(30)}
    schema: Json = {"$ref": "#/$defs/d0", "$defs": {**links, "d30": {}}}

    with pytest.raises(Invalid, match="steps"):
        judge(schema)


def test_a_chain_of_references_without_end_in_sight_is_refused() -> None:
    links: Json = {f"d{n}": {"$ref": f"#/$defs/d{n + 1}"} for n in range(1500)}

    with pytest.raises(Invalid, match="steps"):
        judge({"$ref": "#/$defs/d0", "$defs": {**links, "d1500": {}}})


@pytest.mark.parametrize("schema", [{"$ref": "#"}, {"allOf": [{"$ref": "#"}]}, {"if": {"$ref": "#"}}])
def test_a_circle_ends(schema: Json) -> None:
    assert pointers(schema, {}) == []


def test_a_schema_may_refer_to_itself() -> None:
    tree: Json = {
        "type": "object",
        "properties": {"children": {"type": "array", "items": {"$ref": "#"}}},
        "additionalProperties": False,
    }

    leaf: Json = {"children": []}

    assert pointers(tree, {"children": [leaf, {}]}) == []
    assert pointers(tree, {"children": [{"x": 1}]}) == ["/children/0"]


@pytest.mark.parametrize("choice", ["allOf", "anyOf", "oneOf"])
def test_the_depth_of_a_payload_does_not_multiply_the_work(choice: str) -> None:
    """Each level would take three times as long as the one above it; the end of time comes before the sixtieth."""
    child: Json = {choice: [{"$ref": "#"}, {"$ref": "#"}, {"$ref": "#"}]}
    schema: Json = {"properties": {"child": child, "n": {"type": "integer"}}}
    shallow: Json = {"child": {"n": "x"}}
    deep: Json = {"n": "x"}
    for _ in range(60):
        deep = {"child": deep}

    assert pointers(schema, deep) == [""]
    assert pointers(schema, shallow) != [""]


def test_a_pattern_takes_linear_time() -> None:
    schema: Json = {"properties": {"a": {"pattern": "^(a+)+$"}}}
    began = time.perf_counter()

    assert pointers(schema, {"a": "a" * 10_000 + "b"}) == ["/a"]
    assert time.perf_counter() - began < 30, "a backtracking engine would need longer than the universe has"


@pytest.mark.parametrize("payload", [{"name": object()}, {1: 2}, {"name": float("nan")}, []])
def test_what_is_no_json_is_refused_too(payload: object) -> None:
    with pytest.raises(InvalidPayload):
        judge(PERSON).check(payload)


@pytest.mark.parametrize("schema", [True, {}])
def test_an_open_schema_takes_anything(schema: Json) -> None:
    assert pointers(schema, {"a": 1}) == []


def test_the_same_schema_is_compiled_once() -> None:
    assert judge({"a": 1, "b": 2}) is judge({"b": 2, "a": 1})
