"""Environment and files: texts stay texts, secrets are references, and names cannot be those of jobplane."""

from __future__ import annotations

from typing import Any
from uuid import UUID

import pytest

from jobplane.core.command import Call, Command, build_environment, build_files, check_payload, read_command
from jobplane.core.errors import InvalidCommand, InvalidPayload, SecretInPayload
from jobplane.core.references import Reference

CALL = Call(UUID(int=7), None, 3)
SCHEMA: dict[str, Any] = {
    "type": "object",
    "properties": {
        "region": {"type": "string"},
        "token": {"type": "string", "writeOnly": True},
        "optional": {"anyOf": [{"type": "string", "format": "password"}, {"type": "null"}]},
    },
}


def read(**fields: Any) -> Command:
    return read_command({"executable": "/bin/x", **fields}, SCHEMA)


@pytest.mark.parametrize(
    ("text", "payload", "value"),
    [
        ("C.UTF-8", {}, "C.UTF-8"),
        ("", {}, ""),
        ("{{}}", {}, "{}"),
        ("{region}", {"region": "eu"}, "eu"),
        ("{region}", {"region": "-x"}, "-x"),
        ("{region}", {}, None),
        ("a-{region}-{tenant_id}", {"region": "eu"}, f"a-eu-{UUID(int=7)}"),
        ("{job_id}", {}, "{job_id}"),
        ("{attempt_no}", {}, "3"),
        ("env:TOKEN", {}, Reference("env", "TOKEN")),
        ("file:/run/secrets/x", {}, Reference("file", "/run/secrets/x")),
        ("file:relative", {}, "file:relative"),
        ("env:prod,region:{region}", {"region": "eu"}, "env:prod,region:eu"),
        ("{token}", {"token": "env:TOKEN"}, Reference("env", "TOKEN")),
        ("{token}", {}, None),
        ("{optional}", {"optional": None}, None),
        ("{optional}", {"optional": "file:/x"}, Reference("file", "/x")),
    ],
)
def test_a_variable_is_a_text_or_a_reference(text: str, payload: dict[str, Any], value: object) -> None:
    found = build_environment(read(environment={"A": text}), payload, CALL)

    assert found == ({} if value is None else {"A": value})


@pytest.mark.parametrize("text", ["{region}", "{region}TOKEN", "{region}{region}"])
@pytest.mark.parametrize("region", ["env:AWS_SECRET_ACCESS_KEY", "file:/etc/shadow", "env:"])
def test_a_text_of_a_payload_is_never_a_reference(text: str, region: str) -> None:
    found = build_environment(read(environment={"A": text}), {"region": region}, CALL)

    assert found == {"A": text.replace("{region}", region)}
    assert type(found["A"]) is str


@pytest.mark.parametrize(
    "text", ["env:{region}", "file:/run/{tenant_id}", "file:/run/{{x}}", "file:/{region}", "env:A{region}"]
)
def test_a_reference_has_no_placeholders(text: str) -> None:
    for fields in ({"environment": {"A": text}}, {"files": {"A": text}}):
        with pytest.raises(InvalidCommand, match="no placeholders"):
            read(**fields)


@pytest.mark.parametrize(
    "text", ["x{token}", "{token}{token}", "{token} ", "{token}{region}", "env:{token}", "{{{token}}}"]
)
def test_a_secret_stands_alone(text: str) -> None:
    for fields in ({"environment": {"A": text}}, {"files": {"A": text}}):
        with pytest.raises(InvalidCommand, match="stand alone"):
            read(**fields)


@pytest.mark.parametrize("value", ["plain", "", "env:", "env:a b", "file:x", 5, True, ["env:A"], {"env": "A"}])
def test_a_secret_that_is_no_reference_is_refused(value: Any) -> None:
    command = read(environment={"A": "{token}"}, files={"a": "{token}"})

    for build in (
        lambda: build_environment(command, {"token": value}, CALL),
        lambda: build_files(command, {"token": value}),
        lambda: check_payload(command, {"token": value}),
    ):
        with pytest.raises(SecretInPayload) as refused:
            build()
        assert refused.value.facts["pointer"] == "/token"
        assert "plain" not in refused.value.message


