"""The form of the texts that people read: a capital letter, a full stop, no value as Python writes it."""

from __future__ import annotations

import ast
from pathlib import Path
from typing import Final

import pytest

from tests.docs.english import PYTHON, SHOWING, Text, find_errors, read_python, read_sql

SOURCE: Final = Path(__file__).parents[2] / "src" / "jobplane"
# Files whose texts do not have this form yet.
NOT_YET: Final = frozenset(Path(__file__).with_name("not_yet.txt").read_text().split())


def test_messages_help_and_events_have_the_form_of_sentences() -> None:
    trees = {path: ast.parse(path.read_text()) for path in sorted(SOURCE.rglob("*.py"))}
    errors = find_errors(iter(trees.values()))
    texts = {path: list(read_python(tree, _errors_of(path, errors))) for path, tree in trees.items()}
    texts |= {path: list(read_sql(path)) for path in sorted(SOURCE.rglob("*.sql")) if "migrations" not in path.parts}

    faults = {_name(path): [str(text) for text in found if text.fault] for path, found in texts.items()}

    assert sum(map(len, texts.values())) > 500, "texts are found at all"
    assert {path: found for path, found in faults.items() if found and path not in NOT_YET} == {}


def test_the_files_that_may_still_fail_are_there() -> None:
    assert [path for path in NOT_YET if not (SOURCE / path).exists()] == []


def _errors_of(path: Path, errors: frozenset[str]) -> frozenset[str]:
    return errors | PYTHON if path.relative_to(SOURCE).parts[0] in SHOWING else errors


def _name(path: Path) -> str:
    return str(path.relative_to(SOURCE))


@pytest.mark.parametrize(
    ("code", "fault"),
    [
        ('raise Invalid("Unknown queue.")', None),
        ('raise Invalid(f"{count} jobs wait.")', None),
        ('raise Invalid(f"It failed: {error}")', None),
        ("raise Invalid('\"emials\" is no queue.')", None),
        ('raise Invalid("unknown queue.")', "does not start with a capital letter or a quoted value"),
        ('raise Invalid("Unknown queue")', "does not end with a full stop"),
        ('raise Invalid(f"Unknown queue {name!r}.")', "has a bare repr of a value"),
        (
            'def f():\n    message = "no"\n    raise Invalid(message)',
            "does not start with a capital letter or a quoted value",
        ),
        ('log.warning("It went wrong: %s", error)', None),
        ('log.warning("%r went wrong.", error)', "has a bare repr of a value"),
        ('events.log_event("name", "it went.")', "does not start with a capital letter or a quoted value"),
        ('click.option("--all", help="All items")', "does not end with a full stop"),
        (
            '_NO: Final = "no"\ndef f():\n    raise Invalid(_NO)',
            "does not start with a capital letter or a quoted value",
        ),
        ('_NO = {"a": "No {x}"}\ndef f():\n    raise Invalid(_NO["a"].format(x=1))', "does not end with a full stop"),
        ('raise Invalid("No {!r}.".format(x))', "has a bare repr of a value"),
        ('raise Invalid("no %s." % x)', "does not start with a capital letter or a quoted value"),
        ('self.fail(f"{value!r} is no time.")', "has a bare repr of a value"),
        ('@click.command()\ndef f():\n    """Do it"""', "does not end with a full stop"),
    ],
)
def test_each_fault_is_found(code: str, fault: str | None) -> None:
    [text] = read_python(ast.parse(code), frozenset({"Invalid"}))

    assert text.fault == fault


def test_the_messages_of_sql_are_found(tmp_path: Path) -> None:
    path = tmp_path / "verb.sql"
    path.write_text("begin\n  raise exception 'the tenant''s slug % is taken' using errcode = 'JP016';\nend")

    assert [*read_sql(path)] == [Text(2, "the tenant's slug \x00 is taken")]


def test_the_messages_of_sql_that_are_chosen_are_found(tmp_path: Path) -> None:
    path = tmp_path / "verb.sql"
    path.write_text(
        "raise exception using errcode = 'JP002', message = case when a then 'no good' else format('No %s.', b) end;"
    )

    assert [each.text for each in read_sql(path)] == ["no good", "No \x00."]
