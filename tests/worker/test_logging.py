from __future__ import annotations

import io
import json
import logging
from collections.abc import Callable, Generator

import pytest

from jobplane.telemetry import logging as ours


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


@pytest.fixture(autouse=True)
def root() -> Generator[None]:
    """Leave the root logger as it was."""
    handlers, level = list(logging.root.handlers), logging.root.level
    yield
    logging.root.handlers[:], logging.root.level = handlers, level


def logged(stream: io.StringIO, message: str, **extra: object) -> str:
    ours.set_up("auto", "info", stream)
    logging.getLogger("jobplane.worker").info(message, extra=extra)
    logging.getLogger("jobplane.worker").debug("not asked for")
    return stream.getvalue()


def test_a_line_is_one_json_object_with_its_facts() -> None:
    text = logged(io.StringIO(), "two\nlines", job_id="j", facts={"duration_ms": 3, "left_out": None})

    line = json.loads(text)
    assert text.count("\n") == 1
    assert (line["message"], line["level"], line["job_id"], line["duration_ms"]) == ("two\nlines", "info", "j", 3)
    assert "left_out" not in line


@pytest.mark.parametrize("fact", [object(), "\ud800", 2**70, {1: 2}])
def test_a_fact_that_json_cannot_carry_costs_no_line(fact: object) -> None:
    assert "fact" in json.loads(logged(io.StringIO(), "said", facts={"fact": fact}))


class Unspeakable:
    def __str__(self) -> str:
        raise RuntimeError("no")

    __repr__ = __str__


@pytest.mark.parametrize("fact", ["\ud800", 2**70, {1: 2}, Unspeakable()])
@pytest.mark.parametrize("stream", [io.StringIO, Terminal])
def test_and_leaves_the_others_as_they_are(fact: object, stream: type[io.StringIO]) -> None:
    text = logged(stream(), "said", facts={"fact": fact, "job_id": "j", "count": 3, "list": [1]})

    if stream is Terminal:
        assert "job_id=j count=3" in text
    else:
        line = json.loads(text)
        assert (line["message"], line["job_id"], line["count"], line["list"]) == ("said", "j", 3, [1])


class Counting(io.StringIO):
    writes = 0

    def write(self, text: str, /) -> int:
        self.writes += 1
        return super().write(text)


def test_a_flood_is_written_together_and_an_error_at_once() -> None:
    stream, coming = Counting(), list[Callable[[], None]]()
    lines = ours.Lines(stream)
    lines.pace(60, lambda _, call: coming.append(call))

    for number in range(100):
        lines.put(str(number))

    assert (stream.getvalue(), stream.writes, len(coming)) == ("0\n", 1, 1)
    coming.pop()()
    assert (stream.getvalue().split(), stream.writes) == ([*map(str, range(100))], 2)
    lines.put("waits")
    lines.handle(logging.makeLogRecord({"levelno": logging.ERROR, "msg": "fault"}))
    assert stream.getvalue().endswith("99\nwaits\nfault\n")
    lines.put("the last")
    lines.close()
    lines.flush()
    assert stream.getvalue().endswith("the last\n")


def test_a_person_at_a_terminal_gets_words_and_no_escape_codes_of_others() -> None:
    text = logged(Terminal(), "hello \x1b[2J", facts={"queue": "mail", "error": "a b"})

    assert text[8:] == " info    hello \\x1b[2J queue=mail error='a b'\n"


def test_a_person_is_spared_what_only_machines_ask_for() -> None:
    ids = {"event": "attempt_failed", "worker_id": "w-1", "trace_id": "t", "seq": 7, "job_id": "j"}

    assert logged(Terminal(), "attempt failed", facts=ids).rstrip().endswith("info    attempt failed job_id=j")
    assert "worker_id=w-1" in logged(Terminal(), "worker started", facts={**ids, "event": "worker_started"})
