"""The data directory, made once."""

from __future__ import annotations

import os
import shutil
import sys
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from jobplane.embedded import settings
from jobplane.embedded.account import Account
from jobplane.embedded.binaries import Binaries
from jobplane.embedded.bootstrap import Bootstrap, has_database
from jobplane.embedded.cluster_place import ClusterPlace, enter
from jobplane.embedded.directories import DONE, STAGING, VERSION
from jobplane.embedded.errors import UnsafeDirectory, failure


@dataclass(frozen=True, slots=True)
class Maker:
    """Makes a cluster below its final place and moves it up when complete: killed at any point, it can be finished."""

    binaries: Binaries
    account: Account
    bootstrap: Bootstrap

    def make(self, data_dir: Path, lock: int) -> None:
        """Make what is missing, and bring the roles up to date."""
        staging = data_dir / STAGING
        if not (data_dir / VERSION).exists() and not (staging / DONE).exists():
            self._clear(staging)
            with enter(staging, self.account, lock) as place:
                self._initialize(place)
        if staging.exists():
            _move_up(data_dir, self.account)
        with enter(data_dir, self.account, lock) as place:
            self._adopt(place)
            self.bootstrap.apply(self.binaries, place)

    def _clear(self, staging: Path) -> None:
        """Remove a staging directory: it was never finished and never held data."""
        with suppress(FileNotFoundError):
            shutil.rmtree(staging)
        staging.mkdir(mode=0o700)
        if self.account.is_other:
            os.chown(staging, self.account.uid, self.account.gid, follow_symlinks=False)

    def _initialize(self, place: ClusterPlace) -> None:
        options = [*initdb_options(self.binaries, "reject"), *([] if self.bootstrap.durable else ["--no-sync"])]
        done = place.run([self.binaries.program("initdb"), "-D", place.name, *options])
        if done.returncode != 0:
            raise failure(f"The program initdb failed in {place.path}", done.stderr)
        settings.write_first(place.path, self.account)
        self.bootstrap.apply(self.binaries, place)

    def _adopt(self, place: ClusterPlace) -> None:
        """Take over what pg_upgrade has moved into a new cluster; any other cluster is left alone."""
        if (place.path / DONE).exists():
            return
        if not has_database(self.binaries, place):
            message = f"{place.path} holds a cluster that jobplane did not create. Name another directory."
            raise UnsafeDirectory(message, path=str(place.path))
        (place.path / "postgresql.conf").rename(place.path / "postgresql.conf.initdb")
        settings.write_first(place.path, self.account)


def initdb_options(binaries: Binaries, auth: str) -> list[str]:
    """Order by code point, letters of all scripts: the same on every machine and after an upgrade of its libraries."""
    if binaries.major >= 17:
        locale = ["--locale-provider=builtin", "--builtin-locale=C.UTF-8", "--locale=C"]
    else:
        locale = ["--locale=C", "--lc-ctype=C.UTF-8"] if sys.platform == "linux" else ["--locale=C"]
    return [f"--username={settings.SUPERUSER}", f"--auth={auth}", "--encoding=UTF8", "--data-checksums", *locale]


def _move_up(data_dir: Path, account: Account) -> None:
    """Through descriptors, never through a link: root does this in a directory that belongs to another user."""
    target = os.open(data_dir, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)
    source = os.open(STAGING, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW, dir_fd=target)
    try:
        if os.fstat(source).st_uid != account.uid:
            raise UnsafeDirectory(
                f"{data_dir / STAGING} does not belong to {account.name}. Name another directory.", path=str(data_dir)
            )
        # Its mark of completion goes last: until then the next start finishes the move.
        with os.scandir(source) as entries:
            names = [entry.name for entry in entries]
        for name in sorted(names, key=lambda each: each == DONE):
            os.rename(name, name, src_dir_fd=source, dst_dir_fd=target)
        os.fsync(target)
        os.rmdir(STAGING, dir_fd=target)
    finally:
        os.close(source)
        os.close(target)
