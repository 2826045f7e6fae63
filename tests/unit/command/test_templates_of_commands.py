"""Which documents are commands, and which are refused, with the place of the fault."""

from __future__ import annotations

from typing import Any

import pytest

from jobplane.core.command import read_command
from jobplane.core.errors import InvalidCommand

DEFS: dict[str, Any] = {
    "name": {"type": "string"},
    "names": {"type": "array", "items": {"$ref": "#/$defs/name"}},
    "loop": {"$ref": "#/$defs/loop"},
    "pool": {"anyOf": [{"$ref": "#/$defs/pool"}, {"type": "string"}]},
    "secret": {"type": "string", "writeOnly": True},
}


def read(argv: Any, schema: Any = None, **fields: Any) -> Any:
    given = {"type": "object", "properties": schema or {}, "required": ["needed", "full"], "$defs": DEFS}
    return read_command({"executable": "/bin/x", "argv": argv, **fields}, given)


SCALARS: list[Any] = [
    {"type": "string"},
    {"type": "integer"},
    {"type": "number"},
    {"type": "boolean"},
    {"type": ["string", "null"]},
    {"enum": ["a", 1, True, None, 0.5]},
    {"const": "a"},
    {"$ref": "#/$defs/name"},
    {"$ref": "#/properties/x2"},
    {"anyOf": [{"type": "string"}, {"type": "null"}]},
    {"oneOf": [{"$ref": "#/$defs/name"}, {"const": 1}]},
    {"allOf": [{"minLength": 1}, {"type": "string"}]},
    {"type": ["string", "array"], "enum": ["a"]},
]
OTHERS: list[Any] = [
    {},
    True,
    {"minLength": 1},
    {"type": "object"},
    {"type": "array", "items": {"type": "string"}},
    {"type": ["string", "array"]},
    {"enum": ["a", ["b"]]},
    {"const": {}},
    {"anyOf": [{"type": "string"}, {}]},
    {"anyOf": [{"type": "string"}, {"type": "array"}]},
    {"$ref": "#/$defs/loop"},
    {"$ref": "#/$defs/pool"},
    {"$ref": "#/$defs/nowhere"},
    {"not": {"type": "array"}},
    {"if": {"type": "string"}, "then": {"type": "string"}},
]


@pytest.mark.parametrize("schema", SCALARS)
def test_a_scalar_may_be_a_placeholder(schema: Any) -> None:
    properties = {"x": schema, "x2": {"type": "string"}}

    assert len(read(["a={x}"], properties).argv) == 1
    assert read([], properties, environment={"A": "{x}"}).environment == {"A": "{x}"}


@pytest.mark.parametrize("schema", OTHERS)
def test_a_property_that_may_be_more_than_a_scalar_is_refused(schema: Any) -> None:
    documents: list[dict[str, Any]] = [{"argv": ["ok", "a={x}"]}, {"argv": [], "environment": {"A": "{x}"}}]
    for fields in documents:
        with pytest.raises(InvalidCommand, match="Give it a type") as refused:
            read(**fields, schema={"x": schema})

        assert refused.value.facts["pointer"] in ("/argv/1", "/environment/A")


@pytest.mark.parametrize(
    "schema",
    [
        {"type": "array", "items": {"type": "string"}},
        {"type": ["array", "null"], "items": {"type": ["integer", "boolean"]}},
        {"$ref": "#/$defs/names"},
        {"anyOf": [{"type": "array", "items": {"type": "string"}}, {"type": "null"}]},
        {"type": "array", "prefixItems": [{"const": 1}], "items": False},
        {"allOf": [{"type": "array"}, {"items": {"type": "string"}}]},
    ],
)
def test_each_takes_a_list_of_scalars(schema: Any) -> None:
    assert len(read([{"each": "--x={item}", "of": "x"}], {"x": schema}).argv) == 1


@pytest.mark.parametrize(
    "schema",
    [
        {"type": "string"},
        {"type": "array"},
        {"items": {"type": "string"}},
        {"type": ["array", "string"], "items": {"type": "string"}},
        {"type": "array", "items": {"type": "array"}},
        {"type": "array", "prefixItems": [{"type": "string"}]},
        {"type": "array", "prefixItems": [{"type": "object"}], "items": {"type": "string"}},
        {"anyOf": [{"type": "array", "items": {"type": "string"}}, {"type": "array"}]},
    ],
)
def test_each_takes_nothing_else(schema: Any) -> None:
    with pytest.raises(InvalidCommand, match="must be an array") as refused:
        read([{"each": "--x={item}", "of": "x"}], {"x": schema})

    assert refused.value.facts["pointer"] == "/argv/0"


