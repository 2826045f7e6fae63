"""Commands over REST: definitions that have one, what a payload would become, and what it has written."""

from __future__ import annotations

import re
from itertools import count
from typing import Any, Final

import pytest

from jobplane.control.firing import Firing
from jobplane.core.model import NewWorker
from jobplane.core.outputs import CommandOutput, NewOutput
from tests.leases import settlement
from tests.server.site import Answer, Cast, Site, Voice

NUMBERS: Final = count(1)
DEFINITIONS: Final = "/admin/jobs/definitions"
ZOLTAG: Final = "/opt/zoltag/bin/zoltag"
SEED: Final = ("sync-dropbox", "recompute-trained-tags", "recompute-zeroshot-tags", "train-keyword-models")
SCHEMA: Final[dict[str, Any]] = {
    "type": "object",
    "properties": {
        "path": {"type": "string"},
        "dry_run": {"type": "boolean"},
        "tags": {"type": "array", "items": {"type": "string"}},
        "limit": {"type": ["integer", "null"]},
        "api_token": {"type": "string", "writeOnly": True},
        "nested": {"type": "object"},
    },
    "additionalProperties": False,
}
COMMAND: Final[dict[str, Any]] = {
    "executable": "/usr/bin/sync",
    "argv": [
        "--tenant={tenant_id}",
        {"flag": "--dry-run", "if": "dry_run"},
        {"each": "--tag={item}", "of": "tags"},
        "--limit={limit}",
        "{path}",
    ],
    "environment": {"DROPBOX_TOKEN": "env:DROPBOX_TOKEN", "API_TOKEN": "{api_token}", "RUN": "{job_id}/{attempt_no}"},
    "files": {"token.json": "file:/run/secrets/dropbox"},
    "exit_codes": {"75": "retry"},
}


def name() -> str:
    return f"command-{next(NUMBERS)}"


async def defined(cast: Cast, **fields: Any) -> str:
    """The key of a new definition with a command."""
    key = name()
    made = await cast.root.post(DEFINITIONS, {"key": key, "arg_schema": SCHEMA, "command": COMMAND, **fields})
    assert made.status == 201, made.text
    return key


async def preview(voice: Voice, key: str, **payload: Any) -> Answer:
    return await voice.post(f"/definitions/{key}/preview", {"payload": payload})


def pointers(answer: Answer) -> list[str]:
    return [fault["pointer"] for fault in answer.json["errors"]]


async def test_the_four_commands_of_the_seed_have_their_exact_argv(site: Site, cast: Cast) -> None:
    for key in SEED:
        command = {"executable": ZOLTAG, "argv": [key, "--tenant-id", "{tenant_id}"]}
        await cast.root.delete(f"{DEFINITIONS}/{key}")  # of the test before
        made = await cast.root.post(DEFINITIONS, {"key": key, "command": command})
        assert (made.status, made.json["kind"], made.json["command"]) == (201, "command", command)

        for voice, tenant in ((cast.alice, cast.a), (cast.charlie, cast.b)):
            shown = (await preview(voice, key)).json
            assert shown["argv"] == [ZOLTAG, key, "--tenant-id", str(tenant.tenant_id)]
            assert shown["command_line"] == f"{ZOLTAG} {key} --tenant-id {tenant.tenant_id}"
        refused = await preview(cast.alice, key, tenant_id=str(cast.b.tenant_id))
        assert (refused.status, refused.code) == (422, "invalid_payload")


