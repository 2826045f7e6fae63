"""Whatever a handler leaves behind, its last words can be written."""

from __future__ import annotations

import hashlib
import json
from typing import Any

import pytest

from jobplane.core.payload import RESULT, encode_result, storable
from tests.conformance.hostile import Evil


class Trap(dict[str, Any]):
    """A dictionary that raises when it is looked at."""

    def items(self) -> Any:
        raise OSError("no")


def test_a_result_that_is_too_large_leaves_its_size_and_its_hash() -> None:
    result = "ä" * RESULT.bytes
    text = f'"{result}"'.encode()

    note = json.loads(encode_result(result))

    assert (note["content_altered"], note["sha256"]) == (True, hashlib.sha256(text).hexdigest())
    assert f"{len(text)} bytes" in note["result_not_stored"]


def test_a_result_that_cannot_be_written_says_where() -> None:
    note = json.loads(encode_result({"a": [float("nan")]}))

    assert note == {
        "result_not_stored": "The result has a number that is not finite at /a/0.",
        "content_altered": True,
    }


def test_a_result_that_raises_leaves_a_note() -> None:
    note = json.loads(encode_result({"a": Trap(b=1)}))

    assert note == {"result_not_stored": "Reading the result raised OSError.", "content_altered": True}


@pytest.mark.parametrize(
    ("error", "kept"),
    [
        (ValueError("bad\x00"), "bad�"),
        (5, "5"),
        (b"\xff", "b'\\xff'"),
        (Evil(), "Evil, which cannot be shown"),
    ],
    ids=["exception", "number", "bytes", "evil"],
)
def test_an_error_that_is_no_text_is_kept_as_it_shows_itself(error: object, kept: str) -> None:
    assert storable(error) == kept
