from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from jobplane.core.model import Outcome
from jobplane.core.payload import RESULT
from jobplane.execution.artifacts import Artifacts
from jobplane.execution.endings import end_with_result


def nested(levels: int) -> list[Any]:
    return [nested(levels - 1)] if levels else []


@pytest.mark.parametrize(
    ("result", "is_large"),
    [
        ("x" * (RESULT.bytes + 1), True),
        ([0] * (RESULT.values + 1), True),
        (nested(RESULT.depth), True),
        (10**309, False),
        ({"more than": float("nan")}, False),
        ("more than \x00", False),
    ],
)
def test_what_to_do_about_a_result_follows_from_what_is_wrong_with_it(result: object, is_large: bool) -> None:
    error = end_with_result(result).error

    assert error is not None
    assert ("set artifacts_dir" in error) == is_large


def test_where_there_is_a_directory_nobody_is_told_to_set_one(tmp_path: Path) -> None:
    assert "set artifacts_dir" not in (end_with_result(float("nan"), Artifacts(tmp_path)).error or "")
    assert end_with_result("x" * (RESULT.bytes + 1), Artifacts(tmp_path)).error is None


@pytest.mark.parametrize("error", [SystemExit(3), KeyboardInterrupt(), RuntimeError("no")])
def test_whatever_a_result_raises_while_it_is_written_ends_the_attempt(error: BaseException) -> None:
    def made() -> Iterator[int]:
        yield 1
        raise error

    ending = end_with_result(made())

    assert ending.outcome is Outcome.FAILED
    assert type(error).__name__ in (ending.error or "")
