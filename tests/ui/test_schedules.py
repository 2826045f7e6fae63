"""Schedules: made, seen to fire, paused, changed, backfilled and deleted; and who may not."""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import uuid4

from playwright.sync_api import Page, expect

from tests.migrations.processes import until
from tests.ui.conftest import Open
from tests.ui.site import Site


def make(site: Site, who: str = "alice", **values: Any) -> Any:
    """A schedule that greets somebody at two in the morning."""
    given: Mapping[str, Any] = {
        "label": f"Nightly {uuid4().hex[:6]}",
        "definition_key": "greet",
        "payload_template": {"name": "ann"},
        **({} if {"interval_seconds", "once"} & set(values) else {"cron_expr": "0 2 * * *"}),
        **values,
    }
    return site.ask(who, "POST", "/schedules", given)


def read(site: Site, schedule: Any) -> Any:
    return site.ask("alice", "GET", f"/schedules/{schedule['id']}")


def choose(page: Page, label: str, option: str) -> None:
    """Choose in a list that one can type into."""
    page.get_by_role("combobox", name=label).fill(option)
    page.get_by_role("option", name=option, exact=True).click()


def test_a_schedule_is_made_from_nothing_fires_and_is_paused(site: Site, open_as: Open) -> None:
    label = f"Greeting {uuid4().hex[:6]}"
    page = open_as("alice", "/schedules")
    page.get_by_role("link", name=re.compile("New schedule|Make the first schedule")).click()
    page.get_by_role("button", name="At an interval").click()
    page.get_by_label("Every").fill("2")
    page.get_by_label("Unit").select_option("seconds")
    expect(page.get_by_text("Every 2 seconds")).to_be_visible()
    expect(page.get_by_role("list", name="Next fires").get_by_role("listitem")).to_have_count(7)
    expect(page.get_by_text(re.compile("would have fired [0-9,]+ times"))).to_be_visible()
    page.get_by_label("Label").fill(label)
    choose(page, "Definition", "greet")
    expect(page.get_by_text("Takes name")).to_be_visible()
    page.get_by_label("Payload").fill('{"name": "{{ schedule.local_date }}"}')
    page.get_by_role("radio", name=re.compile("Skip.*new one")).check(force=True)
    page.get_by_role("button", name="Make schedule").click()
    expect(page.get_by_role("heading", level=1)).to_contain_text(label)

    first = page.get_by_role("row").filter(has_text="Fired").first
    expect(first).to_be_visible(timeout=20_000)
    first.get_by_role("link").click()
    expect(page).to_have_url(re.compile(r"/jobs/[0-9a-f-]{36}"))
    facts = page.get_by_label("Facts")
    expect(facts.get_by_text(re.compile(r"planned for .* UTC, (on time|\d+ s late)"))).to_be_visible()
    facts.get_by_role("link", name=label).click()

    page.get_by_role("button", name="Pause…").click()
    page.get_by_label("Reason").fill("a change of the template")
    page.get_by_role("button", name="Pause", exact=True).click()

    expect(page.get_by_role("heading", level=1)).to_have_text(f"{label} is paused")
    expect(page.get_by_text("Paused: a change of the template.")).to_be_visible()
    page.get_by_role("button", name="Resume").click()
    expect(page.get_by_role("button", name="Pause…")).to_be_visible()
    page.get_by_role("button", name="Delete…").click()
    page.get_by_label("Type").fill(label)
    page.get_by_role("button", name="Delete schedule").click()
    expect(page).to_have_url(re.compile("/schedules$"))
    expect(page.get_by_role("link", name=label)).to_have_count(0)


