"""Errors in words, for sentences that people read."""

from __future__ import annotations

import errno
import os

import pytest

from jobplane.core.wording import error_line, reason_of


@pytest.mark.parametrize(
    ("error", "line"),
    [
        ('Traceback (most recent call last):\n  File "a.py", line 1\nValueError: no\n', "ValueError: no"),
        ("ValueError: no\n  at line 3", "ValueError: no"),
        ("\n  \n", ""),
        (None, ""),
    ],
)
def test_the_line_of_an_error_says_what_went_wrong(error: str | None, line: str) -> None:
    assert error_line(error) == line


def test_the_reason_of_an_error_of_the_system_has_neither_its_number_nor_its_path() -> None:
    gone = FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), "gone.toml")

    assert reason_of(gone) == "No such file or directory"
    assert reason_of(ValueError("It is odd.")) == "It is odd"
    assert reason_of(OSError()) == "OSError"
