from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

from jobplane.core.masking import NO_SECRETS
from jobplane.execution.output import MAX_MESSAGE, PartialLines


def test_a_line_ends_with_its_newline_and_each_level_has_its_own() -> None:
    begun = PartialLines()

    assert begun.whole("info", "one\r\ntw", NO_SECRETS) == ["one"]
    assert begun.whole("warning", "oops", NO_SECRETS) == []
    assert begun.whole("info", "o\n", NO_SECRETS) == ["two"]
    assert begun.rest() == [("warning", "oops")]
    assert begun.rest() == []


def test_threads_do_not_end_each_others_lines() -> None:
    begun = PartialLines()
    with ThreadPoolExecutor(1) as other:
        assert begun.whole("info", "mine", NO_SECRETS) == []
        assert other.submit(begun.whole, "info", "\n", NO_SECRETS).result() == [""]

    assert begun.whole("info", "\n", NO_SECRETS) == ["mine"]


def test_a_line_without_an_end_does_not_wait_for_ever() -> None:
    assert [len(line) for line in PartialLines().whole("info", "x" * (MAX_MESSAGE + 1), NO_SECRETS)] == [
        MAX_MESSAGE + 1
    ]
