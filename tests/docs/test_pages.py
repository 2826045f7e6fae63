"""Every page is typed in, from its first block to its last, and prints what it shows."""

import re
from collections.abc import Iterator
from contextlib import redirect_stdout
from io import StringIO
from pathlib import Path

import pytest

from jobplane.embedded import EmbeddedServer
from tests.api import test_snippets
from tests.database import SETTINGS, Database
from tests.docs import stage
from tests.docs.page import PAGES, ROOT, RUNNABLE, Block, blocks, name
from tests.docs.terminal import PG_BIN, check, psql, shell
from tests.own_server import own_server, with_password
from tests.transactions import test_page

README = ROOT / "README.md"
TOUR = ROOT / "docs/tutorials/life-of-a-job-in-sql.md"  # test_readme types it in
TUTORIAL = ROOT / "docs/tutorials/first-job-in-psql.md"
OVER_HTTP = ROOT / "docs/tutorials/first-job-over-curl.md"  # test_over_http follows it
OWN_SERVER = ROOT / "docs/how-to/your-own-postgresql.md"
SHOWN = ("text", "json", "toml", "ini", "mermaid", "yaml", "dockerfile")

# A DBA without superuser rights and a login of an application. Everybody has to show a password.


def of(language: str, *excluded: Path) -> list[Path]:
    return [
        page for page in PAGES if page not in excluded and any(block.language == language for block in blocks(page))
    ]


def only(page: Path, language: str) -> list[Block]:
    return [block for block in blocks(page) if block.language == language]


def test_the_tutorial_prints_what_it_shows(db: Database) -> None:
    typed = blocks(TUTORIAL)

    for block, output in zip(typed, psql(db.url("admin"), typed), strict=True):
        check(block, output)


@pytest.mark.parametrize("page", of("sql", TOUR, TUTORIAL), ids=name)
def test_the_sql_of_a_page_prints_what_it_shows(db: Database, page: Path) -> None:
    acme = stage.furnish(db)
    typed = only(page, "sql")

    for block, output in zip(typed, psql(db.url("admin"), typed, acme=acme), strict=True):
        check(block, output)


@pytest.mark.parametrize("page", of("python"), ids=name)
def test_the_python_of_a_page_prints_what_it_shows(db: Database, page: Path) -> None:
    acme = stage.furnish(db)
    stage.enqueue(db, acme, "resize")
    names: dict[str, object] = {"acme": acme, "app_url": db.url("app"), "worker_url": db.url("worker")}

    for block in only(page, "python"):
        with redirect_stdout(StringIO()) as output:
            exec(compile(block.text, name(page), "exec"), names)
        check(block, output.getvalue())


@pytest.fixture
def server(tmp_path: Path) -> Iterator[EmbeddedServer]:
    """A server of somebody's own, without our roles."""
    with own_server(tmp_path / "data", PG_BIN, SETTINGS) as started:
        yield started


def test_the_commands_for_a_server_of_your_own_work_with_password_logins(
    server: EmbeddedServer, tmp_path: Path
) -> None:
    urls = {
        "DBA_URL": with_password(server.url("dba"), "dba-secret"),
        "OWNER_URL": with_password(server.url("jobplane_owner"), "owner-secret"),
        "SMALL_URL": with_password(server.url("dba", "small"), "dba-secret"),
    }

    for block in only(OWN_SERVER, "sh"):
        check(block, shell(block, tmp_path, urls))


def test_no_other_page_has_commands_that_nobody_runs() -> None:
    assert of("sh", README, OWN_SERVER, OVER_HTTP) == []


def test_no_other_page_has_python_that_nobody_runs() -> None:
    followed = {(test_snippets.DOCS / page).resolve() for page, _ in test_snippets.PAGES} | {
        test_snippets.DOCS / test_snippets.REFERENCE
    }

    assert with_a("console") <= followed
    assert with_a("py") <= followed | {test_page.PAGE}
    assert followed <= with_a("py") | with_a("console")


def test_every_other_block_is_of_a_kind_that_is_only_shown() -> None:
    assert {kind for page in PAGES for kind in fences(page)} <= {*RUNNABLE, "py", "console", *SHOWN}


def fences(page: Path) -> set[str]:
    return set(re.findall(r"^```([^\s`]+)", page.read_text(), re.MULTILINE))


def with_a(kind: str) -> set[Path]:
    return {page for page in PAGES if kind in fences(page)}