@pytest.mark.parametrize(
    ("element", "words"),
    [
        ("{", "brace"),
        ("}", "brace"),
        ("{}", "brace"),
        ("{name", "brace"),
        ("{{name}", "brace"),
        ("{name}}", "brace"),
        ("{a{name}}", "brace"),
        ("{nam}", 'Did you mean "name"'),
        ("{ name }", "Did you mean"),
        ("{name.x}", "no property"),
        ("{item}", "no property"),
        ("{tenant_slug}", "tenant_id"),
        ("{name}" * 33, "32 placeholders"),
        ("--{name}", "an option's name"),
        ("--{name}=x", "an option's name"),
        ("--path{name}", "an option's name"),
        ("-{name}", "an option's name"),
        ("-{name}=x", "an option's name"),
        ({"each": "--{item}", "of": "names"}, "an option's name"),
        ({"value": "-{name}", "may_start_with_dash": False}, "an option's name"),
        ({"value": "{name}", "may_start_with_dash": 1}, "true or false"),
        ({"value": 1}, "must be a text"),
        ({"value": "{name}", "if": "on"}, "other fields"),
        ({"flag": "--x"}, "other fields"),
        ({"flag": "--x", "if": "on", "may_start_with_dash": True}, "other fields"),
        ({"flag": "", "if": "on"}, "without placeholders"),
        ({"flag": "{name}", "if": "on"}, "without placeholders"),
        ({"flag": "--x", "if": "name"}, "must be a boolean"),
        ({"flag": "--x", "if": "tenant_id"}, "must be a boolean"),
        ({"flag": "--x", "if": "off"}, "no property"),
        ({"flag": "--x", "if": None}, "must be a text"),
        ({"each": "{item}", "of": "name"}, "must be an array"),
        ({"each": "{item}", "of": "tenant_id"}, "must be an array"),
        ({"each": "{name}", "of": "names"}, "placeholder {item}"),
        ({"each": "{item}{nam}", "of": "names"}, "Did you mean"),
        ({}, "other fields"),
        (1, "a text or an object"),
        (None, "a text or an object"),
        (["x"], "a text or an object"),
    ],
)
def test_an_element_that_cannot_be_is_refused_with_its_place(element: Any, words: str) -> None:
    properties = {"name": {"type": "string"}, "on": {"type": "boolean"}, "names": {"$ref": "#/$defs/names"}}

    with pytest.raises(InvalidCommand, match=words) as refused:
        read(["first", element], properties)

    assert refused.value.code == "invalid_command"
    assert refused.value.facts["pointer"] == "/argv/1"


OPTIONAL = {"type": "string"}
FULL: dict[str, Any] = {"type": "array", "items": {"type": "string"}, "minItems": 1}


@pytest.mark.parametrize(
    "argv",
    [
        ["--name", "{optional}"],
        ["-n", "{optional}", "--", "{needed}"],
        ["--name", "/data/{optional}"],
        ["--name", "{nullable}"],
        ["--name", {"value": "{optional}", "may_start_with_dash": True}],
        ["--name", {"each": "{item}", "of": "list"}],
        ["--name", {"each": "{item}", "of": "holes"}],
        ["--name", {"each": "{item}{optional}", "of": "full"}],
    ],
)
def test_an_option_whose_value_may_be_left_out_is_refused(argv: list[Any]) -> None:
    properties = {
        "optional": OPTIONAL,
        "needed": OPTIONAL,
        "nullable": {"type": ["string", "null"]},
        "list": {"type": "array", "items": {"type": "string"}},
        "holes": {**FULL, "items": {"type": ["string", "null"]}},
        "full": FULL,
    }
    schema = {"properties": properties, "required": ["needed", "nullable", "full", "holes", "list"]}

    with pytest.raises(InvalidCommand, match="take the next argument") as refused:
        read_command({"executable": "/bin/x", "argv": argv}, schema)

    assert refused.value.facts["pointer"] == "/argv/1"


@pytest.mark.parametrize(
    "argv",
    [
        ["--name", "{needed}"],
        ["--name", "{tenant_id}"],
        ["--name=x", "{optional}"],
        ["--", "{optional}"],
        ["-", "{optional}"],
        ["name", "{optional}"],
        ["--", "--name", "{optional}"],
        ["--verbose", "--name={optional}"],
        ["--verbose", {"flag": "x", "if": "on"}],
        ["--verbose", {"each": "--tag={item}", "of": "full"}],
        ["--names", {"each": "{item}", "of": "full"}],
    ],
)
def test_an_option_with_a_certain_value_or_none_is_not(argv: list[Any]) -> None:
    properties = {"optional": OPTIONAL, "needed": OPTIONAL, "full": FULL, "on": {"type": "boolean"}}

    assert len(read(argv, properties).argv) == len(argv)


@pytest.mark.parametrize(
    "secret",
    [
        {"type": "string", "writeOnly": True},
        {"type": "string", "format": "password"},
        {"$ref": "#/$defs/secret"},
        {"anyOf": [{"$ref": "#/$defs/secret"}, {"type": "null"}]},
    ],
)
def test_a_secret_stands_in_no_argument(secret: Any) -> None:
    for items in ({"items": secret}, {"prefixItems": [secret], "items": {"type": "string"}}):
        with pytest.raises(InvalidCommand, match="secret"):
            read([{"each": "--x={item}", "of": "x"}], {"x": {"type": "array", **items}})
    for element in ("--x={x}", {"value": "{x}"}, {"each": "{item}{x}", "of": "y"}, {"flag": "--x", "if": "x"}):
        with pytest.raises(InvalidCommand, match="secret"):
            read([element], {"x": secret, "y": {"$ref": "#/$defs/names"}})


