"""Jobs that are announced are read, and begin when they are dealt out; most likely they are."""

from __future__ import annotations

from jobplane.worker.wire import Kind
from tests.worker.executor.driver import Driver, line


def test_what_is_announced_does_not_begin(executor: Driver) -> None:
    announced, dealt = line(next(executor.seqs), "nothing"), line(next(executor.seqs), "nothing")
    executor.announce(announced)

    outcomes = executor.run(dealt)

    assert int(dealt.split()[0]) in outcomes
    assert int(announced.split()[0]) not in outcomes
    executor.send(Kind.GO)  # what was dealt meanwhile has taken its place
    assert int(announced.split()[0]) not in executor.run(line(next(executor.seqs), "nothing"))


def test_what_was_announced_last_begins_once_when_it_is_dealt_out(executor: Driver) -> None:
    first, last = next(executor.seqs), next(executor.seqs)
    executor.announce(line(first, "nothing"))
    executor.announce(line(last, "add", {"a": 1}))

    executor.send(Kind.GO)
    executor.send(Kind.GO)

    assert executor.outcome(last)[1] == "succeeded"
    later = executor.run(line(next(executor.seqs), "nothing"))
    assert first not in later
    assert len([row for row in executor.rows(Kind.ENDED) if row[0] == last]) == 1
