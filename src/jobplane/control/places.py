"""Pointers of a part, as pointers of the document that the part is in."""

from __future__ import annotations

from collections.abc import Generator, Mapping, Sequence
from contextlib import contextmanager
from typing import cast

from jobplane.core.errors import Invalid
from jobplane.core.model import Document


@contextmanager
def inside(place: str) -> Generator[None]:
    """Raise the Invalid of a part again, with the place of the part before each pointer."""
    try:
        yield
    except Invalid as error:
        facts = {**error.facts, "pointer": f"{place}{error.facts.get('pointer', '')}"}
        if faults := cast("Sequence[Document]", facts.get("errors")):
            facts["errors"] = [_moved(fault, place) for fault in faults]
        raise type(error)(error.message, **facts) from None


def _moved(fault: Document, place: str) -> Mapping[str, object]:
    return {**fault, "pointer": f"{place}{fault.get('pointer', '')}"}
