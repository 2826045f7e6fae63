"""What payloads become in argv: one argument for a value, none for an absent one, and never an option."""

from __future__ import annotations

import json
import subprocess
import sys
from typing import Any
from uuid import UUID

import pytest

from jobplane.core.command import Call, build_argv, check_payload, read_command, show_command_line
from jobplane.core.errors import InvalidPayload

CALL = Call(UUID(int=7), UUID(int=8), 3)
PROPERTIES: dict[str, Any] = {
    "name": {"type": "string"},
    "other": {"type": ["string", "null"]},
    "count": {"type": "integer"},
    "ratio": {"type": "number"},
    "on": {"type": "boolean"},
    "tags": {"type": "array", "items": {"type": "string"}},
    "odd/name~": {"enum": ["x", 1, None]},
}
SCHEMA: dict[str, Any] = {"type": "object", "properties": PROPERTIES}
HOSTILE = [
    "",
    " ",
    "a b",
    "$(id)",
    "`id`",
    "; rm -rf /",
    "'\"\\",
    "*",
    "@file",
    "+x",
    "\n--x",
    "—x",
    "{tenant_id}",
    "é\u202e",
]


def arguments(argv: list[Any], payload: dict[str, Any], call: Call = CALL) -> list[str]:
    command = read_command({"executable": "/bin/x", "argv": argv}, SCHEMA)
    return build_argv(command, payload, call)[1:]


@pytest.mark.parametrize(
    ("element", "payload", "expected"),
    [
        ("plain", {}, ["plain"]),
        ("", {}, [""]),
        ("{{literal}} }}{{", {}, ["{literal} }{"]),
        ("{{{name}}}", {"name": "x"}, ["{x}"]),
        ("{name}", {"name": "x"}, ["x"]),
        ("{name}", {"name": ""}, [""]),
        ("{name}", {}, []),
        ("{other}", {"other": None}, []),
        ("--a={name}:{other}", {"name": "x", "other": "y"}, ["--a=x:y"]),
        ("--a={name}:{other}", {"name": "x", "other": None}, []),
        ("--a={name}", {"name": "--b"}, ["--a=--b"]),
        ("-n{name}", {"name": "-b"}, ["-n-b"]),
        ("./{name}", {"name": "-b"}, ["./-b"]),
        ("{odd/name~}", {"odd/name~": 1}, ["1"]),
        ("{count}", {"count": 12}, ["12"]),
        ("{count}", {"count": 10**300}, [str(10**300)]),
        ("{ratio}", {"ratio": 0.5}, ["0.5"]),
        ("{ratio}", {"ratio": 2.0}, ["2.0"]),
        ("{ratio}", {"ratio": 1e23}, ["99999999999999991611392"]),
        ("{on}", {"on": True}, ["true"]),
        ("{on}", {"on": False}, ["false"]),
        ("{tenant_id}", {"tenant_id": "of another"}, [str(UUID(int=7))]),
        ("{job_id}/{attempt_no}", {"job_id": "x", "attempt_no": 9}, [f"{UUID(int=8)}/3"]),
        ({"value": "{count}", "may_start_with_dash": True}, {"count": -5}, ["-5"]),
        ({"value": "{name}"}, {"name": "x"}, ["x"]),
        ({"value": "--{name}", "may_start_with_dash": True}, {"name": "b"}, ["--b"]),
        ({"flag": "--dry-run", "if": "on"}, {"on": True}, ["--dry-run"]),
        ({"flag": "--dry-run", "if": "on"}, {"on": False}, []),
        ({"flag": "--dry-run", "if": "on"}, {}, []),
        ({"each": "--tag={item}", "of": "tags"}, {"tags": ["a", "-b", ""]}, ["--tag=a", "--tag=-b", "--tag="]),
        ({"each": "{item}@{name}", "of": "tags"}, {"tags": ["a", "b"], "name": "x"}, ["a@x", "b@x"]),
        ({"each": "{item}@{name}", "of": "tags"}, {"tags": ["a", "b"]}, []),
        ({"each": "{item}", "of": "tags"}, {"tags": []}, []),
        ({"each": "{item}", "of": "tags"}, {}, []),
        ({"each": "{item}", "of": "tags", "may_start_with_dash": True}, {"tags": ["-b"]}, ["-b"]),
    ],
)
def test_an_element_becomes_its_arguments(element: Any, payload: dict[str, Any], expected: list[str]) -> None:
    assert arguments([element], payload) == expected


def test_a_preview_shows_the_placeholders_of_a_job_that_does_not_exist() -> None:
    assert arguments(["{job_id}", "{attempt_no}"], {}, Call(UUID(int=7), None, None)) == ["{job_id}", "{attempt_no}"]


@pytest.mark.parametrize(
    ("element", "payload", "pointer"),
    [
        ("{name}", {"name": "-"}, "/name"),
        ("{name}", {"name": "--"}, "/name"),
        ("{name}", {"name": "--config=/etc/x"}, "/name"),
        ("{name}={other}", {"name": "-x", "other": ""}, "/name"),
        ("{name}{other}", {"name": "", "other": "-x"}, "/other"),
        ("{name}-x", {"name": ""}, "/name"),
        ("{count}", {"count": -1}, "/count"),
        ("{ratio}", {"ratio": -0.5}, "/ratio"),
        ({"value": "{name}"}, {"name": "-x"}, "/name"),
        ({"value": "{name}", "may_start_with_dash": False}, {"name": "-x"}, "/name"),
        ({"each": "{item}", "of": "tags"}, {"tags": ["a", "-b"]}, "/tags/1"),
        ({"each": "{item}{name}", "of": "tags"}, {"tags": [""], "name": "-b"}, "/name"),
    ],
)
def test_a_value_cannot_become_an_option(element: Any, payload: dict[str, Any], pointer: str) -> None:
    with pytest.raises(InvalidPayload, match='begins with "-"') as refused:
        arguments([element], payload)

    assert refused.value.facts["pointer"] == pointer
    assert "config" not in refused.value.message


