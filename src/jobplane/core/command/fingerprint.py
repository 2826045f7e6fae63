"""The content hash that pins a command in a policy, and the command line that people read."""

from __future__ import annotations

import shlex
from collections.abc import Mapping, Sequence
from hashlib import sha256

from jobplane.core.command.command import DEFAULTS
from jobplane.core.definitions import canonical
from jobplane.core.model import Document, Json


def content_hash(document: Json, schema: Json, digest: str) -> str:
    """SHA-256 of all that decides what a command runs. `digest` is that of the executable.

    A field that is left out counts as its default.
    """
    given: Document = document if isinstance(document, Mapping) else {}
    fields = {name: given.get(name, default) for name, default in {"executable": None, **DEFAULTS}.items()}
    pinned: Document = {**fields, "digest": digest, "schema": schema}
    return f"sha256:{sha256(canonical(pinned).encode('utf-8', 'surrogatepass')).hexdigest()}"


def show_command_line(argv: Sequence[str]) -> str:
    """The command line as one would type it into a POSIX shell. Nothing runs it."""
    return shlex.join(argv)
