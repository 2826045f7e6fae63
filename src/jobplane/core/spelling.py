"""Suggest the nearest known name for one that does not exist."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from difflib import get_close_matches


def nearest(name: object, known: Iterable[str]) -> str | None:
    """The known name that is most like a name, or None. A name is not nearest to itself."""
    if not isinstance(name, str):
        return None
    found = get_close_matches(name[:200], [each for each in known if each != name], n=1)
    return found[0] if found else None


def suggest(name: object, known: Iterable[str], otherwise: str = "") -> str:
    """A sentence that names the nearest known name; if no name is near, the other sentence."""
    found = nearest(name, known)
    return otherwise if found is None else f'Did you mean "{found}"?'


def explain_each(what: str, hints: Mapping[str, str], otherwise: str) -> str:
    """A sentence for each unknown name with its hint; if a name has no hint, the other sentence at the end."""
    said = [f'{what} "{name!s:.200}". {hint}'.rstrip() for name, hint in hints.items()]
    return " ".join(said if all(hints.values()) else [*said, otherwise])
