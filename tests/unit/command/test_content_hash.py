"""The content hash pins all that decides what a command runs, and nothing else."""

from __future__ import annotations

import hashlib
import json
from typing import Any

import pytest

from jobplane.core.command import content_hash

DIGEST = "sha256:" + "0" * 64
SCHEMA: dict[str, Any] = {"type": "object", "properties": {"a": {"type": "string"}}}
DOCUMENT: dict[str, Any] = {"executable": "/bin/x", "argv": ["{a}"], "environment": {"B": "1", "A": "2"}}


def test_the_hash_is_that_of_canonical_json_with_defaults() -> None:
    pinned = {**DOCUMENT, "digest": DIGEST, "schema": SCHEMA, "files": {}, "stdin": "closed", "exit_codes": {}}
    text = json.dumps(pinned, sort_keys=True, separators=(",", ":"), ensure_ascii=False)

    assert content_hash(DOCUMENT, SCHEMA, DIGEST) == "sha256:" + hashlib.sha256(text.encode()).hexdigest()


def test_equal_documents_have_one_hash() -> None:
    same = {
        "environment": {"A": "2", "B": "1"},
        "argv": ["{a}"],
        "executable": "/bin/x",
        "stdin": "closed",
        "files": {},
    }

    assert content_hash(same, SCHEMA, DIGEST) == content_hash(DOCUMENT, SCHEMA, DIGEST)


@pytest.mark.parametrize(
    "change",
    [
        {"executable": "/bin/y"},
        {"argv": ["{a}", ""]},
        {"argv": []},
        {"environment": {"A": "2"}},
        {"files": {"x": "env:A"}},
        {"stdin": "payload"},
        {"exit_codes": {"75": "retry"}},
    ],
)
def test_every_field_changes_the_hash(change: dict[str, Any]) -> None:
    assert content_hash({**DOCUMENT, **change}, SCHEMA, DIGEST) != content_hash(DOCUMENT, SCHEMA, DIGEST)


def test_the_schema_and_the_executable_change_the_hash() -> None:
    hashes = {content_hash(DOCUMENT, schema, digest) for schema in (SCHEMA, {}, True) for digest in (DIGEST, "other")}

    assert len(hashes) == 6


@pytest.mark.parametrize("document", [None, [], "x", {"executable": "\ud800"}])
def test_a_document_that_is_no_command_has_a_hash(document: Any) -> None:
    assert content_hash(document, SCHEMA, DIGEST).startswith("sha256:")
