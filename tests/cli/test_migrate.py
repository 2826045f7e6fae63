import json
import shutil
import subprocess
from urllib.parse import quote

import pytest

from tests.cli.command import jobplane
from tests.migrations.cluster import Database

PSQL = shutil.which("psql")


def test_plan_up_and_status_tell_the_same_story(database: Database) -> None:
    url = database.url()

    planned = jobplane("migrate", "plan", "--url", url).out.splitlines()
    before = json.loads(jobplane("migrate", "status", "--url", url, "-o", "json").out)
    done = jobplane("migrate", "up", "--url", url)
    after = json.loads(jobplane("migrate", "status", "--url", url, "-o", "json").out)

    assert planned == before["pending"] == [line.removeprefix("applied ") for line in done.err.splitlines()]
    assert done.out == f"schema {after['wanted']}\n"
    assert (before["found"], before["up_to_date"], after["pending"], after["up_to_date"]) == (0, False, [], True)


def test_a_dry_run_changes_nothing(database: Database) -> None:
    answer = jobplane("migrate", "up", "--dry-run", "--url", database.url())

    assert answer.out.splitlines()[0] == "schema"
    assert database.value("select to_regnamespace('jobplane')") is None


@pytest.mark.skipif(PSQL is None, reason="there is no psql on this machine")
def test_the_printed_script_brings_an_empty_database_up_to_date(database: Database) -> None:
    script = jobplane("migrate", "up", "--sql", "--url", database.url())

    command = [PSQL or "", "-X", "-q", "-v", "ON_ERROR_STOP=1", database.url()]
    subprocess.run(command, input=script.out, text=True, check=True, timeout=60)

    status = jobplane("migrate", "status", "--url", database.url())
    assert status.err == "up to date\n"


def test_the_url_comes_from_the_environment_too(database: Database) -> None:
    answer = jobplane("migrate", "status", "-o", "json", JOBPLANE_DATABASE_URL=database.url())

    assert json.loads(answer.out)["found"] == 0


def test_single_trust_is_a_flag_and_stays(database: Database) -> None:
    url = database.url()

    assert jobplane("migrate", "up", "--trust", "single", "--url", url).code == 0
    again = jobplane("migrate", "up", "--url", url)

    assert again.code == 5
    assert again.err.startswith("jobplane: trust_mismatch: ")


def test_roles_prints_what_it_would_run() -> None:
    answer = jobplane("migrate", "roles", "--sql", "--grant", 'app=my "shop"')

    assert "create role jobplane_" in answer.out
    assert answer.out.endswith('grant jobplane_app to "my ""shop""";\n')


def test_roles_needs_a_login_that_may_make_them(database: Database) -> None:
    answer = jobplane("migrate", "roles", "--url", database.url("stranger"))

    assert (answer.code, answer.out) == (4, "")
    assert answer.err.startswith("jobplane: forbidden: roles: ")


@pytest.mark.parametrize(
    ("words", "env", "code", "starts"),
    [
        (
            ["--url", "mysql://db/x"],
            {},
            2,
            "jobplane: invalid_config: Invalid migrate_url. It is not the URL",
        ),
        (
            ["--url", "postgresql://u:secret@h:port/x"],
            {},
            2,
            "jobplane: invalid_config: Invalid migrate_url. It cannot",
        ),
        (
            ["--url", "postgresql://h/x?nonsense=1"],
            {},
            2,
            "jobplane: invalid_config: Invalid migrate_url. It cannot",
        ),
        (["--url", "sqlite:///jobs.db"], {}, 2, "jobplane: invalid_config: A SQLite file needs no migration"),
        (["--url", "postgresql://u:secret@127.0.0.1:1/x"], {}, 7, "jobplane: store_unavailable: "),
        (["--url", "postgresql:///x?host=/nowhere"], {}, 7, "jobplane: store_unavailable: "),
        (
            [],
            {"JOBPLANE_DATABSE_URL": "x"},
            2,
            "jobplane: invalid_config: Unknown setting JOBPLANE_DATABSE_URL. Did you mean",
        ),
        ([], {"JOBPLANE_TRUST": "blind"}, 2, "jobplane: invalid_config: Invalid trust "),
        ([], {"JOBPLANE_DATABASE_URL_FILE": "/nowhere"}, 2, "jobplane: invalid_config: The file that "),
        ([], {"JOBPLANE_CONFIG": "/nowhere"}, 2, "jobplane: invalid_config: The file /nowhere cannot be read"),
    ],
)
def test_what_cannot_be_is_said_with_its_code(words: list[str], env: dict[str, str], code: int, starts: str) -> None:
    answer = jobplane("migrate", "status", *words, **env)

    assert (answer.code, answer.out) == (code, "")
    assert answer.err.startswith(starts)
    assert "secret" not in answer.err
    assert "Traceback" not in answer.err


def test_a_database_that_is_not_there_is_missing(database: Database) -> None:
    answer = jobplane("migrate", "status", "--url", database.server.url("jobplane_app", "nowhere"))

    assert answer.code == 1
    assert answer.err.startswith("jobplane: database_missing: ")
    assert 'database "nowhere" does not exist' in answer.err


def test_a_refused_login_is_not_allowed(database: Database) -> None:
    socket = quote(str(database.server.socket_dir), safe="")
    answer = jobplane("migrate", "status", "--url", f"postgresql://nobody:secret@/{database.name}?host={socket}")

    assert answer.code == 4
    assert answer.err.startswith("jobplane: unauthenticated: The database refused the login")


def test_a_grant_needs_a_kind_and_a_role() -> None:
    answer = jobplane("migrate", "roles", "--sql", "--grant", "boss=me")

    assert answer.code == 2
    assert 'not "boss=me"' in answer.err


def test_embedded_servers_make_their_own_roles() -> None:
    answer = jobplane("migrate", "roles", "--url", "embedded:")

    assert answer.err.startswith("jobplane: invalid_config: An embedded server creates its own roles")
