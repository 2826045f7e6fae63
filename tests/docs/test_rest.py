"""What the reference says of the REST API is what the server has."""

from __future__ import annotations

from fastapi.routing import APIRoute

from jobplane.config import Config
from jobplane.control.access import OPERATIONS
from jobplane.server.app import make_app
from jobplane.server.documents import codes, operations
from jobplane.store.sqlite.store import SqliteStore
from tests.docs.table import rows, words
from tools import rest


def test_the_page_is_made_from_the_api() -> None:
    assert rest.PAGE.read_text("utf-8") == rest.text(), "run .venv/bin/python -m tools.rest"


def test_every_operation_and_every_code_is_on_the_page() -> None:
    page = rest.PAGE.read_text("utf-8")
    app = make_app(Config(), SqliteStore(":memory:"))

    assert [name for _, _, name, _, _ in operations(app) if f"### {name}\n" not in page] == []
    assert [code for code in codes() if f"| `{code}` |" not in page] == []


def test_every_route_is_an_operation_with_a_role() -> None:
    app = make_app(Config(), SqliteStore(":memory:"))
    routes = [route for route in app.routes if isinstance(route, APIRoute) and route.path.startswith("/api/v1")]

    assert [route.path for route in routes if route.operation_id not in OPERATIONS] == []


def test_an_error_of_the_tree_has_the_same_code_in_both_tables() -> None:
    documented = {words(row["code"])[0] for row in rows("docs/reference/errors.md", "code")}

    assert {code for code in codes() if code not in documented} == {
        "malformed_request", "route_not_found", "method_not_allowed", "request_timeout", "body_too_large",
        "unsupported_media_type", "invalid_request", "header_too_large", "internal_error", "server_busy",
    }  # fmt: skip
