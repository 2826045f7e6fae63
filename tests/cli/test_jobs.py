"""`jobplane jobs`: list, look at and move jobs."""

from __future__ import annotations

import json
from uuid import uuid4

import pytest
import yaml

from jobplane.core.model import DEFAULT_TENANT, Outcome
from tests.cli.desk import Desk


def test_a_table_has_a_line_for_each_job_with_the_end_of_its_id(desk: Desk) -> None:
    ids = [desk.job() for _ in range(3)]

    done = desk.run("jobs", "ls", "--tenant", "default")

    titles, *rows = done.out.splitlines()
    assert titles.split() == ["ID", "STATUS", "DEFINITION", "QUEUE", "ATTEMPTS", "CREATED", "TOOK", "NOTE"]
    assert [row.split()[:2] for row in rows] == [[str(each)[-8:], "queued"] for each in reversed(ids)]
    assert (done.code, done.err) == (0, "")
    assert "\x1b" not in done.out


def test_list_is_another_name_for_ls(desk: Desk) -> None:
    desk.job()

    assert desk.run("jobs", "list", "--state", "queued", "--type", "report", "--limit", "5").out.count("\n") == 2


def test_every_format_names_the_same_job(desk: Desk) -> None:
    job_id = str(desk.job(payload={"n": 1}, tags=["eu"]))

    answers = {name: desk.run("jobs", "ls", "-o", name).out for name in ("wide", "json", "yaml", "name")}

    assert answers["wide"].splitlines()[1].startswith(job_id)
    page = json.loads(answers["json"])
    assert page == yaml.safe_load(answers["yaml"])
    assert [(job["id"], job["payload"]) for job in page["items"]] == [(job_id, {"n": 1})]
    assert answers["name"] == f"{job_id}\n"
    assert desk.run("jobs", "ls", "--json").out == answers["json"]


def test_filters_reach_the_api(desk: Desk) -> None:
    wanted = str(desk.job(tags=["eu", "big"], metadata={"shop": "a", "n": 1}, correlation_id="order-1"))
    desk.job(tags=["eu"], metadata={"shop": "b"})

    def found(*words: str) -> list[str]:
        return desk.run("jobs", "ls", "-o", "name", *words).out.split()

    assert found("--tag", "eu", "--tag", "big") == [wanted]
    assert found("--metadata", "shop=a") == [wanted]
    assert found("--correlation-id", "order-1") == [wanted]
    assert found("-q", "ORDER-") == found("--query", wanted[-12:]) == [wanted]
    assert found("-q", "nowhere") == found("--triggered-by", "key") == []
    assert found("--status", "failed", "--status", "running") == []
    assert found("--since", "1h", "--queue", "default", "--tag", "big") == [wanted]
    assert found("--until", "2020-01-01T00:00:00Z") == []


def test_the_jobs_of_a_trigger_are_listed(desk: Desk) -> None:
    schedule = {"label": "x", "definition_key": "report", "interval_seconds": 60, "is_enabled": False}
    trigger = desk.store.create_trigger(DEFAULT_TENANT, schedule)
    [fired] = desk.store.fire_trigger(DEFAULT_TENANT, trigger.id, 1, "manual", [trigger.created_at], [{}])
    desk.job()

    assert desk.run("jobs", "ls", "-o", "name", "--trigger", str(trigger.id)).out == f"{fired.job_id}\n"
    assert desk.run("jobs", "ls", "--trigger", "nightly").code == 2


def test_all_reads_every_page_and_a_limit_does_not(desk: Desk) -> None:
    ids = [desk.job() for _ in range(7)]

    assert len(desk.run("jobs", "ls", "-o", "name", "--limit", "3").out.split()) == 3
    assert len(desk.run("jobs", "ls", "-o", "name", "--all").out.split()) == len(ids)


def test_an_empty_list_is_said_on_stderr(desk: Desk) -> None:
    done = desk.run("jobs", "ls")

    assert (done.code, done.out, done.err) == (0, "", "There are no jobs to show.\n")


