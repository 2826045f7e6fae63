"""Commands: making one, running one, and seeing what became of it."""

from __future__ import annotations

import re
from itertools import count
from typing import Any, Final

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.ui.command_policy import SHELL
from tests.ui.conftest import Open
from tests.ui.site import Site

_NUMBERS: Final = count(1)
SCHEMA: Final[dict[str, Any]] = {
    "type": "object",
    "properties": {
        "path": {"type": "string"},
        "dry_run": {"type": "boolean"},
        "tags": {"type": "array", "items": {"type": "string"}},
        "token": {"type": "string", "writeOnly": True},
    },
    "required": ["path"],
    "additionalProperties": False,
}
SYNC: Final[list[Any]] = [
    *("sync", "--tenant={tenant_id}", "--path={path}"),
    *({"flag": "--dry-run", "if": "dry_run"}, {"each": "--tag={item}", "of": "tags"}),
]
# Printed by a shell: colours, a title, a link, HTML, a text that is turned around, noise, and a long line.
HOSTILE: Final = r"""
printf '\033[31mred\033[0m \033]0;title\007 \033]8;;javascript:window.pwned=1\007link\033]8;;\007 \033[2J\n'
echo "<img src=x onerror=window.pwned=1>"; printf '\342\200\256turned\n'; printf '10%%\r100%%\n'
head -c 3000 /dev/urandom; echo; head -c 65536 /dev/zero | tr '\000' x; echo
p=password; echo "$p=hunter2hunter2"; echo "the end" >&2; exit 3
"""


def name() -> str:
    return f"command-{next(_NUMBERS)}"


def shell(site: Site, script: str, **more: Any) -> str:
    """The key of a new command that the worker runs."""
    key = name()
    site.define(key, SHELL, "-c", script, **more)
    return key


def stored(site: Site, key: str) -> Any:
    return site.ask("root", "GET", f"/admin/jobs/definitions/{key}")


def panel(page: Page, title: str) -> Locator:
    return page.locator("section").filter(has=page.get_by_role("heading", name=title, exact=True, level=2))


def test_a_command_shows_what_it_runs_and_what_to_do_until_a_worker_may(site: Site, open_as: Open) -> None:
    key = name()
    more: dict[str, Any] = {"environment": {"TOKEN": "env:UI_TOKEN"}, "exit_codes": {"75": "retry", "3": "fail"}}
    made = site.define(key, "/bin/echo", *SYNC, arg_schema=SCHEMA, allow=False, **more)
    page = open_as("root", f"/definitions/{key}")

    expect(page.get_by_role("heading", level=1)).to_have_text(f"No live worker may run {key}")
    line = page.get_by_role("group", name="Command line", exact=True)
    expect(line).to_have_text("/bin/echosync--tenant=tenant_id--path=path[--dry-run][--tag=item …]")
    command = panel(page, "Command")
    for said in ("only if dry_run is true", "once for each of tags", "a secret from the worker's environment", "75"):
        expect(command.get_by_text(said).first).to_be_visible()
    workers = panel(page, "Workers that may run it")
    expect(workers.get_by_role("row").nth(1)).to_contain_text("Its policy does not name the command.")
    expect(workers.get_by_text(f"jobplane policy write {key}")).to_be_visible()

    site.allow(made)
    expect(page.get_by_role("heading", level=1)).to_contain_text(f"{key} may run on", timeout=30_000)
    expect(workers.get_by_role("row").nth(1)).to_contain_text("Ready")
    expect(workers.get_by_text("jobplane policy write")).to_have_count(0)


def test_the_list_tells_commands_from_handlers_and_those_that_no_worker_may_run(site: Site, open_as: Open) -> None:
    key, allowed = name(), shell(site, "true")
    site.define(key, "/bin/true", allow=False)
    page = open_as("root", "/definitions")

    for row, said in ((key, "No worker may run it"), (allowed, "Enabled")):
        expect(page.get_by_role("row", name=re.compile(f"^{row} ")).first).to_contain_text(said)
        expect(
            page.get_by_role("row", name=re.compile(f"^{row} ")).get_by_role("cell", name="command", exact=True)
        ).to_be_visible()
    expect(page.get_by_role("row", name=re.compile("^greet ")).get_by_role("cell", name="python")).to_be_visible()


