"""One job: what happened, why, and what now."""

from __future__ import annotations

import re

from playwright.sync_api import expect

from tests.ui.conftest import Open
from tests.ui.site import Site


def test_a_dead_letter_shows_each_attempt_with_its_error_and_log(site: Site, open_as: Open) -> None:
    job = site.run("break", "dead_letter", why="the disk is full")
    page = open_as("alice", f"/jobs/{job}")

    expect(page.get_by_role("heading", level=1)).to_contain_text("the disk is full")
    expect(page.get_by_text("2 of 2 counted")).to_be_visible()
    expect(page.get_by_role("log")).to_contain_text("the disk is full")


def test_a_waiting_job_says_what_keeps_it(site: Site, open_as: Open) -> None:
    site.ask("root", "PUT", "/queues/shut", {"description": ""})
    site.ask("root", "POST", "/queues/shut/pause", {"reason": "moving house"})
    job = site.enqueue("greet", name="ann", options={"queue": "shut"})
    page = open_as("bob", f"/jobs/{job}")

    why = page.get_by_role("region", name="Why it waits")
    expect(why).to_contain_text("moving house")
    site.ask("root", "POST", "/queues/shut/resume")


def test_a_running_job_reports_progress_and_stops_when_asked(site: Site, open_as: Open) -> None:
    job = site.enqueue("linger", note="copying")
    page = open_as("rita", f"/jobs/{job}")
    expect(page.get_by_role("progressbar").first).to_be_visible()
    expect(page.get_by_text("copying").first).to_be_visible()

    page.get_by_role("button", name="Cancel", exact=True).click()
    page.get_by_label("Reason").fill("the wrong folder")
    page.get_by_role("button", name="Cancel job").click()

    site.wait(job, "canceled")
    expect(page.get_by_role("heading", level=1)).to_contain_text(re.compile("[Cc]anceled"))
    expect(page.get_by_text("the wrong folder").first).to_be_visible()


def test_ten_thousand_lines_are_there_and_a_line_has_an_address(site: Site, open_as: Open) -> None:
    job = site.enqueue("chatter", lines=10_000)
    site.wait(job, "succeeded", seconds=90)
    page = open_as("bob", f"/jobs/{job}?attempt=1&line=5001")

    log = page.get_by_role("log")
    expect(log).to_contain_text("line 5000 of a long log", timeout=30_000)
    assert log.get_by_text("of a long log").count() < 500  # what is not in sight is not drawn


def test_a_log_is_searched_and_downloaded(site: Site, open_as: Open) -> None:
    job = site.run("greet", name="ann", times=5)
    page = open_as("bob", f"/jobs/{job}")
    page.get_by_label("Search this log").fill("hello")
    expect(page.get_by_role("log").locator("mark").first).to_be_visible()

    with page.expect_download() as download:
        page.get_by_role("button", name="Download as text").click()

    text = download.value.path().read_text()
    assert text.count("hello") == 5


def test_a_job_runs_again_with_another_payload(site: Site, open_as: Open) -> None:
    job = site.run("greet", name="ann")
    page = open_as("alice", f"/jobs/{job}")
    page.get_by_role("link", name=re.compile("Run again")).click()
    name = page.get_by_label("name", exact=False).first
    expect(name).to_have_value("ann")
    name.fill("bo")
    page.get_by_role("button", name=re.compile("^Run")).last.click()

    page.wait_for_url(re.compile(r"/jobs/[0-9a-f-]{36}"))
    made = page.url.rpartition("/jobs/")[2][:36]
    assert made != job
    assert site.job(made)["payload"]["name"] == "bo"


def test_secrets_are_never_shown(site: Site, open_as: Open) -> None:
    body = {"definition_key": "echo", "payload": {"text": "x"}, "metadata": {"api_token": "s3cr3t-value"}}
    job = site.ask("alice", "POST", "/jobs", body)["id"]
    page = open_as("alice", f"/jobs/{job}")

    expect(page.get_by_role("heading", level=1)).to_be_visible()
    expect(page.get_by_text("hidden").first).to_be_visible()
    assert "s3cr3t" not in page.content()