def test_a_pattern_makes_a_property_a_secret() -> None:
    schema: Any = {"properties": {"t": {"type": "string"}}, "patternProperties": {"^t": {"writeOnly": True}}}

    with pytest.raises(InvalidCommand, match="secret"):
        read_command({"executable": "/bin/true", "argv": ["--t={t}"]}, schema)


@pytest.mark.parametrize("name", ["tenant_id", "job_id", "attempt_no"])
def test_a_schema_cannot_have_a_property_that_comes_from_the_job(name: str) -> None:
    with pytest.raises(InvalidCommand, match="comes from the job") as refused:
        read([], {name: {"type": "string"}})

    assert refused.value.facts == {"pointer": "", "property": name}


@pytest.mark.parametrize("schema", [True, {}, {"type": "object"}])
def test_a_schema_without_properties_has_the_facts_of_the_job(schema: Any) -> None:
    command = read_command({"executable": "/bin/x", "argv": ["{tenant_id}", "{job_id}", "{attempt_no}"]}, schema)

    assert len(command.argv) == 3
    with pytest.raises(InvalidCommand, match="no property"):
        read_command({"executable": "/bin/x", "argv": ["{name}"]}, schema)


@pytest.mark.parametrize(
    ("document", "pointer"),
    [
        (None, ""),
        ([], ""),
        ({}, "/executable"),
        ({"executable": None}, "/executable"),
        ({"executable": "zoltag"}, "/executable"),
        ({"executable": "./zoltag"}, "/executable"),
        ({"executable": "/"}, "/executable"),
        ({"executable": "//bin/x"}, "/executable"),
        ({"executable": "/bin/../x"}, "/executable"),
        ({"executable": "/bin//x"}, "/executable"),
        ({"executable": "/bin/./x"}, "/executable"),
        ({"executable": "/bin/x/"}, "/executable"),
        ({"executable": "/bin/x\0"}, "/executable"),
        ({"executable": "/" + "x" * 4095}, "/executable"),
        ({"executable": "/bin/x", "args": []}, "/args"),
        ({"executable": "/bin/x", "argv": "ls"}, "/argv"),
        ({"executable": "/bin/x", "argv": None}, "/argv"),
        ({"executable": "/bin/x", "argv": ["a"] * 257}, "/argv"),
        ({"executable": "/bin/x", "argv": ["a\0"]}, "/argv/0"),
        ({"executable": "/bin/x", "argv": ["a\ud800"]}, "/argv/0"),
        ({"executable": "/bin/x", "argv": ["x" * 65_536]}, ""),
        ({"executable": "/bin/x", "stdin": "open"}, "/stdin"),
        ({"executable": "/bin/x", "stdin": None}, "/stdin"),
        ({"executable": "/bin/x", "exit_codes": []}, "/exit_codes"),
        ({"executable": "/bin/x", "exit_codes": {"0": "retry"}}, "/exit_codes/0"),
        ({"executable": "/bin/x", "exit_codes": {"256": "retry"}}, "/exit_codes/256"),
        ({"executable": "/bin/x", "exit_codes": {"07": "retry"}}, "/exit_codes/07"),
        ({"executable": "/bin/x", "exit_codes": {"٣": "retry"}}, "/exit_codes/٣"),
        ({"executable": "/bin/x", "exit_codes": {"3\n": "retry"}}, "/exit_codes/3\n"),
        ({"executable": "/bin/x", "exit_codes": {"3": "ignore"}}, "/exit_codes/3"),
        ({"executable": "/bin/x", "exit_codes": {"3": ["retry"]}}, "/exit_codes/3"),
    ],
)
def test_a_document_that_is_no_command_is_refused_with_its_place(document: Any, pointer: str) -> None:
    with pytest.raises(InvalidCommand) as refused:
        read_command(document, {})

    assert refused.value.facts["pointer"] == pointer


def test_a_command_has_defaults() -> None:
    command = read_command({"executable": "/bin/x"}, {})

    assert (command.argv, command.environment, command.files, command.stdin) == ((), {}, {}, "closed")
    assert command.exit_codes == {}


def test_a_command_has_what_its_document_says() -> None:
    command = read([], stdin="payload", exit_codes={"1": "fail", "75": "retry", "255": "succeed"})

    assert command.executable == "/bin/x"
    assert command.stdin == "payload"
    assert command.exit_codes == {1: "fail", 75: "retry", 255: "succeed"}


def test_a_schema_that_refers_to_itself_a_thousand_times_is_read() -> None:
    chain = {f"d{n}": {"anyOf": [{"$ref": f"#/$defs/d{n + 1}"}, {"$ref": f"#/$defs/d{n + 1}"}]} for n in range(1000)}
    schema = {"properties": {"x": {"$ref": "#/$defs/d0"}}, "$defs": chain}

    with pytest.raises(InvalidCommand, match="Give it a type"):
        read_command({"executable": "/bin/x", "argv": ["{x}"]}, schema)
