"""The manager's pages are typed in: as they stand, on SQLite, and again on PostgreSQL."""

from __future__ import annotations

from contextlib import redirect_stdout
from io import StringIO
from pathlib import Path
from typing import Final

import pytest

from tests.conftest import ROLES
from tests.database import Database
from tests.docs.page import ROOT, blocks, name
from tests.docs.terminal import check

PAGES: Final = [ROOT / f"docs/how-to/{page}.md" for page in ("bring-your-own-loop", "dedupe-and-idempotency")]
IN_MEMORY: Final = '"sqlite:///:memory:"'


@pytest.fixture(params=["sqlite", "postgres"])
def url(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """What the pages connect to; with None it is the configuration, here a database with a login for each role."""
    if request.param == "sqlite":
        return IN_MEMORY
    db: Database = request.getfixturevalue("db")
    monkeypatch.setenv("JOBPLANE_DATABASE_URL", db.url("app"))
    for role in ROLES:
        monkeypatch.setenv(f"JOBPLANE_DATABASE_URL_{role.upper()}", db.url(role))
    monkeypatch.setenv("JOBPLANE_ALLOW_UNSAFE_DURABILITY", "true")
    if db.cluster.host:
        monkeypatch.setenv("JOBPLANE_POOLER", "transaction")
    return "None"


@pytest.mark.parametrize("page", PAGES, ids=name)
def test_a_page_prints_what_it_shows(page: Path, url: str) -> None:
    names: dict[str, object] = {}

    for block in [block for block in blocks(page) if block.language == "python"]:
        with redirect_stdout(StringIO()) as output:
            exec(compile(block.text.replace(IN_MEMORY, url), name(page), "exec"), names)
        check(block, output.getvalue())
