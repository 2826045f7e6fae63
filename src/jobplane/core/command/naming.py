"""The names that a command may use, and what their values must be."""

from __future__ import annotations

from jobplane.core.bounds import show
from jobplane.core.command.properties import Properties
from jobplane.core.command.scope import JOB_NAMES
from jobplane.core.errors import InvalidCommand
from jobplane.core.spelling import suggest


def require_known(name: str, pointer: str, properties: Properties) -> None:
    """Raise InvalidCommand for a name that is neither a property nor a fact of the job."""
    if name in JOB_NAMES or name in properties.names:
        return
    known = (*properties.names, *JOB_NAMES)
    hint = suggest(name, known, "Use a property of the schema's top level, tenant_id, job_id or attempt_no.")
    raise InvalidCommand(
        f"The schema has no property {show(name, 200)}, which {pointer} names. {hint}", pointer=pointer
    )


def require_scalar(name: str, pointer: str, properties: Properties) -> None:
    """Raise InvalidCommand for a property whose values are not known to be texts, numbers, true or false."""
    if name not in JOB_NAMES and not properties.is_scalar(name):
        message = f"The property {show(name, 200)}, which {pointer} names, may be a list, an object or anything."
        raise InvalidCommand(f"{message} Give it a type: string, integer, number or boolean.", pointer=pointer)
