"""Both dialects bind every verb, and have the same files."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import jobplane
from jobplane.store.postgres import bindings as postgres
from jobplane.store.sqlite import bindings as sqlite
from jobplane.store.sqlite.statements import root
from jobplane.store.verbs import api_keys, engine, jobs, operator, replies, retention, sessions, triggers
from jobplane.store.verbs.verb import Verb

STORE = Path(jobplane.__file__).parent / "store"


def verbs() -> Iterator[type[Verb[Any]]]:
    for module in (api_keys, engine, jobs, operator, replies, retention, sessions, triggers):
        yield from (
            kind for kind in vars(module).values() if isinstance(kind, type) and kind.__module__ == module.__name__
        )


def test_every_verb_is_bound_once_in_each_dialect() -> None:
    every = set(verbs())

    assert len(every) > 40
    ours = {kind for kind in postgres.BINDINGS if kind.__module__.startswith("jobplane.")}
    assert every == ours == set(sqlite.BINDINGS)


def test_both_dialects_have_the_same_files_with_the_same_first_words() -> None:
    ours = {file.name: file.read_text("utf-8") for file in root().joinpath("verbs").iterdir()}
    theirs = root().joinpath("..", "postgres", "verbs")

    assert set(ours) == {file.name for file in theirs.iterdir()}
    for name, text in ours.items():
        assert re.match(f"-- {name.removesuffix('.sql')}: ", text), name


def test_each_dialect_inserts_into_jobs_and_into_ready_in_one_place() -> None:
    texts = [path.read_text("utf-8") for path in STORE.rglob("*") if path.suffix in {".py", ".sql"}]

    for table in ("jobplane.jobs", "jobplane.ready", "jobplane_jobs", "jobplane_ready"):
        assert sum(text.count(f"insert into {table} ") for text in texts) == 1, table
