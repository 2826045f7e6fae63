"""The page about lent connections is typed in, from its first block to its last, and prints what it shows."""

from __future__ import annotations

import re
from collections.abc import Generator
from contextlib import redirect_stdout
from io import StringIO
from pathlib import Path
from typing import Final, cast

import pytest

from jobplane import Jobplane
from tests.database import Database
from tests.docs import stage
from tests.docs.page import ROOT, Block
from tests.docs.terminal import check
from tests.transactions.blocking_stacks import app_url
from tests.transactions.site import serve

PAGE: Final = ROOT / "docs/how-to/transactions.md"
# These blocks need a Django site and a directory to write to, which other pages do not have.
_BLOCK: Final = re.compile(r"^```py\n(.*?)^```\n(?:```text\n(.*?)^```\n)?", re.MULTILINE | re.DOTALL)


def blocks() -> list[Block]:
    text = PAGE.read_text()
    return [Block("py", one[1], text.count("\n", 0, one.start()) + 1, one[2]) for one in _BLOCK.finditer(text)]


@pytest.fixture
def names(db: Database, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Generator[dict[str, object]]:
    """What the page takes for granted, in a directory of its own."""
    stage.furnish(db)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("JOBPLANE_ALLOW_UNSAFE_DURABILITY", "true")
    names: dict[str, object] = {"app_url": app_url(db)}
    with serve(app_url(db)):
        yield names
    cast("Jobplane", names["jp"]).close()


def test_the_page_prints_what_it_shows(db: Database, names: dict[str, object]) -> None:
    for block in blocks():
        with redirect_stdout(StringIO()) as output:
            exec(compile(block.text, PAGE.name, "exec"), names)
        check(block, output.getvalue())

    assert db.peek("select id from shop.orders order by id") == [(number,) for number in (*range(1, 9), 10, 11)]
    assert db.peek("select count(*) from jobplane.jobs") == [(12,)]


def test_every_stack_has_a_block() -> None:
    text = "".join(block.text for block in blocks())

    for module in ("psycopg", "psycopg2", "asyncpg", "sqlalchemy", "sqlalchemy.ext.asyncio", "django.db", "sqlite3"):
        assert re.search(rf"^(import|from) {re.escape(module)}\b", text, re.MULTILINE), module
