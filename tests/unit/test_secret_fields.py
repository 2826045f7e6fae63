"""A field is a secret wherever and however the schema says so: no plain value passes."""

from __future__ import annotations

import pytest

from jobplane.core.errors import SecretInPayload
from jobplane.core.model import Document
from jobplane.core.schema import judge

PLAIN = "hunter2hunter2"
SECRET: Document = {"type": "string", "writeOnly": True}
LATER: Document = {"properties": {"v": SECRET, "next": {"$ref": "#/$defs/n"}}}

PLACES: dict[str, tuple[Document, Document, str]] = {
    "nested": ({"properties": {"a": {"properties": {"b/c": SECRET}}}}, {"a": {"b/c": PLAIN}}, "/a/b~1c"),
    "a whole object": ({"properties": {"a": {"type": "object", "writeOnly": True}}}, {"a": {"b": PLAIN}}, "/a"),
    "a number": ({"properties": {"a": {"writeOnly": True}}}, {"a": 12345678}, "/a"),
    "a format": ({"properties": {"a": {"type": ["null", "string"], "format": "password"}}}, {"a": PLAIN}, "/a"),
    "items": ({"properties": {"a": {"items": SECRET}}}, {"a": [PLAIN]}, "/a/0"),
    "one item": ({"properties": {"a": {"prefixItems": [{}, SECRET]}}}, {"a": [1, PLAIN]}, "/a/1"),
    "later items": (
        {"properties": {"a": {"prefixItems": [{}], "unevaluatedItems": SECRET}}},
        {"a": [1, PLAIN]},
        "/a/1",
    ),
    "an item": ({"properties": {"a": {"contains": SECRET}}}, {"a": [1, PLAIN]}, "/a/1"),
    "other names": ({"additionalProperties": SECRET}, {"a": PLAIN}, "/a"),
    "a pattern": ({"properties": {"a": {}}, "patternProperties": {"^a": SECRET}}, {"a": PLAIN}, "/a"),
    "unevaluated": ({"allOf": [{"properties": {"b": {}}}], "unevaluatedProperties": SECRET}, {"a": PLAIN}, "/a"),
    "a choice": ({"properties": {"a": {"anyOf": [{"type": "integer"}, SECRET]}}}, {"a": PLAIN}, "/a"),
    "a branch": ({"if": {"required": ["b"]}, "then": {"properties": {"a": SECRET}}}, {"a": PLAIN, "b": 1}, "/a"),
    "a dependency": ({"dependentSchemas": {"b": {"properties": {"a": SECRET}}}}, {"a": PLAIN, "b": 1}, "/a"),
    "a reference": ({"$defs": {"s/t": SECRET}, "properties": {"a": {"$ref": "#/$defs/s~1t"}}}, {"a": PLAIN}, "/a"),
    "recursion": ({"$defs": {"n": LATER}, "$ref": "#/$defs/n"}, {"next": {"next": {"v": PLAIN}}}, "/next/next/v"),
}


@pytest.mark.parametrize("place", PLACES)
def test_a_plain_value_in_a_secret_field_is_refused_and_not_repeated(place: str) -> None:
    schema, payload, pointer = PLACES[place]

    with pytest.raises(SecretInPayload) as refused:
        judge(schema).check(payload)

    assert refused.value.facts["pointer"] == pointer
    assert PLAIN not in f"{refused.value} {refused.value.facts}"
