from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

from jobplane.execution.output import MAX_MESSAGE, PartialLines


def test_a_line_ends_with_its_newline_and_each_level_has_its_own() -> None:
    begun = PartialLines()

    assert begun.whole("info", "one\r\ntw") == ["one"]
    assert begun.whole("warning", "oops") == []
    assert begun.whole("info", "o\n") == ["two"]
    assert begun.rest() == [("warning", "oops")]
    assert begun.rest() == []


def test_threads_do_not_end_each_others_lines() -> None:
    begun = PartialLines()
    with ThreadPoolExecutor(1) as other:
        assert begun.whole("info", "mine") == []
        assert other.submit(begun.whole, "info", "\n").result() == [""]

    assert begun.whole("info", "\n") == ["mine"]


def test_a_line_without_an_end_does_not_wait_for_ever() -> None:
    assert [len(line) for line in PartialLines().whole("info", "x" * (MAX_MESSAGE + 1))] == [MAX_MESSAGE + 1]
