from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from pydantic import BaseModel

from jobplane.core.model import Outcome
from jobplane.core.payload import RESULT
from jobplane.execution.artifacts import Artifacts
from jobplane.execution.endings import end_with_result


@dataclass
class Report:
    rows: dict[Any, Any]


class Page(BaseModel):
    reports: list[Report]


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


@pytest.mark.parametrize(
    ("result", "key"),
    [
        ({1: "a", "1": "b"}, "1"),
        ({True: 1, "true": 2}, "true"),
        ({None: 1, "None": 2}, "None"),
        ([{"rows": {1.5: 1, "1.5": 2}}], "1.5"),
        (Report({7: 1, "7": 2}), "7"),
        (Page(reports=[Report({}), Report({7: 1, "7": 2})]), "7"),
        (({number: 1, str(number): 2} for number in range(3)), "0"),
        ({"rows": ({number: 1, str(number): 2} for number in range(3))}, "0"),
        ([map(dict, [[(1, "a"), ("1", "b")]])], "1"),
    ],
)
def test_a_result_with_two_keys_that_are_one_in_json_is_refused(tmp_path: Path, result: object, key: str) -> None:
    ending = end_with_result(result, Artifacts(tmp_path))

    assert (ending.outcome, ending.reason) == (Outcome.FATAL, "invalid_result")
    fault = f'The handler\'s result cannot be kept: two keys of an object are both "{key}" in JSON.'
    assert ending.error == f"{fault} Rename one of them."


def test_keys_that_are_no_text_are_kept_as_text_where_they_differ() -> None:
    result = {1: Report({(1, 2): 1e20}), None: float(2**53), "x": {2**70: 10**300}}

    assert json.loads(end_with_result(result).result or "") == {
        "1": {"rows": {"1,2": 10**20}},
        "None": 2**53,
        "x": {str(2**70): 10**300},
    }
