"""For any template and any payload that its schema accepts, argv has the shape of the template (S13)."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import takewhile
from typing import Any, Literal
from uuid import UUID

from hypothesis import event, given, settings
from hypothesis import strategies as st

from jobplane.core.command import Call, Command, build_argv, check_payload, read_command
from jobplane.core.errors import InvalidCommand, InvalidPayload
from jobplane.core.schema import judge

CALL = Call(UUID(int=7), UUID(int=8), 3)
OF_JOB = {"tenant_id": str(CALL.tenant_id), "job_id": str(CALL.job_id), "attempt_no": "3"}
SCALARS: dict[str, Any] = {
    "text": {"type": "string"},
    "a b/~": {"type": ["string", "null"]},
    "count": {"type": "integer"},
    "ratio": {"type": "number"},
    "on": {"type": "boolean"},
    "choice": {"enum": ["-x", "--", "", 1, None, True]},
    "item": {"$ref": "#/properties/text"},
}
TAGS = {"type": "array", "items": {"type": ["string", "integer", "null"]}}
SCHEMA: dict[str, Any] = {"type": "object", "properties": {**SCALARS, "tags": TAGS}, "required": ["text"]}
# Values that a program, a shell or the template itself could take for something else.
WORDS = [
    "",
    "-",
    "--",
    "-rf",
    "--config=/etc/x",
    "{tenant_id}",
    "{{",
    "}",
    "$(id)",
    "'",
    "\\",
    "\n",
    " ",
    "=",
    "\0",
    "é",
    "—",
]
texts = st.sampled_from(WORDS) | st.lists(st.sampled_from(WORDS), max_size=3).map("".join) | st.text(max_size=5)
payloads = st.fixed_dictionaries(
    {"text": texts},
    optional={
        "a b/~": texts | st.none(),
        "count": st.integers(),
        "ratio": st.integers() | st.floats(allow_nan=False, allow_infinity=False),
        "on": st.booleans(),
        "choice": st.sampled_from(SCALARS["choice"]["enum"]),
        "item": texts,
        "tags": st.lists(texts | st.integers() | st.none(), max_size=3),
        **dict.fromkeys(OF_JOB, texts),
    },
)


@dataclass(frozen=True)
class Name:
    """A placeholder in a plan; a literal is a text."""

    name: str


@dataclass(frozen=True)
class Plan:
    """An element of a template, before it is written as one."""

    kind: Literal["value", "flag", "each"]
    parts: Sequence[str | Name]
    may_start_with_dash: bool = False

    @property
    def head(self) -> str:
        return "".join(
            part for part in takewhile(lambda part: isinstance(part, str), self.parts) if isinstance(part, str)
        )

    @property
    def is_literal(self) -> bool:
        return not any(isinstance(part, Name) for part in self.parts)

    @property
    def document(self) -> Any:
        text = "".join(
            f"{{{part.name}}}" if isinstance(part, Name) else part.replace("{", "{{").replace("}", "}}")
            for part in self.parts
        )
        match self.kind:
            case "flag":
                return {"flag": text, "if": "on"}
            case "each":
                return {"each": text, "of": "tags", "may_start_with_dash": self.may_start_with_dash}
            case "value":
                return {"value": text, "may_start_with_dash": True} if self.may_start_with_dash else text

    def arguments(self, payload: dict[str, Any]) -> list[str]:
        """What the element must become, or would if a value may begin with a dash."""
        if self.kind == "flag":
            return [self.head] if payload.get("on") else []
        scopes = [payload] if self.kind == "value" else [{**payload, "item": each} for each in payload.get("tags", [])]
        found = [[self.written(part, scope) for part in self.parts] for scope in scopes]
        return ["".join(part for part in each if part is not None) for each in found if None not in each]

    def written(self, part: str | Name, scope: dict[str, Any]) -> str | None:
        if isinstance(part, str):
            return part
        value = {**scope, **OF_JOB}.get(part.name)
        if isinstance(value, float) and abs(value) >= 1e16:
            value = int(value)  # as both stores keep it
        return value if value is None or isinstance(value, str) else json.dumps(value)


def _joined(head: str, rest: list[str | Name]) -> list[str | Name]:
    return [head, *rest]


def _with_item(parts: list[str | Name]) -> list[str | Name]:
    return [*parts, Name("item")]


names = st.sampled_from([*SCALARS, *OF_JOB]).map(Name)
heads = st.sampled_from(["", "", "", "x", "./", "--name=", "--name=", "-n", "--name", "--", "-", "{", "{text}"])
parts = st.builds(_joined, heads, st.lists(names | st.sampled_from(["-", "}", "="]), max_size=3))
elements = (
    st.builds(Plan, st.just("value"), parts, st.booleans())
    | st.builds(Plan, st.just("value"), st.sampled_from(["a", "--", "--verbose"]).map(lambda text: [text]))
    | st.builds(Plan, st.just("flag"), st.sampled_from(["--dry-run", "--"]).map(lambda text: [text]))
    | st.builds(Plan, st.just("each"), parts.map(_with_item), st.booleans())
)
plans = st.lists(elements, max_size=5)


def is_end(plan: Plan) -> bool:
    return plan.kind == "value" and plan.is_literal and plan.head == "--"


def guarded(plans: list[Plan]) -> list[Plan]:
    """The elements whose arguments only a literal may make an option."""
    end = next((at for at, plan in enumerate(plans) if is_end(plan)), len(plans))
    return [plan for plan in plans[:end] if not (plan.is_literal or plan.may_start_with_dash)]


def names_its_option(plan: Plan) -> bool:
    """Whether the literal text before the first value is an option with its whole name."""
    return plan.head.startswith("-") and plan.head.strip("-") != "" and ("=" in plan.head or plan.head[1] != "-")


def takes_the_next(plan: Plan, argument: str) -> bool:
    """Whether nothing of a value stands behind a short option."""
    return argument == plan.head and "=" not in argument


def built(command: Command, payload: dict[str, Any]) -> list[str] | InvalidPayload:
    """The argv, or why there is none."""
    try:
        return build_argv(command, payload, CALL)
    except InvalidPayload as refused:
        return refused


@settings(max_examples=1000, deadline=None)
@given(plans, payloads)
def test_argv_has_the_shape_of_the_template(plans: list[Plan], payload: dict[str, Any]) -> None:
    try:
        command = read_command({"executable": "/bin/x", "argv": [plan.document for plan in plans]}, SCHEMA)
    except InvalidCommand:
        event("template refused")
        return
    judge(SCHEMA).check(payload)
    becomes_option = [
        argument
        for plan in guarded(plans)
        for argument in plan.arguments(payload)
        if argument.startswith("-") and (not names_its_option(plan) or takes_the_next(plan, argument))
    ]

    argv = built(command, payload)
    if isinstance(argv, InvalidPayload):
        event("payload refused")
        assert becomes_option or "NUL" in argv.message
        return

    event("built")
    check_payload(command, payload)
    assert not becomes_option
    assert argv == ["/bin/x", *(argument for plan in plans for argument in plan.arguments(payload))]
    assert not any("\0" in argument for argument in argv)


@settings(max_examples=500, deadline=None)
@given(payloads)
def test_every_payload_is_refused_or_keeps_literal_arguments_where_they_are(payload: dict[str, Any]) -> None:
    argv = [
        "sync",
        "--tenant-id",
        "{tenant_id}",
        "--path={text}",
        {"each": "--tag={item}", "of": "tags"},
        "--",
        "{text}",
    ]
    command = read_command({"executable": "/bin/x", "argv": argv}, SCHEMA)

    found = built(command, payload)
    if isinstance(found, InvalidPayload):
        assert "NUL" in found.message
        return

    tags = [tag for tag in payload.get("tags", []) if tag is not None]
    assert found[:4] == ["/bin/x", "sync", "--tenant-id", OF_JOB["tenant_id"]]
    assert found[4] == f"--path={payload['text']}"
    assert found[5:-2] == [f"--tag={tag}" for tag in tags]
    assert found[-2:] == ["--", payload["text"]]
