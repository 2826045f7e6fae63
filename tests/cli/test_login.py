"""`jobplane login --web` on a database, without a server."""

from __future__ import annotations

import re

from jobplane.core.sessions import Session, Token
from jobplane.core.sessions import new_token as new
from tests.cli.desk import Desk


def used(desk: Desk, link: str) -> Session | None:
    """Sign in with a printed link."""
    token = Token(link.strip().partition("#link=")[2])
    return desk.store.create_session(new("jps").digest, 3600, 3600, link=token.digest)


def test_a_link_signs_in_as_the_login_once(desk: Desk) -> None:
    done = desk.run("login", "--web")

    assert done.code == 0, done.err
    assert re.fullmatch(r"http://127\.0\.0\.1:8580/sign-in#link=jpl_[\w-]{43}\n", done.out)
    assert "once" in done.err
    session = used(desk, done.out)
    assert session is not None
    assert (session.principal_type, session.role) == ("login", "super_admin")
    assert used(desk, done.out) is None


def test_a_link_leads_to_where_the_server_is(desk: Desk) -> None:
    settings = {
        "https://jobs.example.com/plane": {"JOBPLANE_SERVER_URL": "https://jobs.example.com/plane/"},
        "http://127.0.0.1:9000": {"JOBPLANE_SERVER_HTTP": "0.0.0.0:9000"},
        "http://[::1]:9000/jobs": {"JOBPLANE_SERVER_HTTP": "[::]:9000", "JOBPLANE_SERVER_ROOT_PATH": "/jobs"},
    }
    for address, env in settings.items():
        done = desk.run("login", "--web", "--no-browser", "--url", desk.url, **env)
        assert done.out.startswith(f"{address}/sign-in#link="), done


def test_a_dry_run_makes_no_link(desk: Desk) -> None:
    done = desk.run("login", "--web", "--dry-run")

    assert (done.code, done.out) == (0, "")
    assert "Would send: POST /api/v1/session/links" in done.err
    assert [entry.action for entry in desk.store.list_audit().items if "Session" in entry.action] == []


def test_it_has_to_be_said_what_to_sign_in_to(desk: Desk) -> None:
    done = desk.run("login")

    assert (done.code, done.out) == (2, "")
    assert "--web" in done.err
