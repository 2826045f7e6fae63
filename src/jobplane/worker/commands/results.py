"""The result of a command: the file `result.json` in its working directory, else the last line of its stdout."""

from __future__ import annotations

import json
import os
import stat
from typing import Any, Final

from jobplane.core.masking import Masker
from jobplane.worker.commands.sayings import Sayings

FILE: Final = "result.json"
MAX_FILE: Final = 16 * 1024 * 1024
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
        return None, f"{FILE} is no regular file."
    if len(content) > MAX_FILE:
        return None, f"{FILE} is longer than 16 MiB."
    try:
        return _write(json.loads(content), masker)
    except (ValueError, RecursionError) as error:
        return None, f"{FILE} is not JSON: {masker.mask(str(error))}."


def _read(directory: int) -> bytes | None:
    """The file, up to one byte more than it may have; None where it is no regular file."""
    with os.fdopen(os.open(FILE, _FLAGS, dir_fd=directory), "rb") as file:
        return file.read(MAX_FILE + 1) if stat.S_ISREG(os.fstat(file.fileno()).st_mode) else None


def _write(value: Any, masker: Masker) -> tuple[str | None, str | None]:
    try:
        return json.dumps(masker.mask_json(value)), None
    except (ValueError, RecursionError):
        return None, "it is nested too deeply."
