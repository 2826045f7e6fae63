"""The four commands of the Zoltag seed become exactly its command lines (S0-17)."""

from __future__ import annotations

from typing import Any
from uuid import UUID

import pytest

from jobplane.core.command import Call, build_argv, check_payload, read_command, show_command_line
from jobplane.core.schema import judge

TENANT = UUID("1efe049f-ae71-4226-97be-236b4df4a93a")
CALL = Call(TENANT, UUID("6f46a1d8-6e2b-4ecf-8b46-9ec2e6a37f09"), 1)
PROVIDER = "0d6c1c34-3a52-4a0f-9c0f-6d6c3d0f2b11"
ZOLTAG = "/opt/zoltag/bin/zoltag"
TENANT_ID = ["--tenant-id", str(TENANT)]

SYNC: dict[str, Any] = {
    "type": "object",
    "properties": {"provider_id": {"type": "string", "format": "uuid"}, "path_prefix": {"type": "string"}},
    "required": ["provider_id"],
    "additionalProperties": False,
}
RECOMPUTE: dict[str, Any] = {
    "type": "object",
    "properties": {"model": {"type": "string"}},
    "additionalProperties": False,
}
NOTHING: dict[str, Any] = {"type": "object", "additionalProperties": False}
ARGUMENTS: dict[str, tuple[dict[str, Any], list[str]]] = {
    "sync-dropbox": (SYNC, ["--provider-id={provider_id}", "--path={path_prefix}"]),
    "recompute-trained-tags": (RECOMPUTE, ["--model={model}"]),
    "recompute-zeroshot-tags": (RECOMPUTE, ["--model={model}"]),
    "train-keyword-models": (NOTHING, []),
}


def argv(key: str, arguments: list[str], schema: dict[str, Any], payload: dict[str, Any]) -> list[str]:
    template = [key, "--tenant-id", "{tenant_id}", *arguments]
    command = read_command({"executable": ZOLTAG, "argv": template}, schema)
    judge(schema).check(payload)
    check_payload(command, payload)
    return build_argv(command, payload, CALL)


@pytest.mark.parametrize("key", ARGUMENTS)
def test_a_command_without_payload_arguments_is_the_key_and_the_tenant(key: str) -> None:
    assert argv(key, [], NOTHING, {}) == [ZOLTAG, key, *TENANT_ID]


@pytest.mark.parametrize(
    ("key", "payload", "arguments"),
    [
        ("sync-dropbox", {"provider_id": PROVIDER}, [f"--provider-id={PROVIDER}"]),
        (
            "sync-dropbox",
            {"provider_id": PROVIDER, "path_prefix": "/Photos & more/$(rm)"},
            [f"--provider-id={PROVIDER}", "--path=/Photos & more/$(rm)"],
        ),
        ("recompute-trained-tags", {"model": "siglip"}, ["--model=siglip"]),
        ("recompute-zeroshot-tags", {}, []),
        ("train-keyword-models", {}, []),
    ],
)
def test_a_payload_adds_its_arguments(key: str, payload: dict[str, Any], arguments: list[str]) -> None:
    schema, template = ARGUMENTS[key]

    assert argv(key, template, schema, payload) == [ZOLTAG, key, *TENANT_ID, *arguments]


def test_the_command_line_is_quoted_for_a_shell() -> None:
    schema, template = ARGUMENTS["sync-dropbox"]
    payload = {"provider_id": PROVIDER, "path_prefix": "/a b"}

    line = show_command_line(argv("sync-dropbox", template, schema, payload))

    assert line == f"{ZOLTAG} sync-dropbox --tenant-id {TENANT} --provider-id={PROVIDER} '--path=/a b'"
