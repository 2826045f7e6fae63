"""The other pages: overview, run, logs, and what operators have."""

from __future__ import annotations

import re
from uuid import uuid4

from playwright.sync_api import expect

from tests.ui.conftest import Open
from tests.ui.site import Site


def test_the_overview_says_what_fails_and_leads_to_it(site: Site, open_as: Open) -> None:
    site.run("break", "dead_letter", why="the mail host is away")
    page = open_as("alice", "/")
    expect(page.get_by_role("heading", level=1)).to_contain_text(re.compile("things? needs? you"))
    problem = page.get_by_role("listitem").filter(has_text="break fails")
    expect(problem).to_contain_text("Failing")

    problem.get_by_role("link").click()

    expect(page).to_have_url(
        re.compile("status=.*dead_letter.*definition=break|definition=break.*status=.*dead_letter")
    )


def test_the_figures_of_the_overview_are_those_of_the_summary(site: Site, open_as: Open) -> None:
    site.enqueue("greet", name="later", options={"delay_seconds": 3600})
    page = open_as("alice", "/")
    waiting = page.get_by_role("link", name=re.compile("^Waiting"))
    expect(waiting).to_contain_text(f"{site.ask('alice', 'GET', '/jobs/summary')['queued']:,}")


def test_a_form_from_the_schema_shows_faults_beside_the_field_and_runs(site: Site, open_as: Open) -> None:
    page = open_as("alice", "/run?definition=greet")
    times = page.get_by_label("times", exact=False).first
    times.fill("-1.5")
    page.get_by_role("button", name=re.compile("^Run")).last.click()
    expect(page.get_by_text(re.compile("name|required", re.IGNORECASE)).first).to_be_visible()
    assert "/run" in page.url

    page.get_by_label("name", exact=False).first.fill("ann")
    times.fill("2")
    expect(page.get_by_text("jobplane run greet").first).to_be_visible()
    expect(page.get_by_text("curl").first).to_be_visible()
    page.get_by_role("button", name=re.compile("^Run")).last.click()

    page.wait_for_url(re.compile(r"/jobs/[0-9a-f-]{36}"))
    job = site.job(page.url.rpartition("/jobs/")[2][:36])
    assert (job["payload"]["name"], job["payload"]["times"]) == ("ann", 2)
    assert job["triggered_by"]["type"] == "session"


def test_logs_are_searched_over_jobs_and_lead_to_the_line(site: Site, open_as: Open) -> None:
    word = f"needle{uuid4().hex[:8]}"
    job = site.run("break", "dead_letter", why=word)
    page = open_as("bob", f"/logs?q={word}")

    page.get_by_role("link", name=re.compile(job[-8:])).first.click()

    expect(page).to_have_url(re.compile(f"{job}.*line=1"))


def test_a_queue_is_paused_with_a_reason_and_resumed(site: Site, open_as: Open) -> None:
    site.ask("root", "PUT", "/queues/letters", {"description": "Letters"})
    page = open_as("root", "/queues")
    row = page.get_by_role("row").filter(has_text="letters")
    row.get_by_role("button", name=re.compile("Pause")).click()
    page.get_by_label("Reason").fill("the printer is empty")
    page.get_by_role("dialog").get_by_role("button", name=re.compile("^Pause")).click()
    expect(row).to_contain_text("the printer is empty")

    row.get_by_role("button", name=re.compile("Resume")).click()

    expect(row).not_to_contain_text("the printer is empty")


def test_a_tenant_is_made_and_its_limits_changed(site: Site, open_as: Open) -> None:
    slug = f"t{uuid4().hex[:8]}"
    page = open_as("root", "/tenants")
    page.get_by_role("button", name="New tenant").click()
    page.get_by_label("Slug", exact=False).fill(slug)
    page.get_by_role("dialog").get_by_role("button", name=re.compile("Create|Make|Save")).click()

    expect(page.get_by_role("row").filter(has_text=slug)).to_be_visible()
    assert site.ask("root", "GET", f"/tenants/{slug}")["slug"] == slug


def test_a_worker_is_shown_with_its_slots_and_heartbeat(site: Site, open_as: Open) -> None:
    worker = site.ask("root", "GET", "/workers")["items"][0]
    page = open_as("root", "/workers")

    expect(page.get_by_text(worker["worker_id"]).first).to_be_visible()
    expect(page.get_by_text(re.compile(rf"of {worker['slots']}|/ ?{worker['slots']}")).first).to_be_visible()


def test_a_definition_shows_what_a_person_has_overridden(site: Site, open_as: Open) -> None:
    site.ask("root", "PATCH", "/admin/jobs/definitions/refuse", {"timeout_seconds": 77})
    page = open_as("root", "/definitions/refuse")

    row = page.get_by_role("row").filter(has_text="timeout")
    expect(row).to_contain_text("1 min 17 s")
    expect(row).to_contain_text("set here by a person")


def test_a_key_is_shown_once_and_revoked(site: Site, open_as: Open) -> None:
    name = f"shop {uuid4().hex[:6]}"
    page = open_as("alice", "/keys")
    page.get_by_role("button", name=re.compile("New key|Create")).first.click()
    page.get_by_label("Name", exact=False).first.fill(name)
    page.get_by_role("dialog").get_by_role("button", name=re.compile("Create|Make")).click()
    expect(page.get_by_text(re.compile("jp_[a-z0-9]+_")).first).to_be_visible()
    page.get_by_role("button", name=re.compile("Done|Close|I have")).first.click()

    page.reload()
    expect(page.get_by_role("row").filter(has_text=name)).to_be_visible()
    assert not re.search(r"jp_[a-z0-9]{8,}_[A-Za-z0-9]{20,}", page.content())


def test_the_audit_log_names_who_did_it(site: Site, open_as: Open) -> None:
    job = site.enqueue("greet", name="x", options={"delay_seconds": 3600})
    site.ask("rita", "POST", f"/jobs/{job}/cancel", {"reason": "not needed"})
    page = open_as("alice", "/audit")

    expect(page.get_by_role("row").filter(has_text="rita").first).to_be_visible()


def test_the_database_is_said_to_be_well(site: Site, open_as: Open) -> None:
    page = open_as("root", "/database")
    expect(page.get_by_role("heading", level=1)).to_be_visible()
    expect(page.get_by_text("PostgreSQL").first).to_be_visible()


def test_help_lists_the_keys_and_turns_them_off(site: Site, open_as: Open) -> None:
    page = open_as("alice", "/jobs")
    expect(page.get_by_role("heading", level=1)).to_be_visible()
    page.keyboard.press("?")
    dialog = page.get_by_role("dialog", name="Keyboard shortcuts")
    expect(dialog).to_be_visible()
    dialog.get_by_label("Single keys act").uncheck()
    page.keyboard.press("Escape")

    page.keyboard.press("g")
    page.keyboard.press("l")
    page.wait_for_timeout(300)

    assert page.url.endswith("/jobs")


def test_the_finder_leads_to_a_job_by_the_end_of_its_id(site: Site, open_as: Open) -> None:
    job = site.run("greet", name="found")
    page = open_as("alice", "/")
    expect(page.get_by_role("heading", level=1)).to_be_visible()
    page.keyboard.press("Control+k")
    page.get_by_role("combobox", name="Find").fill(job[-8:])
    page.get_by_role("option").filter(has_text=job[-8:]).click()

    expect(page).to_have_url(re.compile(job))