@pytest.mark.parametrize(
    "name",
    ["", "1A", "A-B", "A=B", "A B", "É", "A\n", "JOBPLANE_JOB_ID", "JOBPLANE_", "TRACEPARENT", "{region}"],
)
def test_a_variable_that_a_command_cannot_set_is_refused(name: str) -> None:
    with pytest.raises(InvalidCommand, match="cannot set the variable") as refused:
        read(environment={name: "x"})

    assert refused.value.facts["pointer"] == f"/environment/{name}"


@pytest.mark.parametrize("name", ["A", "_", "a1", "JOBPLANE", "PATH"])
def test_other_variables_may_be_set(name: str) -> None:
    assert read(environment={name: "x"}).environment == {name: "x"}


@pytest.mark.parametrize(
    "name", ["", ".", "..", "a/b", "/a", "../a", "-rf", "a b", "a\n", "result.json", "Result.JSON", "x" * 256, "é"]
)
def test_a_file_that_a_command_cannot_have_is_refused(name: str) -> None:
    with pytest.raises(InvalidCommand, match="cannot have a file"):
        read(files={name: "env:A"})


@pytest.mark.parametrize("name", ["token.json", ".netrc", "...", "a-b_c.1", "x" * 255])
def test_a_file_is_a_reference(name: str) -> None:
    command = read(files={name: "file:/run/secrets/x", "mine": "{token}", "none": "{optional}"})

    assert build_files(command, {"token": "env:T"}) == {
        name: Reference("file", "/run/secrets/x"),
        "mine": Reference("env", "T"),
    }


@pytest.mark.parametrize("text", ["", "plain", "{region}", "{tenant_id}", "env:"])
def test_a_file_holds_nothing_but_a_secret(text: str) -> None:
    with pytest.raises(InvalidCommand, match="must be a reference"):
        read(files={"a": text})


@pytest.mark.parametrize(
    ("fields", "pointer"),
    [
        ({"environment": []}, "/environment"),
        ({"environment": None}, "/environment"),
        ({"environment": {"A": 1}}, "/environment/A"),
        ({"environment": {"A": "{nothing}"}}, "/environment/A"),
        ({"environment": {"A": "{"}}, "/environment/A"),
        ({"environment": {f"A{n}": "" for n in range(101)}}, "/environment"),
        ({"files": {"a": None}}, "/files/a"),
        ({"files": {"a": "{nothing}"}}, "/files/a"),
        ({"files": {f"a{n}": "env:A" for n in range(21)}}, "/files"),
    ],
)
def test_a_fault_has_its_place(fields: dict[str, Any], pointer: str) -> None:
    with pytest.raises(InvalidCommand) as refused:
        read(**fields)

    assert refused.value.facts["pointer"] == pointer


@pytest.mark.parametrize(
    ("value", "words"),
    [("a\0", "NUL"), ("a\udfff", "surrogate"), (["a"], "list"), ("x" * 131_070, "bytes"), ("é" * 65_535, "bytes")],
)
def test_a_value_that_no_variable_can_hold_is_refused(value: Any, words: str) -> None:
    command = read(environment={"A": "{region}"})

    with pytest.raises(InvalidPayload, match=words):
        build_environment(command, {"region": value}, CALL)
    with pytest.raises(InvalidPayload, match=words):
        check_payload(command, {"region": value})


def test_the_variables_have_512_kibibytes_in_sum() -> None:
    command = read(environment={f"A{n}": "{region}" for n in range(5)})

    build_environment(command, {"region": "x" * 104_000}, CALL)
    with pytest.raises(InvalidPayload, match="524,288 bytes in sum"):
        build_environment(command, {"region": "x" * 106_000}, CALL)
