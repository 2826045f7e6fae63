"""Commands from a terminal: define one, look at it, see what a payload would start, read what it wrote."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

import pytest

from jobplane.core.model import DEFAULT_TENANT, Json, NewJob, NewWorker
from jobplane.core.outputs import CommandOutput, NewOutput
from tests.cli.command import Answer
from tests.cli.desk import Desk

SCHEMA: Final[dict[str, Any]] = {
    "type": "object",
    "properties": {
        "file": {"type": "string"},
        "dry_run": {"type": "boolean"},
        "tags": {"type": "array", "items": {"type": "string"}},
    },
    "additionalProperties": False,
}
COMMAND: Final[dict[str, Any]] = {
    "executable": "/opt/my tools/sync",
    "argv": [
        "--tenant-id",
        "{tenant_id}",
        {"flag": "--dry-run", "if": "dry_run"},
        {"each": "--tag={item}", "of": "tags"},
        "--",
        "{file}",
    ],
    "environment": {"TOKEN": "env:APP_TOKEN"},
    "stdin": "payload",
    "exit_codes": {"75": "retry"},
}
LINE: Final = "  '/opt/my tools/sync' --tenant-id {tenant_id} [--dry-run if dry_run] [--tag={item} for each of tags]"


def create(desk: Desk, *flags: str, key: str = "sync", stdin: str = "", **command: Any) -> Answer:
    given = json.dumps({**COMMAND, **command})
    words = ["definitions", "create", key, "--command", given, "--schema", json.dumps(SCHEMA), *flags]
    return desk.run(*words, stdin=stdin)


def error(answer: Answer) -> tuple[int, str]:
    assert answer.err.count("\n") == 1
    return answer.code, answer.err.split(": ")[1]


def register(
    desk: Desk,
    worker_id: str,
    *,
    queue: str = "default",
    runs: Sequence[str] = (),
    refuses: Sequence[str] = (),
    policy: Json = None,
) -> None:
    metadata = {} if policy is None else {"policy": policy}
    worker = NewWorker(
        worker_id=worker_id, queues=[queue], definitions=[], commands=runs, mismatched=refuses, metadata=metadata
    )
    desk.store.register_worker(worker)


def test_a_command_is_made_from_flags_files_and_stdin(desk: Desk, tmp_path: Path) -> None:
    (tmp_path / "command.json").write_text(json.dumps(COMMAND))
    files = ["--command", f"@{tmp_path / 'command.json'}", "--schema", "-"]

    from_flags = create(desk, "--timeout-seconds", "60", "--tag", "night", "-o", "json")
    from_files = desk.run("definitions", "create", "other", *files, "-o", "json", stdin=json.dumps(SCHEMA))

    for answer in (from_flags, from_files):
        assert answer.code == 0, answer.err
        made = json.loads(answer.out)
        assert (made["kind"], made["command"], made["arg_schema"]) == ("command", COMMAND, SCHEMA)
    assert (json.loads(from_flags.out)["timeout_seconds"], json.loads(from_flags.out)["tags"]) == (60, ["night"])


def test_an_edit_replaces_the_command_whole_and_keeps_the_rest(desk: Desk) -> None:
    create(desk, "--timeout-seconds", "60")

    changed = desk.json("definitions", "edit", "sync", "--command", '{"executable": "/bin/true"}')

    assert (changed["command"], changed["timeout_seconds"]) == ({"executable": "/bin/true"}, 60)
    assert changed["arg_schema"] == SCHEMA


def test_a_description_has_the_command_line_with_its_placeholders(desk: Desk) -> None:
    create(desk, files={"token.json": "file:/run/secrets/dropbox"})

    lines = desk.run("definitions", "describe", "sync").out.splitlines()

    at = lines.index("Command")
    assert lines[at + 1] == f"{LINE} -- {{file}}"
    assert [line.split() for line in lines[at + 2 : at + 6]] == [
        ["environment", "TOKEN=env:APP_TOKEN"], ["file", "token.json=file:/run/secrets/dropbox"],
        ["exit", "code", "75=retry"], ["stdin", "payload"],
    ]  # fmt: skip
    assert f"{LINE.strip()} -- {{file}}" in desk.run("definitions", "ls", "-o", "wide").out
    assert "command" in desk.run("definitions", "get", "sync").out.splitlines()[1].split()


def test_a_description_says_which_workers_may_run_the_command(desk: Desk) -> None:
    create(desk)
    said: Json = {"sync": {"state": "executable_changed", "detail": "Its content has changed."}}
    ready: Json = {"sync": {"state": "ready"}}
    before = desk.run("definitions", "describe", "sync").out

    register(desk, "refuses", refuses=["sync"], policy=said)
    alone = desk.run("definitions", "describe", "sync").out
    desk.store.put_queues(["other"])
    register(desk, "elsewhere", queue="other", runs=["sync"], policy=ready)
    register(desk, "runs", runs=["sync"], policy=ready)
    register(desk, "not-looked-yet", refuses=["sync"], policy=ready)
    register(desk, "any", policy="nonsense")
    found = desk.run("definitions", "describe", "sync").out

    nobody = "  No live worker has it in its policy. On a worker's machine: jobplane policy write sync"
    assert before.splitlines()[-2:] == ["Workers", nobody]
    assert alone.splitlines()[-2:] == [
        "  executable_changed    refuses  Its content has changed.", "  No live worker may run it.",
    ]  # fmt: skip
    lines = found.splitlines()
    assert lines[lines.index("Workers") + 1 :] == [
        "  ready                 runs",
        '  queue_not_served      elsewhere  It does not serve queue "default".',
        "  policy_mismatch       not-looked-yet",
        "  executable_changed    refuses  Its content has changed.",
    ]
    assert "  executable_changed    sync  Its content has changed." in desk.run("workers", "describe", "refuses").out
    assert "Workers" not in desk.run("definitions", "describe", "report").out


@pytest.mark.parametrize(
    ("flags", "code", "exit_code"),
    [
        (["--command", '{"executable": "sync"}'], "invalid_command", 2),
        (["--command", '{"executable": "/bin/ls", "argv": ["{nobody}"]}'], "invalid_command", 2),
        (["--command", '{"executable": "/bin/ls"}', "--schema", '{"type": "strnig"}'], "invalid_schema", 2),
        (["--command", '{"executable": "/bin/ls"}', "--queue", "nowhere"], "unknown_queue", 2),
        (["--command", "ls -l"], "usage", 2),
        (["--command", "[]"], "usage", 2),
        (["--command", "@nowhere.json"], "usage", 2),
        (["--command", "-", "--schema", "-"], "usage", 2),
    ],
)
@pytest.mark.parametrize("more", [[], ["--dry-run"]], ids=["write", "dry-run"])
def test_nonsense_is_refused_in_one_sentence_with_and_without_a_dry_run(
    desk: Desk, flags: list[str], code: str, exit_code: int, more: list[str]
) -> None:
    refused = desk.run("definitions", "create", "new", *flags, *more, stdin="{}")

    assert error(refused) == (exit_code, code)
    assert desk.run("definitions", "get", "new").code == 3


def test_a_dry_run_lets_the_server_judge_and_writes_nothing(desk: Desk) -> None:
    create(desk)

    made = create(desk, "--dry-run", key="new")
    again = create(desk, "--dry-run")
    edited = desk.run("definitions", "edit", "sync", "--command", '{"executable": "/bin/true"}', "--dry-run")
    misfit = desk.run("definitions", "edit", "sync", "--schema", '{"properties": {"tags": null}}', "--dry-run")

    assert (made.code, made.err.split(" {")[0]) == (0, "Would send: POST /api/v1/admin/jobs/definitions")
    assert error(again) == (5, "already_exists")
    assert edited.err == (
        'Would send: PATCH /api/v1/admin/jobs/definitions/sync {"command": {"executable": "/bin/true"}}\n'
    )
    assert error(misfit) == (2, "invalid_command")
    assert desk.json("definitions", "get", "sync")["command"] == COMMAND


def test_a_dry_run_of_a_job_prints_the_command_line_that_a_shell_would_take(desk: Desk) -> None:
    create(desk)

    done = desk.run("run", "sync", "--set", "file=$(rm) 'x'", "--set", 'tags=["a b"]', "--dry-run")
    refused = desk.run("run", "sync", "--payload", '{"file": "a\\u0000b"}', "--dry-run")

    line = f"'/opt/my tools/sync' --tenant-id {DEFAULT_TENANT} '--tag=a b' -- '$(rm) '\"'\"'x'\"'\"''"
    assert json.loads(done.out)["command_line"] == line
    assert done.err == f"Would run: {line}\n"
    assert error(refused) == (2, "invalid_payload")


def test_the_output_of_a_command_is_printed_without_what_a_terminal_would_obey(desk: Desk) -> None:
    desk.store.put_definitions([{"key": "sync", "arg_schema": SCHEMA, "command": COMMAND}])
    [made] = desk.store.enqueue(DEFAULT_TENANT, [NewJob(definition="sync")])
    before = desk.run("jobs", "output", str(made.job_id))
    register(desk, "worker-1", runs=["sync"])
    [lease] = desk.store.claim("default", "worker-1").leases
    output = CommandOutput(pid=7, stdout_tail="done\x1b]0;title\x07\nnext\n", stderr_tail="", stdout_bytes=70_000)
    desk.store.write_outputs([NewOutput(lease, output)])

    shown = desk.run("jobs", "output", str(made.job_id)[-8:])
    silent = desk.run("jobs", "output", str(made.job_id), "--stderr", "--attempt", "1")

    assert error(before) == (3, "output_not_found")
    assert shown.out == "done\nnext\n"
    assert shown.err == "The command wrote 70,000 bytes to stdout. These are the last 65,536.\n"
    assert (silent.code, silent.out, silent.err) == (0, "", "The command wrote nothing to stderr.\n")
    assert json.loads(desk.run("jobs", "output", str(made.job_id), "--json").out)["pid"] == 7
    assert error(desk.run("jobs", "output", str(made.job_id), "--attempt", "2")) == (3, "output_not_found")


def test_problems_name_a_command_that_no_live_worker_may_run(desk: Desk) -> None:
    create(desk)
    register(desk, "refuses", refuses=["sync"])
    job_id = desk.run("run", "sync").out.strip()
    assert desk.store.claim("default", "refuses").leases == []

    found, why = desk.run("problems"), desk.run("explain", job_id)

    assert found.code == 1
    assert 'Definition "sync" differs from the policy of the workers. Run `jobplane policy check` there.' in found.out
    assert "shut  policy_mismatch" in why.out
    assert "refuses" in why.out