def test_the_editor_says_what_is_wrong_as_one_types(site: Site, open_as: Open) -> None:
    page = open_as("alice", "/schedules/new")
    cron = page.get_by_label("Cron expression")
    cron.fill("61 2 * * *")
    expect(page.get_by_text('The minute has "61"')).to_be_visible()
    expect(cron).to_have_attribute("aria-invalid", "true")
    cron.fill("30 2 * * *")
    expect(page.get_by_text('The minute has "61"')).to_have_count(0)
    choose(page, "Time zone", "Europe/Oslo")
    expect(page.get_by_text("At 02:30 every day, Oslo time")).to_be_visible()

    page.get_by_label("From").fill("2027-03-27T00:00:00")

    expect(page.get_by_text("The clock goes forward.")).to_be_visible()
    expect(page.get_by_text("UTC+02:00").first).to_be_visible()
    page.get_by_role("button", name="Make schedule").click()
    expect(page.get_by_text("A schedule needs a label.")).to_be_visible()
    page.get_by_label("Label").fill("x")
    choose(page, "Definition", "greet")
    page.get_by_label("Payload").fill('{"name": "{{ nobody.knows }}"}')
    page.get_by_role("button", name="Make schedule").click()
    expect(page.get_by_text("Unknown name nobody")).to_be_visible()
    assert page.url.endswith("/schedules/new")


def test_a_payload_that_does_not_fit_is_saved_with_a_warning(site: Site, open_as: Open) -> None:
    made = make(site)
    page = open_as("alice", f"/schedules/{made['id']}/edit")
    page.get_by_label("Payload").fill('{"nom": "ann"}')

    page.get_by_role("button", name="Save").first.click()

    expect(page.get_by_text("its jobs would be refused as it stands")).to_be_visible()
    expect(page.get_by_text("does not fit definition")).to_be_visible()
    assert read(site, made)["payload_template"] == {"nom": "ann"}


def test_a_change_that_somebody_else_made_is_not_lost(site: Site, open_as: Open) -> None:
    made = make(site)
    page = open_as("alice", f"/schedules/{made['id']}/edit")
    page.get_by_label("Label").fill("mine")
    site.ask("alice", "PATCH", f"/schedules/{made['id']}", {"label": "theirs"})

    page.get_by_role("button", name="Save").first.click()

    expect(page.get_by_text("Somebody changed this schedule meanwhile.")).to_be_visible()
    assert read(site, made)["label"] == "theirs"
    page.get_by_role("button", name="Reload").click()
    expect(page.get_by_label("Label")).to_have_value("theirs")


def test_a_backfill_looks_first_and_makes_no_job_twice(site: Site, open_as: Open) -> None:
    made = make(site, interval_seconds=86_400)
    page = open_as("alice", f"/schedules/{made['id']}")
    page.get_by_role("button", name="Backfill…").click()
    start = datetime.now(UTC) - timedelta(days=3)
    page.get_by_label("From").fill(start.strftime("%Y-%m-%dT%H:%M"))

    page.get_by_role("button", name="See what it would make").click()

    expect(page.get_by_text("3 jobs would be made.")).to_be_visible()
    assert not site.ask("alice", "GET", f"/schedules/{made['id']}/fires")["items"]
    page.get_by_role("button", name="Make 3 jobs").click()
    expect(page.get_by_role("cell", name="Made by a backfill.", exact=True).first).to_be_visible()
    page.get_by_role("button", name="Backfill…").click()
    page.get_by_label("From").fill(start.strftime("%Y-%m-%dT%H:%M"))
    page.get_by_role("button", name="See what it would make").click()
    expect(page.get_by_text("No job would be made.")).to_be_visible()


def test_a_fire_by_hand_and_the_switch_of_the_list(site: Site, open_as: Open) -> None:
    made = make(site, key=f"by-hand-{uuid4().hex[:6]}")
    page = open_as("alice", f"/schedules/{made['key']}")
    page.get_by_role("button", name="Fire now").click()
    expect(page.get_by_role("cell", name="Fired by hand.", exact=True)).to_be_visible()

    page.goto("/schedules?definition=greet")
    switch = page.get_by_role("switch", name=f"{made['label']} enabled")
    expect(switch).to_be_checked()
    switch.click(force=True)
    expect(page.get_by_text(f"{made['label']} is paused")).to_be_visible()
    until(lambda: not read(site, made)["is_enabled"], 10)
    page.get_by_role("button", name="Undo").click()
    until(lambda: read(site, made)["is_enabled"], 10)


