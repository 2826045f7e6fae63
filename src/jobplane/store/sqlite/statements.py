"""The SQL of the store: one file for each verb, each with named statements, read once."""

from __future__ import annotations

from functools import cache
from importlib import resources
from importlib.resources.abc import Traversable
from typing import Final

_MARK: Final = "-- statement: "


def root() -> Traversable:
    """Where the SQL files of this dialect lie."""
    return resources.files("jobplane.store").joinpath("sql", "sqlite")


@cache
def verb(name: str) -> dict[str, str]:
    """The statements of a verb by their names."""
    return parse(root().joinpath("verbs", f"{name}.sql").read_text("utf-8"))


@cache
def shared(name: str) -> dict[str, str]:
    """Statements that several verbs use, by their names."""
    return parse(root().joinpath("statements", f"{name}.sql").read_text("utf-8"))


def parse(text: str) -> dict[str, str]:
    """What stands under each mark; the header before the first is for people."""
    parts = [part.partition("\n") for part in ("\n" + text).split("\n" + _MARK)[1:]]
    return {name.strip(): body.strip() for name, _, body in parts}
