"""What a person may say of a definition."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, TypeAlias

from pydantic import Field, StringConstraints

from jobplane.control.documents import Model, Text, require
from jobplane.control.places import inside
from jobplane.core import bounds
from jobplane.core.command import read_command
from jobplane.core.definitions import NULLABLE
from jobplane.core.errors import Invalid
from jobplane.core.model import Document, Json
from jobplane.core.references import require_references
from jobplane.core.retry import in_numbers
from jobplane.core.schema import judge_of

_Count: TypeAlias = Annotated[int, Field(ge=0, le=bounds.INT)]
_Object: TypeAlias = dict[str, object]


class BackoffModel(Model):
    """The numbers of a retry policy."""

    base: Annotated[float, Field(ge=0, le=86_400)] = 5
    factor: Annotated[float, Field(ge=1, le=100)] = 2
    cap: Annotated[float, Field(ge=0, le=2_592_000)] = 300
    jitter: Annotated[float, Field(ge=0, le=1)] = 0.5


class ChangesModel(Model):
    """What a person may change. Null takes away what may be missing."""

    description: Text = ""
    arg_schema: _Object | bool = True
    queue: Annotated[str, StringConstraints(pattern=f"^{bounds.QUEUE.pattern}$")] = "default"
    priority: Annotated[int, Field(ge=0, le=1000)] = 100
    timeout_seconds: Annotated[int, Field(ge=1, le=2_592_000)] | None = None
    max_attempts: Annotated[int, Field(ge=1, le=1000)] = 3
    backoff: BackoffModel = BackoffModel()
    max_running: _Count | None = None
    max_running_per_tenant: _Count | None = None
    retention_days: _Count | None = None
    retention_days_logs: _Count | None = None
    retention_count: _Count | None = None
    active: bool = True
    tags: list[Text] = Field(default_factory=list[Text])
    system: bool = False
    metadata: _Object = Field(default_factory=dict[str, object])
    default_payload: _Object | None = None
    command: _Object | None = None


class DefinitionModel(ChangesModel):
    """A definition that a person makes."""

    key: Annotated[str, StringConstraints(pattern=f"^{bounds.KEY.pattern}$")]


def judge_new(document: Document) -> Document:
    """The document with its backoff in numbers; raises Invalid, with the place of the first bad value."""
    return require(DefinitionModel, in_numbers(document), "the document of a definition")


def judge_changes(changes: Document) -> Document:
    """The changes with their backoff in numbers; raises Invalid, with the place of the first bad value."""
    changes = in_numbers(changes)
    require(ChangesModel, changes, "the changes of a definition")
    for name, value in changes.items():
        if value is None and name not in NULLABLE:
            raise Invalid(f"A definition needs a value for {name}. Give one, or leave it out.", pointer=f"/{name}")
    return changes


def judge_parts(key: str, schema: Json, command: Json, default_payload: Json) -> None:
    """Raise InvalidSchema, InvalidCommand or SecretInPayload where the parts of a definition do not fit together.

    The pointer is that of the place in the definition. None: there is no such part.
    """
    with inside("/arg_schema"):
        judge_of(key, schema)
    if command is not None:
        with inside("/command"):
            read_command(command, schema)
    if isinstance(default_payload, Mapping):
        with inside("/default_payload"):
            require_references(schema, default_payload)
