"""What each role is offered, and that another tenant sees nothing."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import expect

from tests.ui.conftest import Open
from tests.ui.site import Site

OPERATOR = ["/tenants", "/workers", "/queues", "/definitions", "/database"]


def test_a_viewer_is_offered_nothing_that_changes_anything(site: Site, open_as: Open) -> None:
    dead = site.run("break", "dead_letter", why="no")
    page = open_as("bob", "/jobs")
    expect(page.get_by_role("row").nth(1)).to_be_visible()
    assert page.get_by_role("checkbox").count() == 0
    assert page.get_by_role("link", name="Run a job").count() == 0
    page.goto(f"/jobs/{dead}")
    expect(page.get_by_role("heading", level=1)).to_be_visible()
    assert page.get_by_role("button", name=re.compile("^(Retry|Cancel)")).count() == 0
    assert page.get_by_role("link", name=re.compile("Run again")).count() == 0


def test_what_is_not_offered_is_refused_when_tried(site: Site, open_as: Open) -> None:
    dead = site.run("break", "dead_letter", why="no")
    page = open_as("bob")

    status = page.evaluate(
        "(id) => fetch(`/api/v1/jobs/${id}/retry`, { method: 'POST' }).then((answer) => answer.status)", dead
    )

    assert status == 403


@pytest.mark.parametrize("who", ["alice", "bob"])
def test_a_tenant_has_no_operator_pages(site: Site, open_as: Open, who: str) -> None:
    page = open_as(who)
    expect(page.get_by_role("navigation", name="Main", exact=True)).to_be_visible()
    names = page.get_by_role("navigation", name="Main", exact=True).get_by_role("link").all_inner_texts()
    assert not {"Tenants", "Workers", "Queues", "Definitions", "Database"} & set(names)
    for path in OPERATOR:
        page.goto(path)
        expect(page.get_by_text(re.compile("forbidden|may not|not allowed", re.IGNORECASE)).first).to_be_visible()


def test_another_tenant_sees_nothing_of_it(site: Site, open_as: Open) -> None:
    job = site.run("echo", text="a secret of acme")
    page = open_as("charlie", "/jobs?q=secret")
    expect(page.get_by_role("heading", level=1)).to_be_visible()
    assert "a secret of acme" not in page.content()
    for path in (
        "/",
        "/logs?q=secret",
        "/audit",
        "/keys",
        f"/jobs/{job}",
        f"/jobs/{job}?tenant=acme",
        "/jobs?tenant=acme",
    ):
        page.goto(path)
        expect(page.get_by_role("heading", level=1)).to_be_visible()
        page.wait_for_timeout(300)
        assert "a secret of acme" not in page.content(), path
        assert "Acme Inc." not in page.content(), path


def test_a_super_admin_reads_across_tenants_and_acts_for_one(site: Site, open_as: Open) -> None:
    dead = site.run("break", "dead_letter", why="across")
    page = open_as("root", f"/jobs/{dead}")
    expect(page.get_by_role("button", name=re.compile("Tenant: .*All tenants")).first).to_be_visible()
    assert page.get_by_role("button", name="Retry").count() == 0

    page.get_by_role("link", name=re.compile("Act for acme")).or_(
        page.get_by_role("button", name=re.compile("Act for acme"))
    ).first.click()

    expect(page.get_by_text("You act for acme")).to_be_visible()
    page.get_by_role("button", name="Retry").click()
    expect(page.get_by_text("1 job will run again")).to_be_visible()
    entry = site.ask("root", "GET", "/audit?limit=1", tenant="acme")["items"][0]
    assert entry["actor"]["type"] == "session"