def test_filters_are_in_the_address_and_the_keyboard_goes_there(site: Site, open_as: Open) -> None:
    on, off = make(site), make(site, is_enabled=False, disabled_reason="resting")
    page = open_as("bob", "/jobs")
    expect(page.get_by_role("heading", level=1)).to_be_visible()
    page.keyboard.press("g")
    page.keyboard.press("s")
    expect(page).to_have_url(re.compile("/schedules$"))
    expect(page.get_by_role("link", name=on["label"])).to_be_visible()

    page.get_by_role("button", name="Off", exact=True).click()

    expect(page).to_have_url(re.compile("enabled=off"))
    expect(page.get_by_role("link", name=on["label"])).to_have_count(0)
    expect(page.get_by_role("row").filter(has_text=off["label"])).to_contain_text("Paused: resting")
    page.go_back()
    expect(page.get_by_role("link", name=on["label"])).to_be_visible()


def test_the_overview_has_the_next_fires(site: Site, open_as: Open) -> None:
    soon = datetime.now(UTC) + timedelta(hours=1)
    made = make(site, once=True, starts_at=soon.isoformat(), timezone="Asia/Tokyo")
    site.run("greet", name="ann")
    page = open_as("alice", "/")
    row = page.get_by_role("listitem").filter(has_text=made["label"])
    expect(row).to_contain_text("Asia/Tokyo")
    row.get_by_role("link").click()
    expect(page.get_by_role("heading", level=1)).to_contain_text(made["label"])


def test_a_viewer_is_offered_nothing_that_changes_a_schedule(site: Site, open_as: Open) -> None:
    made = make(site)
    page = open_as("bob", "/schedules")
    expect(page.get_by_role("link", name=made["label"])).to_be_visible()
    assert page.get_by_role("switch").count() == 0
    assert page.get_by_role("link", name="New schedule").count() == 0
    page.goto(f"/schedules/{made['id']}")
    expect(page.get_by_role("heading", level=1)).to_contain_text(made["label"])
    changing = page.get_by_role("button", name=re.compile("^(Delete|Backfill|Pause|Resume|Fire)"))
    assert changing.or_(page.get_by_role("link", name="Change")).count() == 0
    for path in ("/schedules/new", f"/schedules/{made['id']}/edit"):
        page.goto(path)
        expect(page.get_by_role("heading", level=1)).to_contain_text("You cannot")
    tried = "(id) => fetch(`/api/v1/schedules/${id}/fire`, { method: 'POST' }).then((answer) => answer.status)"
    assert page.evaluate(tried, made["id"]) == 403


def test_another_tenant_sees_nothing_of_a_schedule(site: Site, open_as: Open) -> None:
    made = make(site, label="a secret schedule of acme")
    page = open_as("charlie", "/schedules")
    for path in (
        "/",
        "/schedules",
        f"/schedules/{made['id']}",
        f"/schedules/{made['id']}/edit",
        "/schedules?tenant=acme",
    ):
        page.goto(path)
        expect(page.get_by_role("heading", level=1)).to_be_visible()
        page.wait_for_timeout(300)
        assert "a secret schedule" not in page.content(), path


def test_a_super_admin_reads_schedules_of_all_tenants_and_acts_for_one(site: Site, open_as: Open) -> None:
    made = make(site)
    page = open_as("root", "/schedules")
    row = page.get_by_role("row").filter(has_text=made["label"])
    expect(row.get_by_role("cell", name="Acme Inc.", exact=True)).to_be_visible()
    assert page.get_by_role("switch").count() == 0
    row.get_by_role("link", name=made["label"]).click()
    expect(page.get_by_role("heading", level=1)).to_contain_text(made["label"])
    assert page.get_by_role("button", name="Fire now").count() == 0
    page.get_by_role("link", name="Act for acme").click()
    expect(page.get_by_role("button", name="Fire now")).to_be_visible()
