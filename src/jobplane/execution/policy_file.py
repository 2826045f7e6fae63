"""The policy file of a machine, as far as every process reads it: TOML that only root and its own user can change."""

from __future__ import annotations

import os
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final, cast

from jobplane.core.errors import Invalid
from jobplane.core.references import Grants
from jobplane.core.wording import reason_of
from jobplane.execution.trusted_paths import Untrusted, open_trusted

MOST_BYTES: Final = 1_048_576
Table = Mapping[str, Any]


class InvalidPolicy(Invalid):
    """The policy file of a worker cannot be used; `file` names it, and `key` the key in it that is wrong."""

    code = "invalid_policy"


def read_policy_text(path: Path) -> str:
    """The text of a policy file; raises InvalidPolicy where it cannot be read, or others may change it."""
    try:
        descriptor = open_trusted(path)
    except FileNotFoundError:
        message = f"There is no policy file {path}. Make one with `jobplane policy write`, or correct worker_policy."
        raise InvalidPolicy(message, file=str(path)) from None
    except (OSError, Untrusted) as error:
        raise _unusable(path, error) from None
    with os.fdopen(descriptor, "rb") as file:
        content = file.read(MOST_BYTES + 1)
    if len(content) > MOST_BYTES:
        raise InvalidPolicy(f"The policy file {path} has more than {MOST_BYTES:,} bytes.", file=str(path))
    try:
        return content.decode()
    except UnicodeDecodeError as error:
        raise _unusable(path, error) from None


def read_policy_file(path: Path) -> Table:
    """The top-level table of a policy file; raises InvalidPolicy."""
    return parse_policy(read_policy_text(path), path)


def parse_policy(text: str, path: Path) -> Table:
    """The top-level table of the text of a policy file; raises InvalidPolicy."""
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise _unusable(path, error) from None


def read_grants(table: Table, key: str, path: Path) -> Grants:
    """The references that a key of the top-level table allows; none without it. Raises InvalidPolicy."""
    prefixes = table.get(key, [])
    if not isinstance(prefixes, list) or not all(isinstance(each, str) for each in cast("list[object]", prefixes)):
        raise InvalidPolicy(f"Invalid {key} in {path}. It must be a list of texts.", file=str(path), key=key)
    try:
        return Grants(cast("list[str]", prefixes))
    except Invalid as error:
        raise InvalidPolicy(f"Invalid {key} in {path}. {error.message}", file=str(path), key=key) from None


def _unusable(path: Path, error: Exception) -> InvalidPolicy:
    reason = reason_of(error)
    why = str(error) if isinstance(error, Untrusted) else f"{reason[:1].upper()}{reason[1:]}."
    return InvalidPolicy(f"The policy file {path} cannot be used. {why}", file=str(path))