def add(page: Page, number: int, text: str, kind: str = "Text", of: str = "") -> None:
    page.get_by_role("button", name="Add an argument").click()
    page.get_by_label(f"Kind of argument {number}").select_option(kind)
    page.get_by_label(f"Argument {number}", exact=True).fill(text)
    if of:
        page.get_by_label(re.compile(f"the property of argument {number}$")).fill(of)


def test_a_command_is_made_in_the_page_with_every_kind_of_argument(site: Site, open_as: Open) -> None:
    key = name()
    page = open_as("root", "/definitions")
    page.get_by_role("link", name="New command").click()
    page.get_by_role("textbox", name="Key", exact=True).fill(key)
    page.get_by_label("Executable").fill("/bin/echo")
    add(page, 1, "--path={path}")
    add(page, 2, "--dry-run", "Flag, if", "dry_run")
    add(page, 3, "{item}", "Each of", "tags")
    page.get_by_label("Its value may begin with a dash").check()
    page.get_by_role("button", name="Move argument 3 up").click()
    page.get_by_role("button", name="Add a variable").click()
    page.get_by_label("Name of variable 1").fill("TOKEN")
    page.get_by_label("Value of variable 1").fill("env:UI_TOKEN")
    page.get_by_role("button", name="Add an exit code").click()
    page.get_by_label("Exit code 1", exact=True).last.fill("75")
    expect(page.get_by_text("The schema does not have path, tags and dry_run yet.")).to_be_visible()
    page.get_by_role("button", name="Add them").click()
    expect(page.get_by_text("The server would take it.")).to_be_visible()
    page.get_by_role("button", name="Make command").click()

    expect(page.get_by_role("heading", level=1)).to_have_text(f"No live worker may run {key}")
    made = stored(site, key)
    assert made["command"]["argv"] == [
        "--path={path}",
        {"each": "{item}", "of": "tags", "may_start_with_dash": True},
        {"flag": "--dry-run", "if": "dry_run"},
    ]
    assert (made["command"]["environment"], made["command"]["exit_codes"]) == (
        {"TOKEN": "env:UI_TOKEN"},
        {"75": "retry"},
    )
    assert made["arg_schema"]["required"] == ["path"]
    assert (made["kind"], made["arg_schema"]["properties"]["dry_run"]) == ("command", {"type": "boolean"})


def test_what_the_server_refuses_stands_at_its_place_before_it_is_saved(site: Site, open_as: Open) -> None:
    taken = shell(site, "true")
    page = open_as("root", "/commands/new")
    page.get_by_role("textbox", name="Key", exact=True).fill(taken)
    page.get_by_label("Executable").fill("bin/echo")
    page.get_by_label("Executable").blur()
    expect(page.get_by_text("An absolute path, like")).to_be_visible()
    page.get_by_label("Executable").fill("/bin/../echo")
    add(page, 1, "--x={nobody}")

    expect(page.get_by_text("without parts like")).to_be_visible()
    page.get_by_label("Executable").fill("/bin/echo")
    expect(page.get_by_label("Argument 1", exact=True)).to_have_attribute("aria-invalid", "true")
    page.get_by_label("Argument 1", exact=True).fill("--x")
    expect(page.get_by_role("textbox", name="Key", exact=True)).to_have_attribute("aria-invalid", "true")
    expect(page.get_by_text("There is a definition")).to_be_visible()
    page.get_by_role("textbox", name="Key", exact=True).fill(name())
    page.get_by_label("JSON Schema of the payload").fill(
        '{\n  "type": "object",\n  "properties": {\n    "path": {"type": "strang"}\n  }\n}'
    )
    expect(page.get_by_text("Line 4: ")).to_be_visible()
    assert not [d for d in site.ask("root", "GET", "/definitions?limit=200")["items"] if d["key"].startswith("new")]


