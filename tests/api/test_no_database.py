"""A Jobplane without a URL takes no job: it would be in a database that nobody looks at."""

from __future__ import annotations

import os
from collections.abc import Generator
from pathlib import Path

import pytest

from jobplane import AsyncJobManager, JobManager, Jobplane
from jobplane.config import InvalidConfig
from tests.api.conftest import point_at
from tests.database import Database
from tests.embedded.conftest import clean_up

REFUSAL = r"JOBPLANE_DATABASE_URL.* postgresql://.* sqlite:///.* embedded:"


@pytest.fixture
def data(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Generator[Path]:
    """Where an embedded server would keep its data."""
    monkeypatch.delenv("JOBPLANE_DATABASE_URL", raising=False)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    yield tmp_path / "data"
    clean_up(tmp_path)


def nothing() -> None: ...


def test_an_enqueue_is_refused(data: Path) -> None:
    jp = Jobplane()
    add = jp.job("add")(nothing)

    with pytest.raises(InvalidConfig, match=REFUSAL) as refused:
        add.enqueue()

    assert refused.value.code == "invalid_config"
    assert refused.value.facts == {"setting": "database_url"}
    assert not data.exists()


async def test_so_is_everything_on_an_event_loop(data: Path) -> None:
    jp = Jobplane()
    jp.job("add")(nothing)

    with pytest.raises(InvalidConfig, match=REFUSAL):
        await jp.enqueue_async("add")
    with pytest.raises(InvalidConfig, match=REFUSAL):
        async with jp.worker():
            """It never starts."""
    with pytest.raises(InvalidConfig, match=REFUSAL):
        await AsyncJobManager.connect()
    assert not data.exists()  # noqa: ASYNC240


def test_so_is_a_manager(data: Path) -> None:
    with pytest.raises(InvalidConfig, match=REFUSAL):
        JobManager.connect()
    assert not data.exists()


def test_the_url_may_be_set_after_the_import(data: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    jp = Jobplane()
    with pytest.raises(InvalidConfig):
        jp.drain()

    monkeypatch.setenv("JOBPLANE_DATABASE_URL", "sqlite:///jobs.db")

    with jp:
        assert jp.drain() == 0


def test_the_login_of_the_application_is_enough_to_enqueue(
    db: Database, data: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    point_at(db, monkeypatch)
    jp = Jobplane()
    jp.job("add")(nothing)
    with jp:
        jp.sync()
    for variable in [name for name in os.environ if name.startswith("JOBPLANE_DATABASE_URL") and "APP" not in name]:
        monkeypatch.delenv(variable)

    with jp:
        assert jp.enqueue("add").created
    assert not data.exists()
