"""Who gets in, how, and out again."""

from __future__ import annotations

from playwright.sync_api import StorageState, expect

from tests.ui.conftest import Open
from tests.ui.site import Site


def test_somebody_who_is_not_signed_in_is_asked_for_a_key_and_comes_back(site: Site, open_as: Open) -> None:
    page = open_as(None, "/jobs?status=%5B%22failed%22%5D")

    expect(page.get_by_role("heading", name="Sign in to jobplane")).to_be_visible()
    page.get_by_label("API key").fill(site.keys["alice"])
    page.get_by_role("button", name="Sign in").click()

    page.wait_for_url("**/jobs?status=*")
    assert "failed" in page.url


def test_a_wrong_key_is_refused_in_words(open_as: Open) -> None:
    page = open_as(None, "/sign-in")

    page.get_by_label("API key").fill("jp_nobody")
    page.get_by_role("button", name="Sign in").click()

    expect(page.get_by_text("The key or the link is wrong")).to_be_visible()


def test_a_link_signs_in_once(site: Site, open_as: Open) -> None:
    link = site.ask("alice", "POST", "/session/links")
    page = open_as(None, link["path"])
    expect(page.get_by_role("navigation", name="Main", exact=True)).to_be_visible()
    assert link["link"] not in page.url

    again = open_as(None, link["path"])
    expect(again.get_by_text("This link has been used")).to_be_visible()


def test_signing_out_everywhere_ends_the_other_windows(open_as: Open, sessions: dict[str, StorageState]) -> None:
    here, there = open_as("rita", anew=True), open_as("rita", anew=True)
    here.get_by_role("button", name="Account and sign out").click()
    here.get_by_role("button", name="Sign out everywhere").click()
    sessions.pop("rita", None)
    expect(here.get_by_role("heading", name="Sign in to jobplane")).to_be_visible()

    there.wait_for_timeout(5500)  # another process remembers a session for five seconds
    there.goto("/jobs")
    expect(there.get_by_role("heading", name="Sign in to jobplane")).to_be_visible()


def test_a_sign_in_leads_only_to_this_page(site: Site, open_as: Open) -> None:
    page = open_as(None, "/sign-in?next=%2F%2Fexample.com")
    page.get_by_label("API key").fill(site.keys["bob"])
    page.get_by_role("button", name="Sign in").click()

    expect(page.get_by_role("navigation", name="Main", exact=True)).to_be_visible()
    assert page.url.startswith(site.url)
