"""The list of jobs, and what people do there."""

from __future__ import annotations

import re
from uuid import uuid4

from playwright.sync_api import expect

from tests.ui.conftest import Open
from tests.ui.site import Site


def mark() -> str:
    """A word that only the jobs of one test have."""
    return f"m{uuid4().hex[:10]}"


def test_a_row_says_what_is_up_with_its_job(site: Site, open_as: Open) -> None:
    word = mark()
    site.run("break", "dead_letter", why=f"{word} is down")
    site.enqueue("greet", name=word, options={"delay_seconds": 3600})
    page = open_as("alice", f"/jobs?q={word}")

    expect(page.get_by_role("row").filter(has_text=f"RuntimeError: {word} is down")).to_contain_text("Dead letter")
    expect(page.get_by_role("row").filter(has_text="Starts in")).to_contain_text("Scheduled")


def test_filters_are_in_the_address_and_back_undoes_them(site: Site, open_as: Open) -> None:
    site.run("refuse", "failed", why="no")
    page = open_as("alice", "/jobs")
    page.get_by_role("button", name=re.compile("^Failed")).click()
    expect(page).to_have_url(re.compile("status=.*failed"))
    page.get_by_role("button", name=re.compile("^Running")).click()
    expect(page).to_have_url(re.compile("running"))

    page.go_back()

    expect(page).not_to_have_url(re.compile("running"))
    expect(page.get_by_role("button", name=re.compile("^Failed"))).to_have_attribute("aria-pressed", "true")


def test_a_selection_is_canceled_in_one_call_and_taken_back(site: Site, open_as: Open) -> None:
    word = mark()
    jobs = [site.enqueue("greet", name=word, options={"delay_seconds": 3600}) for _ in range(3)]
    page = open_as("rita", f"/jobs?q={word}")
    expect(page.get_by_role("row").filter(has_text="Scheduled")).to_have_count(3)
    calls: list[str] = []
    page.on("request", lambda request: calls.append(request.url) if request.method == "POST" else None)

    page.get_by_role("checkbox", name="Select all on this page").check()
    page.get_by_role("button", name="Cancel 3").click()
    expect(page.get_by_text("3 jobs canceled")).to_be_visible()
    assert {site.job(job)["status"] for job in jobs} == {"canceled"}
    page.get_by_role("button", name="Undo").click()

    expect(page.get_by_text("3 jobs will run again")).to_be_visible()
    assert {site.job(job)["status"] for job in jobs} == {"queued"}
    assert [url.rpartition("/api/v1")[2] for url in calls] == ["/jobs/actions/cancel", "/jobs/actions/retry"]


def test_a_dead_letter_is_retried_by_keyboard(site: Site, open_as: Open) -> None:
    word = mark()
    job = site.run("break", "dead_letter", why=word)
    page = open_as("rita", f"/jobs?q={word}&status=%5B%22dead_letter%22%5D")
    expect(page.get_by_role("row").filter(has_text=word)).to_have_count(1)

    page.keyboard.press("j")
    page.keyboard.press("r")

    expect(page.get_by_text("1 job will run again")).to_be_visible()
    assert site.job(job)["attempt_no"] >= 2
    site.wait(job, "dead_letter")


def test_enter_opens_the_job_under_the_cursor(site: Site, open_as: Open) -> None:
    word = mark()
    job = site.run("greet", name=word)
    page = open_as("bob", f"/jobs?q={word}")
    expect(page.get_by_role("row").filter(has_text=word)).to_have_count(1)

    page.keyboard.press("j")
    page.keyboard.press("Enter")

    expect(page).to_have_url(re.compile(job))


def test_a_list_changes_by_itself(site: Site, open_as: Open) -> None:
    word = mark()
    job = site.enqueue("linger", note=word)
    page = open_as("alice", f"/jobs?q={word}")
    expect(page.get_by_role("row").filter(has_text="Running")).to_have_count(1)

    site.ask("alice", "POST", f"/jobs/{job}/cancel", {"reason": "enough"})

    expect(page.get_by_role("row").filter(has_text="Canceled")).to_have_count(1)
    expect(page.get_by_text("enough")).to_be_visible()


def test_the_page_says_when_the_server_is_gone_and_comes_back(site: Site, open_as: Open) -> None:
    page = open_as("alice", "/jobs")
    expect(page.get_by_role("heading", level=1)).to_be_visible()

    page.context.set_offline(True)
    expect(page.get_by_text("Cut off")).to_be_visible(timeout=30_000)
    page.context.set_offline(False)

    expect(page.get_by_text("Cut off")).to_be_hidden(timeout=30_000)
    expect(page.get_by_role("status").filter(has_text="Live")).to_be_visible()


def test_older_pages_are_reached_by_a_cursor(site: Site, open_as: Open) -> None:
    word = mark()
    body = [{"definition_key": "greet", "payload": {"name": word}, "delay_seconds": 3600, "tags": [word]}] * 60
    site.ask("alice", "POST", "/jobs/bulk", {"jobs": body})
    page = open_as("alice", f"/jobs?tag={word}")
    expect(page.get_by_role("row").filter(has_text=word)).to_have_count(50)

    page.get_by_role("link", name="Older").click()

    expect(page.get_by_role("row").filter(has_text=word)).to_have_count(10)
    expect(page).to_have_url(re.compile("cursor="))