def test_control_characters_of_a_job_do_not_reach_the_terminal(desk: Desk) -> None:
    job_id = str(desk.job(payload={"a": "\x1b[2J\x9b31m\u202e"}))
    desk.end(Outcome.FATAL, error="\x1b]0;title\x07boom\x1b[2J\nsecond")

    shown = [desk.run(*words).out for words in (
        ["jobs", "ls"], ["jobs", "get", job_id], ["jobs", "describe", job_id], ["jobs", "get", job_id, "-o", "json"],
        ["jobs", "get", job_id, "-o", "yaml"],
    )]  # fmt: skip

    assert [each for each in shown if set("\x1b\x9b\x07\u202e") & set(each)] == []
    assert all("boom" in each for each in shown)


@pytest.mark.parametrize("part", [slice(None), slice(None, 30), slice(-8, None), slice(-4, None)])
def test_a_job_is_found_by_its_id_or_by_either_end_of_it(desk: Desk, part: slice) -> None:
    desk.job()
    job_id = str(desk.job())

    assert desk.json("jobs", "get", job_id.upper()[part])["id"] == job_id


def test_an_id_that_several_jobs_share_lists_them(desk: Desk) -> None:
    ids = [str(desk.job()) for _ in range(2)]

    done = desk.run("jobs", "get", ids[0][:8])

    assert (done.code, done.out) == (2, "")
    assert done.err.startswith("jobplane: ambiguous_id: 2 jobs have an id that begins or ends with ")
    assert all(each in done.err for each in ids)


@pytest.mark.parametrize(
    ("text", "code"), [("nonsense", 2), ("abc", 2), ("ffff", 3), ("01936f7e-2f0a-7c41-9a53-0f6f3b1f2d11", 3), ("", 2)]
)
def test_an_id_that_is_none_is_refused(desk: Desk, text: str, code: int) -> None:
    done = desk.run("jobs", "get", text)

    assert (done.code, done.out) == (code, "")
    assert done.err.startswith("jobplane: ")


def test_a_description_has_a_sentence_the_attempts_the_payload_and_the_error(desk: Desk) -> None:
    job_id = str(desk.job(payload={"n": 1}))
    desk.end(Outcome.FATAL, error="boom\nin line 7")

    lines = desk.run("jobs", "describe", job_id).out.splitlines()

    assert lines[0].startswith(f"Job {job_id} (report) failed ")
    parts = [line for line in lines if line and not line.startswith(" ") and " " not in line]
    assert parts == ["Attempts", "Payload", "Error"]
    assert lines[-2:] == ["  boom", "  in line 7"]


def test_retry_and_cancel_report_each_job_and_the_worst_code(desk: Desk) -> None:
    failed = desk.job()
    desk.end(Outcome.FATAL)
    waiting, unknown = desk.job(), uuid4()

    retried = desk.run("jobs", "retry", str(failed), str(unknown), str(waiting), "--max-attempts", "7")
    canceled = desk.run("jobs", "cancel", str(waiting), "--reason", "not needed")

    assert (retried.code, retried.out) == (5, f"{failed} queued\n")
    assert [line.split(": ")[1] for line in retried.err.splitlines()] == ["job_not_found", "illegal_move"]
    assert (canceled.code, canceled.out) == (0, f"{waiting} canceled\n")
    assert desk.json("jobs", "get", str(failed))["max_attempts"] == 7
    assert "not needed" in desk.run("jobs", "describe", str(waiting)).out


def test_a_running_job_is_asked_to_stop(desk: Desk) -> None:
    job_id = desk.job()
    desk.store.claim("default", "w")

    assert desk.run("jobs", "cancel", str(job_id)).out == f"{job_id} cancel_requested\n"


def test_a_dry_run_looks_the_job_up_and_changes_nothing(desk: Desk) -> None:
    job_id = desk.job()

    done = desk.run("jobs", "cancel", str(job_id)[-6:], "--reason", "no", "--dry-run")

    assert (done.code, done.out) == (0, "")
    assert done.err == f'Would send: POST /api/v1/jobs/{job_id}/cancel {{"reason": "no"}}\n'
    assert desk.status(job_id) == "queued"
    assert desk.run("jobs", "cancel", "ffff", "--dry-run").code == 3


