from pathlib import Path

import pytest

from jobplane import config
from jobplane.config import InvalidConfig

URL = "postgresql://app@db/{}"


def test_flags_beat_the_environment_which_beats_the_file_which_beats_defaults(tmp_path: Path) -> None:
    (tmp_path / "jobplane.toml").write_text(
        'trust = "single"\npooler = "transaction"\ndatabase_url = "postgresql://file"\n'
    )
    env = {"JOBPLANE_DATABASE_URL": URL.format("env"), "JOBPLANE_MIGRATE_URL": URL.format("env")}

    settings = config.load({"migrate_url": URL.format("flag"), "trust": None}, env=env, directory=tmp_path)

    assert (settings.migrate_url, settings.database_url) == (URL.format("flag"), URL.format("env"))
    assert (settings.trust, settings.pooler, settings.listen_url) == ("single", "transaction", "")


def test_a_role_has_its_own_url_or_the_one_for_all() -> None:
    settings = config.load({"database_url": URL.format("all"), "database_url_worker": URL.format("own")}, env={})

    assert (settings.url("worker"), settings.url("app"), settings.url("owner")) == (
        URL.format("own"),
        URL.format("all"),
        URL.format("all"),
    )


def test_a_secret_may_come_from_a_file(tmp_path: Path) -> None:
    (tmp_path / "secret").write_text(URL.format("secret") + "\n")

    settings = config.load({}, env={"JOBPLANE_DATABASE_URL_FILE": str(tmp_path / "secret")})

    assert settings.database_url == URL.format("secret")


def test_what_kubernetes_sets_for_a_service_is_not_a_setting() -> None:
    env = {
        "JOBPLANE_SERVICE_HOST": "10.0.0.1",
        "JOBPLANE_PORT": "tcp://10.0.0.1:80",
        "JOBPLANE_PORT_80_TCP_ADDR": "10.0.0.1",
        "JOBPLANE_WORKER_SERVICE_HOST": "10.0.0.2",
        "JOBPLANE_WORKER_PORT": "tcp://10.0.0.2:80",
    }

    assert config.load({}, env=env) == config.Config()


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("databse_url = 'x'", "Unknown setting databse_url. Did you mean database_url"),
        ("zzz = 1", "Unknown setting zzz. Use one of database_url, "),
        ("pooler = 'session'", 'Invalid pooler "session"'),
        ("trust = [", "jobplane.toml cannot be read"),
        ("database_url = 7", "Invalid database_url. It must be a text"),
        ("retention_days = [1, 'a']", r'Invalid retention_days \[1, "a"\]. It must be a whole number.$'),
        ("worker_queues = {a = 1}", 'Invalid worker_queues {"a": 1}. It must be a list.$'),
        ("lease_seconds = 4", "Invalid lease_seconds 4. .* 5"),
        ("max_attempts_default = 0", "Invalid max_attempts_default 0. .* 1"),
        ("max_attempts_default = 102", "Invalid max_attempts_default 102. .* 101"),
        ("max_pending_default = -1", "Invalid max_pending_default -1. .* 0"),
        ("wakeup = 'pol'", 'Invalid wakeup "pol". .* .listen. or .poll.'),
        ("worker_queues = ['mail=0']", 'Invalid worker_queues "mail=0". Write a queue as NAME, or as NAME=WEIGHT'),
        ("worker_queues = ['low', 'Bad Mail']", 'Invalid worker_queues "Bad Mail". The name of a queue has a-z'),
        ("worker_imports = 'app/jobs.py'", 'Invalid worker_imports "app/jobs.py". Write a module as in an import'),
        ("worker_http = '9190'", 'Invalid worker_http "9190". Write an address as HOST:PORT'),
        ("database_url = 'sqlite:///jobs.db?mode=ro'", "Invalid database_url. A sqlite URL has a path alone"),
        ("database_url = ''", "Invalid database_url. It is empty"),
        ("database_url = 'host=db password=secret'", "Invalid database_url. It is not the URL of a database"),
    ],
)
def test_what_cannot_be_is_refused_and_no_url_is_repeated(tmp_path: Path, text: str, complaint: str) -> None:
    (tmp_path / "jobplane.toml").write_text(text)

    with pytest.raises(InvalidConfig, match=complaint) as refusal:
        config.load({}, env={}, directory=tmp_path)
    assert "secret" not in str(refusal.value)


def test_an_empty_directory_is_none() -> None:
    assert config.load({}, env={"JOBPLANE_ARTIFACTS_DIR": "", "JOBPLANE_EMBEDDED_BIN_DIR": ""}) == config.Config()


def test_a_list_may_be_one_text_with_commas() -> None:
    settings = config.load({}, env={"JOBPLANE_WORKER_QUEUES": "mail=3, default", "JOBPLANE_WORKER_IMPORTS": "app.jobs"})

    assert (settings.worker_queues, settings.worker_imports) == (("mail=3", "default"), ("app.jobs",))
