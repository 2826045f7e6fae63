"""What pydantic finds wrong, in our own words and at one place each."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Any, Literal

import pytest
from pydantic import AfterValidator, AwareDatetime, BaseModel, ConfigDict, Field, StringConstraints, ValidationError

from jobplane.core.bounds import QUEUE, QUEUE_RULE
from jobplane.core.faults import describe_faults, group_faults


class _Inner(BaseModel):
    base: Annotated[float, Field(ge=0)] = 1


def _refuse(value: str) -> str:
    if value == "bad":
        raise ValueError("The text is bad.")
    return value


class _Outer(BaseModel):
    model_config = ConfigDict(extra="forbid")

    a: int = 1
    text: Annotated[str, AfterValidator(_refuse), Field(max_length=3)] = ""
    queue: Annotated[str, StringConstraints(pattern=f"^{QUEUE.pattern}$")] = "default"
    backoff: _Inner | Literal["one", "two"] | None = None
    schema_: dict[str, Any] | bool | None = Field(None, alias="schema")
    rows: Annotated[list[int], Field(max_length=1)] = []
    at: AwareDatetime | None = None
    inner: _Inner = _Inner()


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ({"a": "x"}, {"/a": "It must be a whole number."}),
        ({"text": "bad"}, {"/text": "The text is bad."}),
        ({"text": "long"}, {"/text": "It must have at most 3 characters."}),
        ({"rows": [1, 2]}, {"/rows": "It must have at most 1 entry."}),
        ({"queue": "No Queue"}, {"/queue": QUEUE_RULE}),
        ({"backoff": "nope"}, {"/backoff": 'It must be an object, or "one" or "two".'}),
        ({"backoff": {"base": -1}}, {"/backoff/base": "It must be at least 0."}),
        ({"schema": [1]}, {"/schema": "It must be an object, or true or false."}),
        ({"inner": {"base": "x"}}, {"/inner/base": "It must be a number."}),
        ({"at": datetime(2026, 1, 1)}, {"/at": "It must be a time with a zone, like 2026-11-15T12:00:00Z."}),  # noqa: DTZ001
        ({"b/c": 1, "a": None}, {"/a": "It must be a whole number.", "/b~1c": "There is no such field."}),
        ([1], {"": "It must be an object."}),
    ],
    ids=str,
)
def test_each_place_has_one_sentence(given: Any, expected: dict[str, str]) -> None:
    with pytest.raises(ValidationError) as caught:
        _Outer.model_validate(given)

    found = group_faults(caught.value.errors(), given)

    assert {place: describe_faults(faults) for place, faults in found.items()} == expected
