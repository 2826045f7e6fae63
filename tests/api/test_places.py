"""Where a Jobplane finds its database when the process has gone elsewhere."""

from __future__ import annotations

from pathlib import Path

import pytest

from jobplane import Jobplane, config


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.delenv("JOBPLANE_DATABASE_URL", raising=False)
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    for name in ("here", "elsewhere"):
        (tmp_path / name).mkdir()
    monkeypatch.chdir(tmp_path / "here")
    return tmp_path / "here"


@pytest.mark.parametrize("by", ["argument", "variable", "file"])
def test_files_are_where_it_was_made(here: Path, monkeypatch: pytest.MonkeyPatch, by: str) -> None:
    if by == "variable":
        monkeypatch.setenv("JOBPLANE_DATABASE_URL", "sqlite:///jobs.db")
    if by == "file":
        Path("jobplane.toml").write_text('database_url = "sqlite:///jobs.db"\nartifacts_dir = "large"\n')
    jp = Jobplane("sqlite:///jobs.db" if by == "argument" else None)
    jp.job("nothing")(lambda: None)
    monkeypatch.chdir("../elsewhere")

    with jp:
        job = jp.enqueue("nothing")
    with Jobplane(f"sqlite:///{here}/jobs.db") as other:  # the second use after a close, too
        assert other.get(job).id == jp.get(job).id
    jp.close()

    assert not any((here.parent / "elsewhere").iterdir())
    assert not (here.parent / "data").exists()


async def test_also_on_an_event_loop(here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    jp = Jobplane("sqlite:///jobs.db")
    monkeypatch.chdir("../elsewhere")

    async with jp:
        assert [job async for job in jp.list_async()] == []

    assert (here / "jobs.db").exists()


def test_what_handlers_read_later_is_pinned_where_their_process_started(here: Path) -> None:
    Path("jobplane.toml").touch()
    env = {"JOBPLANE_DATABASE_URL": "sqlite:///jobs.db"}

    config.pin(here, env)

    assert env == {
        "JOBPLANE_DATABASE_URL": f"sqlite:///{here}/jobs.db",
        "JOBPLANE_CONFIG": f"{here}/jobplane.toml",
    }


@pytest.mark.parametrize(
    "url", ["sqlite:///:memory:", "sqlite:////a/b", "sqlite:///~/b", "embedded:", "postgresql://h/d"]
)
def test_other_urls_stay_as_they_are(here: Path, url: str) -> None:
    assert config.Config(database_url=url).locate(here).database_url == url


def test_a_file_that_is_not_named_is_not_pinned(here: Path) -> None:
    env = {"JOBPLANE_CONFIG": ""}

    config.pin(here, env)

    assert env == {"JOBPLANE_CONFIG": ""}
