"""Judge texts before a store is called."""

from __future__ import annotations

from collections.abc import Iterable
from typing import cast

from jobplane.core.errors import Invalid
from jobplane.core.payload import fault_of


def require_text(name: str, value: object, low: int = 0, high: int | None = None) -> str:
    """A text that can be stored, with `low` to `high` characters; raises Invalid."""
    if not isinstance(value, str):
        raise Invalid(f"The {name} must be a string, not {type(value).__name__}.")
    if fault := fault_of(value):
        raise Invalid(f"The {name} must not have {fault}.")
    if not low <= len(value) <= (len(value) if high is None else high):
        raise Invalid(f"The {name} must have {low} to {high} characters.")
    return value


def require_texts(name: str, values: object) -> list[str]:
    """A list of texts that can be stored; raises Invalid. A single text is no list."""
    if isinstance(values, str) or not isinstance(values, Iterable):
        raise Invalid(f"The {name} must be a list of strings.")
    return [require_text(name, value) for value in cast("Iterable[object]", values)]