def test_a_command_is_written_as_json_and_back(site: Site, open_as: Open) -> None:
    key = name()
    site.define(key, "/bin/echo", "a", arg_schema=SCHEMA, allow=False)
    page = open_as("root", f"/definitions/{key}/command")
    page.get_by_role("button", name="JSON").click()
    text = page.get_by_label("Command", exact=True)
    expect(text).to_have_value(re.compile('"executable": "/bin/echo"'))
    text.fill('{\n  "executable": "/bin/echo",\n  "argv": ["a",\n    "{nobody}"]\n}')
    expect(page.get_by_text("Line 4: ")).to_be_visible()
    text.fill('{"executable": "/bin/echo", "argv": ["a", "{path}"], "shell": true}')
    expect(page.get_by_role("button", name="Parts")).to_be_disabled()
    text.fill('{"executable": "/bin/echo", "argv": ["a", "{path}"]}')
    page.get_by_role("button", name="Parts").click()
    expect(page.get_by_label("Argument 2", exact=True)).to_have_value("{path}")
    page.get_by_role("button", name="Save").last.click()

    expect(page).to_have_url(re.compile(f"/definitions/{key}$"))
    assert stored(site, key)["command"]["argv"] == ["a", "{path}"]


def test_nobody_overwrites_a_change_they_have_not_seen(site: Site, open_as: Open) -> None:
    key = name()
    site.define(key, "/bin/echo", "first", allow=False)
    page = open_as("root", f"/definitions/{key}/command")
    page.get_by_label("Argument 1", exact=True).fill("mine")
    site.ask(
        "root", "PATCH", f"/admin/jobs/definitions/{key}", {"command": {"executable": "/bin/echo", "argv": ["theirs"]}}
    )
    page.get_by_role("button", name="Save").last.click()

    conflict = page.get_by_role("alert")
    expect(conflict).to_contain_text("while you were here: the command. You began with revision 1; it has 2 now.")
    assert stored(site, key)["command"]["argv"] == ["theirs"]
    conflict.get_by_role("button", name="Show theirs, drop mine").click()
    expect(page.get_by_label("Argument 1", exact=True)).to_have_value("theirs")
    page.get_by_label("Argument 1", exact=True).fill("mine")
    site.ask("root", "PATCH", f"/admin/jobs/definitions/{key}", {"description": "x"})
    page.get_by_role("button", name="Save").last.click()
    conflict.get_by_role("button", name="Keep mine, and save over theirs").click()
    page.get_by_role("button", name="Save").last.click()

    expect(page).to_have_url(re.compile(f"/definitions/{key}$"))
    assert (stored(site, key)["command"]["argv"], stored(site, key)["description"]) == (["mine"], "x")


def test_the_run_form_shows_the_command_line_that_the_payload_becomes(site: Site, open_as: Open) -> None:
    key = name()
    more: dict[str, Any] = {"environment": {"API_TOKEN": "{token}"}}
    site.define(key, "/bin/echo", *SYNC, arg_schema=SCHEMA, **more)
    page = open_as("alice", f"/run?definition={key}")
    start = panel(page, "What a worker would start")
    expect(start.get_by_role("group", name="Template of the command line")).to_be_visible()

    page.get_by_label("path", exact=False).first.fill("$(rm -rf /) 'x' --all")
    page.get_by_label("token", exact=False).first.fill("env:UI_TOKEN")
    line = start.get_by_label("the command line", exact=True)
    expect(line).to_contain_text("--path=$(rm -rf /)")
    expect(start).to_contain_text("env:UI_TOKEN")
    expect(start).to_contain_text("1 live worker may run it.")
    start.get_by_role("button", name="Arguments").click()
    expect(start.get_by_role("listitem")).to_have_count(4)
    expect(start.get_by_role("listitem").last).to_have_text("--path=$(rm -rf /) 'x' --all")

    page.get_by_label("token", exact=False).first.fill("hunter2hunter2")
    page.get_by_label("token", exact=False).first.blur()
    expect(page.get_by_label("token", exact=False).first).to_have_attribute("aria-invalid", "true")
    expect(start.get_by_role("group", name="Template of the command line")).to_be_visible()


