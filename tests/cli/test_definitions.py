from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.command import jobplane
from tests.client import BlockingSqliteStore

MODULE = """
from jobplane import Jobplane

jp = Jobplane(app="shop", version={version!r})

@jp.job("send", priority={priority}, queue="mail")
def send(to: str) -> None: ...
"""


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def sync(place: Path, *flags: str, version: str = "1.0", priority: int = 100) -> tuple[int, list[str], str]:
    (place / "shop.py").write_text(MODULE.format(version=version, priority=priority))
    url = f"sqlite:///{place / 'jobs.db'}"
    answer = jobplane("definitions", "sync", "--import", "shop", *flags, "--url", url, PYTHONDONTWRITEBYTECODE="1")
    return answer.code, answer.out.splitlines(), answer.err


def test_sync_prints_the_difference(place: Path) -> None:
    assert sync(place) == (0, ["created            send"], "shop 1.0: 1 created\n")

    assert sync(place, version="1.1", priority=5) == (
        0,
        ["changed            send", "    priority: 100 → 5"],
        "shop 1.1: 1 changed\n",
    )
    assert sync(place, version="1.0") == (0, ["kept               send"], "shop 1.0: 1 kept\n")


def test_a_dry_run_writes_nothing(place: Path) -> None:
    code, lines, said = sync(place, "--dry-run")

    assert (code, lines, said) == (0, ["created            send"], "shop 1.0: 1 created; nothing was written\n")
    with BlockingSqliteStore(place / "jobs.db") as store:
        assert store.definitions() == []


def test_force_clears_what_a_person_has_set(place: Path) -> None:
    sync(place)
    with BlockingSqliteStore(place / "jobs.db") as store:
        store.change_definition("send", {"priority": 1})

    assert sync(place)[1] == ["unchanged          send", "    set by a person, and left alone: priority"]
    assert sync(place, "--force")[1] == [
        "changed            send",
        "    priority: 1 → 100",
        '    overridden: ["priority"] → []',
    ]


def test_a_module_without_definitions_is_refused(place: Path) -> None:
    (place / "empty.py").touch()

    answer = jobplane("definitions", "sync", "--import", "empty", "--url", "sqlite:///jobs.db")

    assert (answer.code, answer.err) == (
        2,
        "jobplane: invalid: There are no definitions in empty. Declare them with @jp.job(…).\n",
    )
