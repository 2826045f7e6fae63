"""The result of a command: the file `result.json` in its working directory, else the last line of its stdout."""

from __future__ import annotations

import json
import os
import re
import stat
from typing import Any, Final

from jobplane.core.masking import Masker
from jobplane.worker.commands.sayings import Sayings

FILE: Final = "result.json"
MAX_FILE: Final = 16 * 1024 * 1024
MAX_VALUES: Final = 1_000_000  # 16 MiB of `[],` are 5 million lists, and 1.5 GB in the supervisor
_TEXT: Final = re.compile(rb'"[^"]*"')
# A symbolic link would be followed with the rights of the keeper; a FIFO would keep it waiting.
_FLAGS: Final = os.O_RDONLY | os.O_CLOEXEC | os.O_NOFOLLOW | os.O_NONBLOCK


def find_result(directory: int, sayings: Sayings, masker: Masker) -> tuple[str | None, str | None]:
    """The result as JSON text, masked, and why it cannot be used. Both are None where the command gave none."""
    try:
        content = _read(directory)
    except FileNotFoundError:
        if not sayings.has_result:
            return None, sayings.fault
        return _write(sayings.result, masker)
    except OSError as error:
        return None, f"{FILE} cannot be read: {error.strerror}."
    if content is None:
        return None, f"{FILE} is no regular file of the command's user."
    if len(content) > MAX_FILE:
        return None, f"{FILE} is longer than 16 MiB."
    if _count_values(content) > MAX_VALUES:
        return None, f"{FILE} has more than {MAX_VALUES:,} values."
    try:
        return _write(json.loads(content), masker)
    except (ValueError, RecursionError) as error:
        return None, f"{FILE} is not JSON: {masker.mask(str(error))}."


def _read(directory: int) -> bytes | None:
    """The file, up to one byte more than it may have; None where it is no regular file of the command's user.

    A hard link could make any file of the file system a result.
    """
    with os.fdopen(os.open(FILE, _FLAGS, dir_fd=directory), "rb") as file:
        found = os.fstat(file.fileno())
        is_own = stat.S_ISREG(found.st_mode) and found.st_uid == os.fstat(directory).st_uid
        return file.read(MAX_FILE + 1) if is_own else None


def _count_values(content: bytes) -> int:
    """The most values that it may have, without the memory that these take."""
    bare = _TEXT.sub(b"", content.replace(rb"\\", b"").replace(rb"\"", b""))
    return bare.count(b",") + bare.count(b"[") + bare.count(b"{") + 1


def _write(value: Any, masker: Masker) -> tuple[str | None, str | None]:
    try:
        return json.dumps(masker.mask_json(value)), None
    except (ValueError, RecursionError):
        return None, "it is nested too deeply."