def test_an_attempt_shows_how_its_process_ended_and_what_it_printed_and_none_of_it_acts(
    site: Site, open_as: Open
) -> None:
    job = site.run(shell(site, HOSTILE), "dead_letter")
    page = open_as("bob", f"/jobs/{job}")

    expect(page.get_by_role("heading", level=1)).to_contain_text("Exit code 3: the end")
    process = panel(page, "Process of attempt 1")
    expect(process).to_contain_text(re.compile(r"Ended withExit code 3Process id\d+CPU time.*Most memory.*iB"))
    expect(process).to_contain_text("the last 64 KiB of")
    tail = process.get_by_label("The end of stdout")
    expect(tail).to_contain_text("password=***")
    expect(process.get_by_label("The end of stderr")).to_have_text("the end\n")
    expect(page.get_by_role("log")).to_contain_text("<U+202E>turned")
    assert page.evaluate("window.pwned") is None
    assert "hunter2" not in page.content()
    assert page.locator("img:not([src^='data:']), a[href^='javascript']").count() == 0
    for width in (320, 390, 1280):
        page.set_viewport_size({"width": width, "height": 900})
        assert page.evaluate("document.documentElement.scrollWidth - innerWidth") <= 0


def test_terminal_codes_in_a_tail_become_colours_or_nothing(site: Site, open_as: Open) -> None:
    script = HOSTILE.split("head -c 3000")[0]
    job = site.run(shell(site, script), "succeeded")
    page = open_as("bob", f"/jobs/{job}")

    tail = page.get_by_label("The end of stdout")
    expect(tail).to_have_text(
        "red  link \n<img src=x onerror=window.pwned=1>\n<U+202E>turned\n100%\n", use_inner_text=True
    )
    expect(tail.locator(".ansi-red")).to_have_text("red")
    expect(page.get_by_text("The command gave no result.")).to_be_visible()


def test_a_signal_has_its_name(site: Site, open_as: Open) -> None:
    job = site.run(shell(site, "kill -9 $$"), "dead_letter")
    page = open_as("bob", f"/jobs/{job}")

    expect(panel(page, "Process of attempt 1")).to_contain_text("SIGKILL, killed")


def test_a_job_whose_command_has_changed_says_which_worker_refuses_it_and_what_to_do(site: Site, open_as: Open) -> None:
    key = shell(site, "true")
    changed = {"executable": SHELL, "argv": ["-c", "false"]}
    site.ask("root", "PATCH", f"/admin/jobs/definitions/{key}", {"command": changed})
    job = site.enqueue(key)
    page = open_as("root", f"/jobs/{job}")

    why = page.get_by_role("region", name="Why it waits")
    expect(why).to_contain_text(f"does not allow {key} as it is now", timeout=30_000)
    expect(why.get_by_role("row").nth(1)).to_contain_text("since the policy was written")
    expect(why).to_contain_text(f"jobplane policy write {key}")
    assert "no live worker" not in why.inner_text().lower()
    tenants = open_as("alice", f"/jobs/{job}").get_by_role("region", name="Why it waits")
    expect(tenants).to_contain_text(f"jobplane policy write {key}", timeout=30_000)
    expect(tenants.get_by_role("table")).to_have_count(0)

    site.allow(stored(site, key))
    site.wait(job, "dead_letter")


def test_the_page_of_the_workers_has_the_commands_that_each_may_run(site: Site, open_as: Open) -> None:
    ready, changed = shell(site, "true"), shell(site, "true")
    site.ask("root", "PATCH", f"/admin/jobs/definitions/{changed}", {"command": {"executable": "/bin/none"}})
    page = open_as("root", "/workers")

    commands = panel(page, "Commands")
    rows = commands.get_by_role("row")
    expect(rows.filter(has=page.get_by_role("link", name=ready, exact=True))).to_contain_text("Ready")
    refused = rows.filter(has=page.get_by_role("link", name=changed, exact=True))
    expect(refused).to_contain_text("/bin/none", timeout=30_000)
    expect(commands.get_by_text("2 commands at once")).to_be_visible()


@pytest.mark.parametrize("path", ["/commands/new", "/definitions/greet/command"])
def test_only_operators_write_commands(site: Site, open_as: Open, path: str) -> None:
    page = open_as("alice", path)

    expect(page.get_by_role("heading", level=1)).to_contain_text("You cannot")
    assert page.get_by_label("Executable").count() == 0


def test_a_handler_gets_no_command(site: Site, open_as: Open) -> None:
    page = open_as("root", "/definitions/greet")
    expect(page.get_by_role("button", name="Change…")).to_be_visible()
    assert page.get_by_role("link", name="Change command").count() == 0

    page.goto("/definitions/greet/command")

    expect(page.get_by_role("heading", level=1)).to_contain_text("comes from code")