def test_edit_changes_what_is_named(desk: Desk) -> None:
    job_id = str(desk.job(payload={"a": 1, "b": 2}))

    merged = desk.json("jobs", "edit", job_id, "--set", "b=[3]", "--set", "c=x=y", "--priority", "5", "--tag", "eu")
    replaced = desk.json("jobs", "edit", job_id, "--payload", '{"z": null}')

    assert merged["payload"] == {"a": 1, "b": [3], "c": "x=y"}
    assert (merged["priority"], merged["tags"]) == (5, ["eu"])
    assert (replaced["payload"], replaced["priority"]) == ({"z": None}, 5)
    assert desk.run("jobs", "edit", job_id).err.startswith("jobplane: usage: There is nothing to change.")


def test_another_tenants_jobs_are_not_seen(desk: Desk) -> None:
    job_id = str(desk.job())
    desk.store.create_tenant("charlie")

    done = desk.run("jobs", "ls", "--tenant", "charlie")

    assert (done.out, done.err) == ("", "There are no jobs to show.\n")
    assert desk.run("jobs", "get", job_id, "--tenant", "charlie").code == 3
    assert desk.run("jobs", "cancel", job_id[-8:], JOBPLANE_TENANT="charlie").code == 3


def test_jobs_of_all_tenants_are_shown_with_their_slugs(desk: Desk) -> None:
    acme = desk.store.create_tenant("acme").tenant_id
    for tenant in (None, acme):
        desk.job(*([tenant] if tenant else []))

    tables = {name: desk.run("jobs", "ls", "-o", name).out for name in ("table", "wide")}
    jobs = json.loads(desk.run("jobs", "ls", "-o", "json").out)["items"]

    for table in tables.values():
        titles, *rows = table.splitlines()
        assert titles.split()[:3] == ["ID", "TENANT", "STATUS"]
        assert [row.split()[1] for row in rows] == ["acme", "default"]
    assert [job["tenant"] for job in jobs] == ["acme", "default"]


def test_a_tenant_is_shown_by_its_slug_wherever_a_table_shows_it(desk: Desk) -> None:
    acme = desk.store.create_tenant("acme").tenant_id
    job, here = str(desk.job(acme)), ("--tenant", "acme")
    desk.json("keys", "create", "--role", "viewer", *here)
    desk.json("schedules", "create", "--definition", "report", "--label", "Nightly", "--cron", "0 2 * * *", *here)

    answers = {
        words: desk.run(*words.split(), *here)
        for words in (
            "jobs ls -o wide",
            f"jobs get {job} -o wide",
            f"jobs describe {job}",
            "schedules ls -o wide",
            "keys ls -o wide",
            "audit ls --action createKey -o wide",
        )
    }

    assert {words: done.code for words, done in answers.items()} == dict.fromkeys(answers, 0)
    for words, done in answers.items():
        cells = done.out.split()
        assert ("acme" in cells, str(acme) in cells) == (True, False), words


def test_a_total_is_said_beside_the_table(desk: Desk) -> None:
    for _ in range(3):
        desk.job()

    table = desk.run("jobs", "ls", "--total", "--limit", "2")
    page = json.loads(desk.run("jobs", "ls", "--total", "--limit", "2", "-o", "json").out)

    assert (len(table.out.splitlines()), table.err) == (3, "2 of 3 jobs.\n")
    assert (page["total"], page["total_is_capped"], len(page["items"])) == (3, False, 2)


def test_an_operator_who_names_no_tenant_sees_and_moves_the_jobs_of_all(desk: Desk) -> None:
    tenant = desk.store.create_tenant("acme").tenant_id
    ids = {str(desk.job()), str(desk.job(tenant))}

    assert set(desk.run("jobs", "ls", "-o", "name").out.split()) == ids
    assert desk.run("jobs", "cancel", *(each[-8:] for each in ids)).code == 0
    assert desk.run("jobs", "ls", "--status", "queued").out == ""
