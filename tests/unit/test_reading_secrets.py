"""What is no secret file is refused at once, and costs nothing."""

from __future__ import annotations

import os
from pathlib import Path
from uuid import UUID

import pytest

from jobplane.core.errors import SecretMissing
from jobplane.core.references import Grants, Reference
from jobplane.execution.secrets import resolve

TENANT = UUID(int=7)


@pytest.mark.parametrize("kind", ["directory", "fifo", "device"])
def test_what_is_no_regular_file_is_no_secret_and_leaves_no_descriptor_open(kind: str, tmp_path: Path) -> None:
    path = tmp_path / kind
    match kind:
        case "directory":
            path.mkdir()
        case "fifo":
            os.mkfifo(path)
        case _:
            path.symlink_to("/dev/zero")
    before = sorted(Path("/dev/fd").iterdir())

    with pytest.raises(SecretMissing, match="no regular file"):
        resolve(Reference("file", str(path)), Grants(["file:/"]), TENANT)

    assert sorted(Path("/dev/fd").iterdir()) == before


def test_a_file_that_is_too_large_is_no_secret(tmp_path: Path) -> None:
    path = tmp_path / "large"
    path.write_text("x" * 65_536 + "\n")
    assert len(resolve(Reference("file", str(path)), Grants(["file:/"]), TENANT)) == 65_536

    path.write_text("x" * 65_537)
    with pytest.raises(SecretMissing, match="more than"):
        resolve(Reference("file", str(path)), Grants(["file:/"]), TENANT)
