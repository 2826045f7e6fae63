"""Both classes have the verbs of the protocols and no other, and both dialects the same files."""

from __future__ import annotations

import inspect
import re

import pytest

from jobplane.store.sqlite.statements import root
from tests.client import BlockingSqliteStore, BlockingStore, SqliteStore, Store

VERBS = sorted(name for name, member in vars(Store).items() if inspect.isfunction(member) and not name.startswith("_"))
OURS = {"backup", "check", "close"}


@pytest.mark.parametrize("verb", VERBS)
def test_a_verb_is_that_of_the_protocol(verb: str) -> None:
    assert inspect.signature(getattr(SqliteStore, verb)) == inspect.signature(getattr(Store, verb))
    assert inspect.signature(getattr(BlockingSqliteStore, verb)) == inspect.signature(getattr(BlockingStore, verb))


@pytest.mark.parametrize("kind", [SqliteStore, BlockingSqliteStore])
def test_neither_has_a_verb_of_its_own(kind: type) -> None:
    own = {name for name, member in vars(kind).items() if inspect.isfunction(member) and not name.startswith("_")}

    assert own - OURS == set(VERBS)


def test_both_dialects_have_the_same_files_with_the_same_first_words() -> None:
    ours = {file.name: file.read_text("utf-8") for file in root().joinpath("verbs").iterdir()}
    theirs = root().joinpath("..", "postgres", "verbs")

    assert set(ours) == {file.name for file in theirs.iterdir()}
    for name, text in ours.items():
        assert re.match(f"-- {name.removesuffix('.sql')}: ", text), name
