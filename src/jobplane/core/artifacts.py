"""References to artifacts: results that are files, named by their digest."""

from __future__ import annotations

from pathlib import Path
from typing import Final

from jobplane.core.model import Json

MARK: Final = "jobplane_artifact"


def digest_of(result: Json) -> str | None:
    """The digest in a reference to an artifact, None in any other result."""
    match result:
        case {"jobplane_artifact": {"sha256": str(digest)}} if len(result) == 1 and is_digest(digest):
            return digest
        case _:
            return None


def is_digest(text: str) -> bool:
    return len(text) == 64 and all(letter in "0123456789abcdef" for letter in text)


def path_of(directory: Path, digest: str) -> Path:
    """Where the file with that digest lies."""
    return directory / digest[:2] / f"{digest}.json"
