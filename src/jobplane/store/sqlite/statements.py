"""The SQL of the store: one file for each verb, each with named statements, read once."""

from __future__ import annotations

import re
from functools import cache
from importlib import resources
from importlib.resources.abc import Traversable
from typing import Final

_MARK: Final = "-- statement: "
_INCLUDED: Final = re.compile(r"/\*statement:(\w+)\*/")


def root() -> Traversable:
    """Where the SQL files of this dialect lie."""
    return resources.files("jobplane.store").joinpath("sql", "sqlite")


@cache
def load_verb(name: str) -> dict[str, str]:
    """The statements of a verb by their names."""
    return parse(root().joinpath("verbs", f"{name}.sql").read_text("utf-8"))


@cache
def load_shared(name: str) -> dict[str, str]:
    """Statements that several verbs use, by their names."""
    return parse(root().joinpath("statements", f"{name}.sql").read_text("utf-8"))


def parse(text: str) -> dict[str, str]:
    """What stands under each mark, with the files that it includes; the header before the first is for people."""
    parts = [part.partition("\n") for part in ("\n" + text).split("\n" + _MARK)[1:]]
    return {name.strip(): _INCLUDED.sub(_include, body).strip() for name, _, body in parts}


def _include(marker: re.Match[str]) -> str:
    """A file without marks, below its header."""
    return root().joinpath("statements", f"{marker[1]}.sql").read_text("utf-8").partition("\n")[2].strip()