@pytest.mark.parametrize(
    ("argv", "payload"),
    [
        (["-k{name}", "--", "{other}"], {"name": "", "other": "-o/etc/x"}),
        (["-k{name}{other}", "x"], {"name": "", "other": ""}),
        ([{"each": "-k{item}", "of": "tags"}], {"tags": ["a", ""]}),
    ],
)
def test_an_empty_value_does_not_let_an_option_take_the_next_argument(argv: list[Any], payload: dict[str, Any]) -> None:
    """`sort -k -- -o/etc/x` would take `--` as the key, and write to the file."""
    with pytest.raises(InvalidPayload, match='is empty, so the option "-k" would take the next argument'):
        arguments(argv, payload)


def test_an_empty_value_may_stand_where_it_takes_nothing() -> None:
    argv = ["--a={name}", "-n={name}", {"value": "-n{name}", "may_start_with_dash": True}, "--", "-n{name}", "-n"]

    assert arguments(argv, {"name": ""}) == ["--a=", "-n=", "-n", "--", "-n", "-n"]


def test_behind_two_dashes_a_value_may_begin_with_one() -> None:
    payload: dict[str, Any] = {"name": "-x", "tags": ["--", "-y"]}

    assert arguments(["--", "{name}", {"each": "{item}", "of": "tags"}], payload) == ["--", "-x", "--", "-y"]


@pytest.mark.parametrize("before", [{"flag": "--", "if": "on"}, "--=", "--x", "-", "x--", {"flag": "---", "if": "on"}])
def test_nothing_but_a_literal_end_of_options_lets_a_dash_through(before: Any) -> None:
    with pytest.raises(InvalidPayload, match='begins with "-"'):
        arguments([before, "a", "{name}"], {"name": "-x", "on": True})


@pytest.mark.parametrize(
    ("payload", "pointer", "words"),
    [
        ({"name": "a\0b"}, "/name", "NUL"),
        ({"name": "a\ud800"}, "/name", "surrogate"),
        ({"name": ["x"]}, "/name", "list"),
        ({"name": {"x": 1}}, "/name", "dict"),
        ({"name": float("nan")}, "/name", "float"),
        ({"name": 10**309}, "/name", "int"),
        ({"name": 10**5000}, "/name", "int"),
        ({"on": "yes"}, "/on", "true or false"),
        ({"tags": "ab"}, "/tags", "list"),
        ({"tags": {"a": 1}}, "/tags", "list"),
        ({"tags": ["a", ["b"]]}, "/tags/1", "list"),
        ({"tags": ["a", "\0"]}, "/tags/1", "NUL"),
        ({"name": "x" * 131_071}, "/name", "131,071 bytes"),
        ({"name": "é" * 65_536}, "/name", "131,071 bytes"),
    ],
)
def test_a_value_that_no_argument_can_hold_is_refused(payload: dict[str, Any], pointer: str, words: str) -> None:
    argv = ["+{name}", {"flag": "-x", "if": "on"}, {"each": "+{item}", "of": "tags"}]

    with pytest.raises(InvalidPayload, match=words) as refused:
        arguments(argv, payload)

    assert refused.value.facts["pointer"] == pointer


def test_the_longest_argument_has_131071_bytes() -> None:
    assert arguments(["+{name}"], {"name": "x" * 131_070}) == ["+" + "x" * 131_070]


@pytest.mark.parametrize(
    ("argv", "payload"),
    [
        (["{name}"] * 9, {"name": "x" * 131_071}),
        ([{"each": "+{item}", "of": "tags"}] * 200, {"tags": [""] * 10_000}),
        (["+" + "{name}" * 2] * 9, {"name": "x" * 65_000}),
    ],
)
def test_more_than_a_mebibyte_of_arguments_is_refused(argv: list[Any], payload: dict[str, Any]) -> None:
    command = read_command({"executable": "/bin/x", "argv": argv}, SCHEMA)

    with pytest.raises(InvalidPayload, match="1,048,576 bytes in sum"):
        build_argv(command, payload, CALL)
    with pytest.raises(InvalidPayload):
        check_payload(command, payload)


def test_what_passes_at_an_enqueue_passes_in_the_job() -> None:
    # The ids of the job are not known at the enqueue, and a preview writes them shorter than they are.
    command = read_command({"executable": "/bin/x", "argv": ["{name}{job_id}{attempt_no}"]}, SCHEMA)
    longest = 131_071 - 36 - 10

    check_payload(command, {"name": "x" * longest})
    build_argv(command, {"name": "x" * longest}, Call(UUID(int=7), UUID(int=8), 2**31 - 1))
    with pytest.raises(InvalidPayload):
        check_payload(command, {"name": "x" * (longest + 1)})


@pytest.mark.parametrize("value", HOSTILE)
def test_a_program_is_given_hostile_values_as_one_argument_each(value: str) -> None:
    script = "import json, sys; print(json.dumps(sys.argv[1:]))"
    command = read_command(
        {"executable": sys.executable, "argv": ["-c", script, "{name}", "--path={name}", "last"]}, SCHEMA
    )
    argv = build_argv(command, {"name": value}, CALL)

    answer = subprocess.run(argv, capture_output=True, check=True, encoding="utf-8")
    shell = subprocess.run(
        ["/bin/sh", "-c", show_command_line(argv)], capture_output=True, check=True, encoding="utf-8"
    )

    assert json.loads(answer.stdout) == [value, f"--path={value}", "last"]
    assert shell.stdout == answer.stdout
