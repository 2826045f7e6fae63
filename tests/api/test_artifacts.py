from __future__ import annotations

import errno
import os
import stat
from pathlib import Path

import pytest

from jobplane.core.errors import StoreUnavailable
from jobplane.execution.artifacts import Artifacts, digest_of


@pytest.mark.parametrize("fault", [errno.EINVAL, errno.ENOTSUP], ids=errno.errorcode.get)
def test_a_file_system_that_syncs_no_directory_keeps_results(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, fault: int
) -> None:
    _break_sync_of_directories(monkeypatch, fault)

    digest = digest_of(Artifacts(tmp_path).keep([1, 2]))

    assert digest is not None
    assert Artifacts(tmp_path).read(digest) == [1, 2]


def test_a_disk_that_fails_at_it_does_not(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    _break_sync_of_directories(monkeypatch, errno.EIO)

    with pytest.raises(StoreUnavailable, match="The result cannot be written to"):
        Artifacts(tmp_path).keep([1, 2])


def _break_sync_of_directories(monkeypatch: pytest.MonkeyPatch, fault: int) -> None:
    sync = os.fsync

    def refusing(descriptor: int) -> None:
        if stat.S_ISDIR(os.fstat(descriptor).st_mode):
            raise OSError(fault, os.strerror(fault))
        sync(descriptor)

    monkeypatch.setattr(os, "fsync", refusing)
