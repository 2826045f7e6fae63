"""The schema of a file: numbered migrations, applied at first use in one transaction."""

from __future__ import annotations

import time
from functools import cache
from typing import Final

from jobplane.core.errors import SchemaOutOfDate
from jobplane.store.base import Conn
from jobplane.store.sqlite.statements import load_shared, root

_SQL: Final = load_shared("schema")


@cache
def migrations() -> list[tuple[int, str, list[str]]]:
    """Number, name and statements of each migration, in order."""
    files = sorted((file for file in root().joinpath("migrations").iterdir()), key=lambda file: file.name)
    return [(int(file.name[:4]), file.name, _statements(file.read_text("utf-8"))) for file in files]


def _statements(text: str) -> list[str]:
    """A statement ends with a semicolon at the end of a line; no migration has one inside a text or a trigger."""
    lines = [line.split("  --")[0].rstrip() for line in text.splitlines() if not line.startswith("--")]
    return [part.strip() for part in "\n".join(lines).split(";\n") if part.strip(" \n;")]


def is_current(db: Conn) -> bool:
    """Whether the file has this program's schema; a newer one is refused."""
    found = _find_applied(db)
    wanted = migrations()[-1][0]
    if found > wanted:
        message = f"The file has schema {found}, but this program knows only {wanted}. Use a newer jobplane."
        raise SchemaOutOfDate(message, found=found, wanted=wanted)
    return found == wanted


def ensure(db: Conn) -> None:
    """Bring the file to this program's schema, inside the caller's transaction."""
    if is_current(db):
        return
    if not db.rows(_SQL["there"], ()):
        db.rows(_SQL["ledger"], ())
    applied, words = _find_applied(db), bool(db.rows(_SQL["words"], ()))
    for number, name, statements in migrations():
        if number > applied:
            for statement in statements:
                if words or not statement.startswith("create virtual table"):
                    db.rows(statement, ())
            db.rows(_SQL["record"], (number, name, time.time_ns() // 1000))


def _find_applied(db: Conn) -> int:
    return db.rows(_SQL["applied"], ())[0][0] if db.rows(_SQL["there"], ()) else 0