async def test_a_preview_shows_the_arguments_of_a_payload(site: Site, cast: Cast) -> None:
    key = await defined(cast)

    least = (await preview(cast.alice, key)).json
    most = (await preview(cast.alice, key, path="$(rm -rf /) 'x'", dry_run=True, tags=["a b", "--c"], limit=3)).json

    tenant = f"--tenant={cast.a.tenant_id}"
    assert least["argv"] == ["/usr/bin/sync", tenant]
    assert most["argv"] == [
        "/usr/bin/sync",
        tenant,
        "--dry-run",
        "--tag=a b",
        "--tag=--c",
        "--limit=3",
        "$(rm -rf /) 'x'",
    ]
    line = most["command_line"]
    assert line.endswith("'--tag=a b' --tag=--c --limit=3 '$(rm -rf /) '\"'\"'x'\"'\"''")
    assert (most["definition_key"], most["stdin"]) == (key, "closed")


async def test_a_preview_shows_references_and_never_their_values(
    site: Site, cast: Cast, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("DROPBOX_TOKEN", "hunter2hunter2")
    key = await defined(cast)

    shown = await preview(cast.alice, key, api_token="file:/run/secrets/api")

    assert shown.json["environment"] == {
        "DROPBOX_TOKEN": "env:DROPBOX_TOKEN", "API_TOKEN": "file:/run/secrets/api", "RUN": "{job_id}/{attempt_no}",
    }  # fmt: skip
    assert shown.json["files"] == {"token.json": "file:/run/secrets/dropbox"}
    assert "hunter2" not in shown.text


async def test_a_preview_writes_nothing_and_is_for_those_who_may_enqueue(site: Site, cast: Cast) -> None:
    key = await defined(cast)
    plain = await site.define()

    assert (await preview(cast.bob, key)).code == "forbidden"
    assert (await preview(cast.eve, key)).code == "forbidden"
    assert (await preview(cast.root, key)).code == "tenant_required"
    assert (await preview(cast.root.naming(cast.a.slug), key)).status == 200
    assert (await preview(cast.alice, "none")).code == "definition_not_found"
    refused = await preview(cast.alice, plain.key)
    assert (refused.status, refused.code) == (422, "not_a_command")
    assert (await cast.alice.get("/jobs")).json["items"] == []


async def test_a_dry_run_has_the_command_line_for_those_who_may_preview_it(site: Site, cast: Cast) -> None:
    key = await defined(cast)
    plain = await site.define()
    body = {"definition_key": key, "payload": {"path": "a b"}}

    alices = await cast.alice.post("/jobs", body, params={"dry_run": True})
    eves = await cast.eve.post("/jobs", body, params={"dry_run": True})
    without = await cast.alice.post("/jobs", {"definition_key": plain.key}, params={"dry_run": True})

    assert alices.json["command_line"] == f"/usr/bin/sync --tenant={cast.a.tenant_id} 'a b'"
    assert (eves.json["valid"], "command_line" in eves.json, "command_line" in without.json) == (True, False, False)


NONSENSE: Final[list[tuple[dict[str, Any], str]]] = [
    ({"argv": []}, "/command/executable"),
    ({"executable": "ls"}, "/command/executable"),
    ({"executable": "/usr/../bin/ls"}, "/command/executable"),
    ({"executable": "/bin/ls\x00"}, "/command/executable"),
    ({"executable": 5}, "/command/executable"),
    ({"executable": "/bin/ls", "shell": True}, "/command/shell"),
    ({"executable": "/bin/ls", "argv": "-l"}, "/command/argv"),
    ({"executable": "/bin/ls", "argv": ["-l", "{nobody}"]}, "/command/argv/1"),
    ({"executable": "/bin/ls", "argv": ["{nested}"]}, "/command/argv/0"),
    ({"executable": "/bin/ls", "argv": ["{tags}"]}, "/command/argv/0"),
    ({"executable": "/bin/ls", "argv": ["{path"]}, "/command/argv/0"),
    ({"executable": "/bin/ls", "argv": ["--token={api_token}"]}, "/command/argv/0"),
    ({"executable": "/bin/ls", "argv": [{"flag": "-v", "if": "path"}]}, "/command/argv/0"),
    ({"executable": "/bin/ls", "argv": [{"each": "{item}", "of": "path"}]}, "/command/argv/0"),
    ({"executable": "/bin/ls", "argv": [{"flagg": "-v"}]}, "/command/argv/0"),
    ({"executable": "/bin/ls", "argv": [None]}, "/command/argv/0"),
    ({"executable": "/bin/ls", "argv": ["x"] * 257}, "/command/argv"),
    ({"executable": "/bin/ls", "environment": {"JOBPLANE_JOB_ID": "x"}}, "/command/environment/JOBPLANE_JOB_ID"),
    ({"executable": "/bin/ls", "environment": {"A-B": "x"}}, "/command/environment/A-B"),
    ({"executable": "/bin/ls", "environment": {"X": "v={api_token}"}}, "/command/environment/X"),
    ({"executable": "/bin/ls", "files": {"../x": "env:A"}}, "/command/files/..~1x"),
    ({"executable": "/bin/ls", "files": {"result.json": "env:A"}}, "/command/files/result.json"),
    ({"executable": "/bin/ls", "files": {"x": "plain"}}, "/command/files/x"),
    ({"executable": "/bin/ls", "stdin": "open"}, "/command/stdin"),
    ({"executable": "/bin/ls", "exit_codes": {"0": "fail"}}, "/command/exit_codes/0"),
    ({"executable": "/bin/ls", "exit_codes": {"256": "fail"}}, "/command/exit_codes/256"),
    ({"executable": "/bin/ls", "exit_codes": {"3": "explode"}}, "/command/exit_codes/3"),
]


@pytest.mark.parametrize(("command", "place"), NONSENSE)
async def test_a_template_that_cannot_be_is_refused_with_its_place(
    site: Site, cast: Cast, command: dict[str, Any], place: str
) -> None:
    key = await defined(cast)

    answers = [
        await cast.root.post(DEFINITIONS, {"key": name(), "arg_schema": SCHEMA, "command": command}),
        await cast.root.patch(f"{DEFINITIONS}/{key}", {"command": command}),
    ]

    for answer in answers:
        assert (answer.status, answer.code) == (422, "invalid_command"), answer.text
        assert all(each.startswith(place) for each in pointers(answer)), answer.text
        assert re.fullmatch(r"[A-Z].*[.]", answer.json["detail"]), answer.json["detail"]
    assert (await cast.root.get(f"/definitions/{key}")).json["command"] == COMMAND


async def test_a_schema_that_the_command_does_not_fit_is_refused(site: Site, cast: Cast) -> None:
    key = await defined(cast)
    path = f"{DEFINITIONS}/{key}"

    gone = await cast.root.patch(path, {"arg_schema": {"properties": {"path": None}}})
    other = await cast.root.patch(path, {"arg_schema": {"properties": {"dry_run": {"type": "string"}}}})
    named = await cast.root.patch(path, {"arg_schema": {"properties": {"tenant_id": {"type": "string"}}}})
    both = await cast.root.patch(
        path, {"arg_schema": {"properties": {"path": None}}, "command": {"executable": "/bin/ls", "argv": ["{limit}"]}}
    )

    assert (gone.code, pointers(gone)) == ("invalid_command", ["/command/argv/4"])
    assert (other.code, pointers(other)) == ("invalid_command", ["/command/argv/1"])
    assert named.code == "invalid_command"
    assert (both.status, both.json["command"]["argv"]) == (200, ["{limit}"])
    assert "path" not in both.json["arg_schema"]["properties"]


async def test_a_definition_is_unbound_until_a_patch_gives_it_a_command(site: Site, cast: Cast) -> None:
    key = name()
    made = await cast.root.post(DEFINITIONS, {"key": key, "arg_schema": SCHEMA, "command": None})
    bound = await cast.root.patch(f"{DEFINITIONS}/{key}", {"command": COMMAND})
    other = await cast.root.patch(f"{DEFINITIONS}/{key}", {"command": {"executable": "/bin/true"}})
    taken = await cast.root.patch(f"{DEFINITIONS}/{key}", {"command": None})

    assert (made.json["kind"], made.json["command"]) == (None, None)
    assert (bound.json["kind"], bound.json["command"]) == ("command", COMMAND)
    assert other.json["command"] == {"executable": "/bin/true"}
    assert (taken.status, taken.code, pointers(taken)) == (422, "invalid", ["/command"])


async def test_a_definition_from_code_refuses_a_command(site: Site, cast: Cast) -> None:
    from_code, by_hand = name(), await site.define()
    await site.plane.definitions.sync("app", "1", [{"key": from_code, "kind": "python", "arg_schema": SCHEMA}])

    for key in (from_code, by_hand.key):
        refused = await cast.root.patch(f"{DEFINITIONS}/{key}", {"command": {"executable": "/bin/true"}})
        assert (refused.status, refused.code) == (422, "invalid"), refused.text
        assert (await cast.root.get(f"/definitions/{key}")).json["command"] is None


@pytest.mark.parametrize(
    ("payload", "place"),
    [({"path": "--rf"}, "/path"), ({"path": "a\x00b"}, "/path"), ({"path": "x" * 60_000 + "\x00"}, "/path")],
)
async def test_a_payload_that_cannot_become_arguments_is_refused_at_every_door(
    site: Site, cast: Cast, payload: dict[str, Any], place: str
) -> None:
    key = await defined(cast)
    job = (await cast.alice.post("/jobs", {"definition_key": key})).json
    body = {"definition_key": key, "payload": payload}

    refused = [
        await cast.alice.post("/jobs", body),
        await cast.alice.post("/jobs", body, params={"dry_run": True}),
        await cast.alice.patch(f"/jobs/{job['id']}", {"payload": payload}),
        await preview(cast.alice, key, **payload),
    ]
    await cast.alice.post(f"/jobs/{job['id']}/cancel")
    refused.append(await cast.alice.post(f"/jobs/{job['id']}/run-again", {"payload": payload}))
    bulk = (await cast.alice.post("/jobs/bulk", {"jobs": [body, {"definition_key": key}]})).json

    for answer in refused:
        assert (answer.status, answer.code) == (422, "invalid_payload"), answer.text
        assert place in pointers(answer)
    assert [(each["outcome"], each["code"]) for each in bulk["results"]] == [
        ("refused", "invalid_payload"), ("created", None),
    ]  # fmt: skip


async def test_a_job_whose_payload_the_new_command_cannot_take_is_not_retried(site: Site, cast: Cast) -> None:
    key = await defined(cast, command={"executable": "/bin/echo", "argv": ["--", "{path}"]})
    job = (await cast.alice.post("/jobs", {"definition_key": key, "payload": {"path": "-x"}})).json
    await cast.alice.post(f"/jobs/{job['id']}/cancel")
    await cast.root.patch(f"{DEFINITIONS}/{key}", {"command": {"executable": "/bin/echo", "argv": ["{path}"]}})
    site.forget()

    one = await cast.alice.post(f"/jobs/{job['id']}/retry")
    many = (await cast.alice.post("/jobs/actions/retry", {"ids": [job["id"]]})).json
    again = await cast.alice.post(f"/jobs/{job['id']}/run-again")

    assert (one.code, again.code) == ("invalid_payload", "invalid_payload")
    assert [each["outcome"] for each in many["results"]] == ["invalid_payload"]


async def test_a_plain_secret_is_refused_at_every_door(site: Site, cast: Cast) -> None:
    key = await defined(cast)
    plain = {"api_token": "hunter2hunter2"}
    body, template = {"definition_key": key, "payload": plain}, {"payload_template": plain}
    schedule = {"label": "hourly", "cron_expr": "5 * * * *", "definition_key": key}
    saved = (await cast.alice.post("/schedules", schedule)).json

    refused = {
        "/api_token": [await cast.alice.post("/jobs", body), await preview(cast.alice, key, **plain)],
        "/payload_template/api_token": [
            await cast.alice.post("/schedules", schedule | template),
            await cast.alice.patch(f"/schedules/{saved['id']}", template),
        ],
        "/default_payload/api_token": [
            await cast.root.patch(f"{DEFINITIONS}/{key}", {"default_payload": plain}),
            await cast.root.post(DEFINITIONS, {"key": name(), "arg_schema": SCHEMA, "default_payload": plain}),
        ],
    }

    for place, answers in refused.items():
        for answer in answers:
            assert (answer.status, answer.code, pointers(answer)) == (422, "secret_in_payload", [place])
            assert "hunter2" not in answer.text
    reference = {"payload_template": {"api_token": "env:API_TOKEN"}}
    assert (await cast.alice.patch(f"/schedules/{saved['id']}", reference)).status == 200


async def test_a_schedule_warns_of_a_payload_that_cannot_become_arguments(site: Site, cast: Cast) -> None:
    key = await defined(cast)
    schedule = {"label": "x", "cron_expr": "5 * * * *", "definition_key": key, "payload_template": {"path": "--rf"}}

    saved = await cast.alice.post("/schedules", schedule)
    fired = await cast.alice.post(f"/schedules/{saved.json['id']}/fire")

    assert saved.status == 201
    assert len(saved.json["warnings"]) == 1
    assert "does not fit definition" in saved.json["warnings"][0]
    assert fired.code == "invalid_payload"


async def test_a_schedule_fires_no_payload_that_cannot_become_arguments(site: Site, cast: Cast) -> None:
    key = await defined(cast)
    once = {"label": "x", "definition_key": key, "once": True, "starts_at": "2026-01-01T00:00:00Z"}
    bad, good = [
        (await cast.alice.post("/schedules", {**once, "payload_template": {"path": path}})).json["id"]
        for path in ("--rf", "photos")
    ]

    await Firing(site.store, by="test").run_once()

    [refused] = (await cast.alice.get(f"/schedules/{bad}/fires")).json["items"]
    [fired] = (await cast.alice.get(f"/schedules/{good}/fires")).json["items"]
    assert (refused["outcome"], refused["reason"].partition(":")[0]) == ("refused", "invalid_payload")
    assert fired["outcome"] == "fired"


async def test_literal_secrets_of_a_command_are_masked_and_kept_by_an_edit(site: Site, cast: Cast) -> None:
    command = {"executable": "/bin/env", "argv": ["--x"], "environment": {"API_KEY": "hunter2hunter2", "LANG": "C"}}
    key = await defined(cast, command=command)

    shown = await cast.root.get(f"/definitions/{key}")
    masked = shown.json["command"]
    await cast.root.patch(f"{DEFINITIONS}/{key}", {"command": {**masked, "argv": ["--y"]}})

    assert masked["environment"] == {"API_KEY": "***", "LANG": "C"}
    assert "hunter2" not in (await cast.bob.get("/definitions", limit=200)).text
    assert "hunter2" not in (await preview(cast.alice, key)).text
    stored = await site.plane.definitions.get(key)
    assert stored.command == {**command, "argv": ["--y"]}


async def test_the_audit_log_digests_a_command(site: Site, cast: Cast) -> None:
    key = await defined(cast)
    await cast.root.patch(f"{DEFINITIONS}/{key}", {"command": {"executable": "/opt/canary"}})
    await cast.root.patch(f"{DEFINITIONS}/{key}", {"command": {"executable": "/opt/canary", "argv": ["x"]}})

    answer = await cast.root.get("/audit", target=key)

    digests = [(each["before_digest"], each["after_digest"]) for each in answer.json["items"]]
    assert len(digests) == 3
    assert digests[0][0] == digests[1][1]
    assert digests[1][0] == digests[2][1]
    assert len({digest for pair in digests for digest in pair if digest}) == 3
    assert "canary" not in answer.text


async def test_a_preview_names_workers_to_operators_alone(site: Site, cast: Cast) -> None:
    key = await defined(cast)
    ready, stale, elsewhere = name(), name(), name()
    sentence = "The command has changed since the policy was written: password=hunter2."
    hashed = {"state": "definition_changed", "hash": "sha256:aa", "detail": sentence}
    ours = {"policy": {key: {"state": "ready", "hash": "sha256:bb"}}}
    await site.plane.queues.put([f"q-{key}"])
    for worker in (
        NewWorker(worker_id=ready, queues=["default"], definitions=[], commands=[key], metadata=ours),
        NewWorker(
            worker_id=stale, queues=["default"], definitions=[], mismatched=[key], metadata={"policy": {key: hashed}}
        ),
        NewWorker(worker_id=elsewhere, queues=[f"q-{key}"], definitions=[], commands=[key]),
        NewWorker(worker_id=name(), queues=["default"]),
    ):
        await site.store.register_worker(worker)

    alices = (await preview(cast.alice, key)).json["workers"]
    roots = (await preview(cast.root.naming(cast.a.slug), key)).json["workers"]

    assert alices == {"ready": 1, "mismatched": 1, "listed": None}
    assert (roots["ready"], roots["mismatched"]) == (1, 1)
    assert [(each["worker_id"], each["state"], each["hash"]) for each in roots["listed"]] == [
        (ready, "ready", "sha256:bb"), (stale, "definition_changed", "sha256:aa"),
    ]  # fmt: skip
    assert roots["listed"][1]["reason"] == sentence.replace("hunter2.", "***")
    await cast.root.patch(f"{DEFINITIONS}/{key}", {"command": {"executable": "/bin/true"}})
    assert (await preview(cast.alice, key)).json["workers"]["ready"] == 0


async def test_what_a_worker_says_of_its_policy_may_be_anything(site: Site, cast: Cast) -> None:
    key = await defined(cast)
    said: list[Any] = [None, "x", {key: "x"}, {key: {"state": 5, "hash": ["x"]}}, {key: {"state": "a new state"}}]
    for policy in said:
        worker = NewWorker(
            worker_id=name(), queues=["default"], definitions=[], mismatched=[key], metadata={"policy": policy}
        )
        await site.store.register_worker(worker)

    shown = (await preview(cast.root.naming(cast.a.slug), key)).json["workers"]

    assert shown["mismatched"] == len(said)
    assert {each["state"] for each in shown["listed"]} == {"policy_mismatch", "a new state"}


OUTPUT: Final = CommandOutput(
    pid=4711, signal=9, user_ms=120, system_ms=30, max_rss_bytes=1 << 20, stdout_tail="done\npassword=hunter2\n",
    stderr_tail="warning\n", stdout_bytes=70_000, stderr_bytes=8, bytes_dropped=3,
)  # fmt: skip


async def test_an_attempt_shows_what_its_command_used_and_wrote(site: Site, cast: Cast) -> None:
    definition = await site.define()
    job = (await cast.alice.post("/jobs", {"definition_key": definition.key})).json
    lease = await site.claim(definition)
    path = f"/jobs/{job['id']}/attempts/1/output"
    before = await cast.bob.get(path)
    await site.store.write_outputs([NewOutput(lease, OUTPUT)])
    await site.store.settle([settlement(lease)])

    shown = await cast.bob.get(path)
    [attempt] = (await cast.bob.get(f"/jobs/{job['id']}/attempts")).json["items"]

    assert (before.status, before.code) == (404, "output_not_found")
    assert shown.status == 200, shown.text
    assert (shown.json["pid"], shown.json["signal"], shown.json["stderr_tail"]) == (4711, 9, "warning\n")
    assert shown.json["stdout_tail"] == "done\npassword=***\n"
    assert shown.json["undecodable"] == []
    facts = ("pid", "signal", "user_ms", "system_ms", "max_rss_bytes", "stdout_bytes", "stderr_bytes", "bytes_dropped")
    assert [attempt[fact] for fact in facts] == [4711, 9, 120, 30, 1 << 20, 70_000, 8, 3]
    assert (await cast.root.get(path)).status == 200


async def test_an_output_is_its_tenants_alone(site: Site, cast: Cast) -> None:
    definition = await site.define()
    job = (await cast.alice.post("/jobs", {"definition_key": definition.key})).json
    lease = await site.claim(definition)
    await site.store.write_outputs([NewOutput(lease, OUTPUT)])
    path = f"/jobs/{job['id']}/attempts"

    assert (await cast.charlie.get(f"{path}/1/output")).code == "job_not_found"
    assert (await cast.bob.get(f"{path}/2/output")).code == "output_not_found"
    assert (await cast.bob.get(f"{path}/0/output")).code == "invalid_request"
    assert (await cast.bob.get(f"{path}/first/output")).code == "invalid_request"
    assert (await cast.eve.get(f"{path}/1/output")).code == "forbidden"
    narrow = (await cast.alice.post("/keys", {"role": "viewer", "owner_user_id": "u-1"})).json
    assert (await Voice(site.client, narrow["key"]).get(f"{path}/1/output")).code == "job_not_found"


async def test_a_dry_run_of_a_definition_refuses_what_saving_it_would_and_writes_nothing(
    site: Site, cast: Cast
) -> None:
    taken, free = await defined(cast), name()
    trial = {"dry_run": True}
    path = f"{DEFINITIONS}/{taken}"
    good = {"key": free, "arg_schema": SCHEMA, "command": COMMAND}
    bad = {**COMMAND, "argv": ["{nobody}"]}

    fits = await cast.root.post(DEFINITIONS, good, params=trial)
    changed = await cast.root.patch(path, {"command": {"executable": "/bin/true"}}, params=trial)
    refused = {
        "invalid_command": [
            await cast.root.post(DEFINITIONS, {**good, "command": bad}, params=trial),
            await cast.root.patch(path, {"command": bad}, params=trial),
        ],
        "already_exists": [await cast.root.post(DEFINITIONS, {**good, "key": taken}, params=trial)],
        "unknown_queue": [
            await cast.root.post(DEFINITIONS, {**good, "queue": "none"}, params=trial),
            await cast.root.patch(path, {"queue": "none"}, params=trial),
        ],
        "invalid": [await cast.root.patch(path, {"command": None}, params=trial)],
        "revision_mismatch": [
            await cast.root.patch(path, {"description": "x"}, params=trial, headers={"If-Match": '"77"'})
        ],
        "forbidden": [await cast.alice.post(DEFINITIONS, good, params=trial)],
    }

    assert (fits.status, fits.json) == (200, {"valid": True, "key": free})
    assert (changed.status, changed.json) == (200, {"valid": True, "key": taken})
    for code, answers in refused.items():
        assert [each.code for each in answers] == [code] * len(answers)
    assert (await cast.root.get(f"{DEFINITIONS}/{free}")).code == "definition_not_found"
    kept = (await cast.root.get(path)).json
    assert (kept["command"], kept["queue"], kept["revision"]) == (COMMAND, "default", 1)


async def test_an_invalid_schema_is_refused_with_its_place(site: Site, cast: Cast) -> None:
    schema = {"type": "object", "properties": {"path": {"type": "strang"}}}
    key = await defined(cast)

    answers = [
        await cast.root.post(DEFINITIONS, {"key": name(), "arg_schema": schema, "command": COMMAND}),
        await cast.root.patch(f"{DEFINITIONS}/{key}", {"arg_schema": schema}),
    ]

    for answer in answers:
        assert (answer.status, answer.code) == (422, "invalid_schema"), answer.text
        assert pointers(answer) == ["/arg_schema/properties/path/type"]
