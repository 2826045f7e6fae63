"""Documents of small nouns: JSON objects with a key, which make or change what they name."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, cast

from jobplane.core.bounds import show
from jobplane.core.errors import Invalid
from jobplane.core.model import Document


def documents(given: Sequence[str | Document], key: str = "name") -> list[Document]:
    """One document for each key. A text alone is a key, and of two documents the later one counts where they differ."""
    if isinstance(given, str):
        raise Invalid(f"The documents must be a list, not one text. Write [{show(given)}].")
    found: dict[object, Document] = {}
    for one in cast("Sequence[object]", given):
        document = _document(one, key)
        named = document.get(key)
        if not isinstance(named, str):
            raise Invalid(f"A document must have a {key} that is a text, not {show(named)}.")
        found[named] = {**found.get(named, {}), **document}
    return [*found.values()]


def _document(one: object, key: str) -> Document:
    if isinstance(one, str):
        return {key: one}
    if isinstance(one, Mapping):
        return cast("Mapping[str, Any]", one)
    raise Invalid(f"A document must be a JSON object or a {key}, not {type(one).__name__}.")
