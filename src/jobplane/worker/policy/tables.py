"""The tables of a policy file: which keys there are, and which values each may have."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Final, Literal, TypeAlias

from pydantic import AfterValidator, Field, StringConstraints, ValidationError

from jobplane.control.documents import Model
from jobplane.core.bounds import BIGINT, KEY, show
from jobplane.core.faults import Fault, describe_faults, group_faults
from jobplane.core.spelling import suggest
from jobplane.execution.policy_file import InvalidPolicy, Table, read_grants

_OWN: Final = re.compile(r"JOBPLANE_.*|TRACEPARENT")
_BARE: Final = re.compile(r"[A-Za-z0-9_-]+")
HASH: Final = r"^sha256:[0-9a-f]{64}$"


def _variable(name: str) -> str:
    if not re.fullmatch(r"[A-Za-z_][A-Za-z0-9_]*", name):
        raise ValueError("The name of a variable has letters, digits and underscore, and does not begin with a digit.")
    if _OWN.fullmatch(name):
        raise ValueError("Commands never get variables of jobplane's own settings; it sets its own for each attempt.")
    return name


def _value(text: str) -> str:
    if "\0" in text:
        raise ValueError("The value of a variable has no NUL character.")
    return text


def _directory(text: str) -> str:
    if not text.startswith("/") or "\0" in text:
        raise ValueError("Write an absolute path, like /var/lib/jobplane/work.")
    return text


_Variable = Annotated[str, AfterValidator(_variable)]
_Value = Annotated[str, AfterValidator(_value)]
_Directory = Annotated[str, AfterValidator(_directory)]
_None: TypeAlias = Literal["none"]


class LimitsTable(Model):
    """Limits of each process of a command. "none" lifts a limit that the top of the file sets."""

    memory_bytes: Annotated[int, Field(ge=1_048_576, le=BIGINT)] | _None | None = None
    processes: Annotated[int, Field(ge=1, le=4_194_304)] | _None | None = None
    open_files: Annotated[int, Field(ge=16, le=1_048_576)] | _None | None = None
    cpu_seconds: Annotated[int, Field(ge=1, le=2_592_000)] | _None | None = None
    file_bytes: Annotated[int, Field(ge=0, le=BIGINT)] | _None | None = None


class CommandTable(Model):
    """One command that this machine may run."""

    hash: Annotated[str, StringConstraints(pattern=HASH)]
    user: str | None = None
    group: str | None = None
    environment: list[_Variable] | dict[_Variable, _Value] = Field(default_factory=list[str])
    work_dir: _Directory | None = None
    grace_seconds: Annotated[float, Field(ge=0, le=600, allow_inf_nan=False)] = 10.0
    limits: LimitsTable = LimitsTable()


class PolicyTable(Model):
    """The whole file."""

    secrets: list[str] = Field(default_factory=list[str])
    payload_secrets: list[str] = Field(default_factory=list[str])
    environment: list[_Variable] = Field(default_factory=list[str])
    work_dir: _Directory | None = None
    user: str | None = None
    limits: LimitsTable = LimitsTable()
    commands: dict[Annotated[str, StringConstraints(pattern=f"^{KEY.pattern}$")], CommandTable] = Field(
        default_factory=dict[str, CommandTable]
    )


def read_tables(table: Table, path: Path) -> PolicyTable:
    """The keys and values of a policy file; raises InvalidPolicy, which names the first key that is wrong."""
    try:
        found = PolicyTable.model_validate(table)
    except ValidationError as error:
        pointer, faults = next(iter(group_faults(error.errors(include_url=False), table).items()))
        raise _invalid(path, _steps(pointer), faults) from None
    for key in ("secrets", "payload_secrets"):
        read_grants(table, key, path)
    return found


def name_key(steps: Sequence[str]) -> str:
    """A key as the file writes it: `commands.sync.limits`, with quotes where a part needs them."""
    return ".".join(step if _BARE.fullmatch(step) else json.dumps(step, ensure_ascii=False) for step in steps)


def _invalid(path: Path, steps: Sequence[str], faults: Sequence[Fault]) -> InvalidPolicy:
    key, first = name_key(steps), faults[0]
    match first["type"]:
        case "extra_forbidden":
            known = _known(steps)
            hint = suggest(steps[-1], known, f"Use one of {', '.join(known)}.")
            message = f"Unknown key {key} in {path}. {hint}"
        case "missing":
            message = f"Invalid {key} in {path}. It is required: `jobplane policy write` writes it."
        case "string_pattern_mismatch" if steps[-1] == "hash":
            message = f'Invalid {key} in {path}. It must be "sha256:" and 64 hex digits, as `policy write` writes it.'
        case _:
            message = f"Invalid {key}{_shown(steps, first)} in {path}. {describe_faults(faults)}"
    return InvalidPolicy(message, file=str(path), key=key)


def _known(steps: Sequence[str]) -> list[str]:
    """The keys of the table that has the last step."""
    model: type[Model] = PolicyTable if len(steps) == 1 else CommandTable
    return list((LimitsTable if "limits" in (steps[0], *steps[2:3]) and len(steps) > 1 else model).model_fields)


def _shown(steps: Sequence[str], fault: Fault) -> str:
    """The value that is wrong; not that of a variable, which may be a secret."""
    value: object = fault["input"]
    is_variable = len(steps) == 4 and steps[2] == "environment" and not steps[3].isdecimal()
    return f" {show(value, 80)}" if isinstance(value, str | int | float) and not is_variable else ""


def _steps(pointer: str) -> list[str]:
    return [step.replace("~1", "/").replace("~0", "~") for step in pointer.split("/")[1:]]
