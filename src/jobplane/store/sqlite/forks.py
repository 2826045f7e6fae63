"""Why the child of a fork may not open the files that its parent had open.

SQLite counts the locks on a file once for the whole process, and a fork copies the count without the locks. A child
that opened the same file would take no locks of its own, and what it wrote could be lost.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Final
from weakref import WeakSet

from jobplane.core.errors import StoreError

if TYPE_CHECKING:
    from jobplane.store.sqlite.file import SqliteFile

_files: Final[WeakSet[SqliteFile]] = WeakSet()
_inherited: Final[set[Path]] = set()


def watch(file: SqliteFile) -> None:
    _files.add(file)


def refuse_inherited(path: Path) -> None:
    if _inherited and path.resolve() in _inherited:
        raise StoreError(
            f"This process was forked while {path} was open. Start it by spawn, or fork before jobplane is used."
        )


def _in_child() -> None:
    _inherited.update(path for file in list(_files) if (path := file.inherit()))


os.register_at_fork(after_in_child=_in_child)
