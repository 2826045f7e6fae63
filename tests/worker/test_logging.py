from __future__ import annotations

import io
import json
import logging
import os
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Generator
from contextlib import suppress
from typing import TextIO

import pytest

from jobplane.telemetry import logging as ours
from tests import programs


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


@pytest.fixture
def pipe() -> Generator[tuple[int, TextIO]]:
    """What one writes to, and a descriptor to read it from."""
    reading, writing = os.pipe()
    stream = os.fdopen(writing, "w")
    yield reading, stream
    os.close(reading)
    with suppress(BrokenPipeError):
        stream.close()


def read_until(reading: int, end: str) -> list[str]:
    text = ""
    while not text.endswith(end):
        text += os.read(reading, 65536).decode()
    return text.splitlines()


def test_a_reader_that_stands_still_costs_lines_and_no_time(pipe: tuple[int, TextIO]) -> None:
    reading, stream = pipe
    lines = ours.Lines(stream)
    lines.setFormatter(ours.JsonLines())
    said = [f"{number:03} {'x' * 10_000}" for number in range(300)]
    saying = threading.Thread(target=lambda: [lines.put(line, at_once=True) for line in said], daemon=True)
    saying.start()
    saying.join(1)
    assert not saying.is_alive()

    kept = read_until(reading, "x\n")
    while len(kept) < 100:
        kept += read_until(reading, "x\n")
    lines.put("the next")
    lines.flush()
    kept += read_until(reading, "the next\n")

    *kept, mark, last = kept
    told = json.loads(mark)
    assert kept == said[: len(kept)]
    assert (told["lines_dropped"], told["level"]) == (len(said) - len(kept), "warning")
    assert (told["message"], last) == (f"{told['lines_dropped']} log lines were dropped.", "the next")


def test_a_fork_writes_what_it_says_itself(pipe: tuple[int, TextIO]) -> None:
    reading, stream = pipe
    lines = ours.Lines(stream)
    lines.pace(60, lambda _seconds, _call: None)
    lines.put("first")
    lines.put("of the parent, and waits")

    child = os.fork()
    if not child:
        lines.put("of the child")
        os._exit(0)
    os.waitpid(child, 0)
    lines.flush()

    said = ["first", "of the child", "of the parent, and waits"]
    assert read_until(reading, "waits\n") == said


def program(text: str) -> subprocess.Popen[str]:
    """A process that logs to a pipe, which is not read yet."""
    start = "import atexit, logging, os\nfrom jobplane.telemetry.logging import set_up\nset_up('json')\n"
    words = [sys.executable, "-c", f"{start}log = logging.getLogger('jobplane')\n{text}"]
    return programs.start(words, stderr=subprocess.PIPE)


@pytest.mark.parametrize(
    ("text", "count"),
    [
        ("for _ in range(5000): log.info('said')", 5000),
        ("log.info('said'); log.error('said'); os._exit(1)", 2),
        ("atexit.register(lambda: log.info('said'))", 1),
    ],
)
def test_what_was_said_before_a_process_ended_is_there(text: str, count: int) -> None:
    _, said = program(text).communicate(timeout=10)

    assert [json.loads(line)["message"] for line in said.splitlines()] == ["said"] * count


def test_a_process_ends_though_nobody_reads_what_it_says() -> None:
    with program("for number in range(1000): log.error('x' * 1000)") as process:
        assert process.wait(5) == 0


FLOOD = """
import logging
from jobplane.telemetry import logging as ours
ours.set_up("json", "info")
for n in range(120):
    logging.getLogger("jobplane").info("%d", n, extra={"more": "x" * (n % 20) * 180})
for _ in range(120):
    logging.getLogger().handlers[0].flush()
"""


def test_processes_with_one_stream_do_not_tear_each_others_lines() -> None:
    """As long as a line fits into what a pipe takes in one piece, also where the reader is slower than the writers."""
    reads, writes = os.pipe()
    writers = [programs.start([sys.executable, "-c", FLOOD], stderr=writes) for _ in range(3)]
    os.close(writes)

    found = b""
    while part := os.read(reads, 16 * 1024):
        found += part
        time.sleep(0.002)
    os.close(reads)

    assert [writer.wait() for writer in writers] == [0, 0, 0]
    said = [json.loads(line) for line in found.splitlines()]
    assert sorted(int(line["message"]) for line in said) == sorted([*range(120)] * 3)


def test_a_person_at_a_terminal_gets_words_and_no_escape_codes_of_others() -> None:
    text = logged(Terminal(), "hello \x1b[2J", facts={"queue": "mail", "error": "a b"})

    assert text[8:] == " info    hello \\x1b[2J queue=mail error='a b'\n"


def test_a_person_sees_a_mapping_as_json() -> None:
    text = logged(Terminal(), "worker started", facts={"queues": {"default": 1, "mail": 3}, "odd": {1: "\x1b["}})

    assert text[8:] == """ info    worker started queues={"default":1,"mail":3} odd={"1":"\\u001b["}\n"""


@pytest.mark.parametrize("form", [ours.JsonLines, ours.HumanLines])
@pytest.mark.parametrize(("value", "shown"), [("a", "('a',)"), (Unspeakable(), "tuple, which cannot be shown")])
def test_a_call_whose_arguments_do_not_fit_has_its_line(
    form: type[logging.Formatter], value: object, shown: str, capsys: pytest.CaptureFixture[str]
) -> None:
    stream = io.StringIO()
    lines = ours.Lines(stream)
    lines.setFormatter(form())
    record = logging.LogRecord("shop", logging.INFO, "", 0, "%d of them", (value,), None)
    record.facts = {"job_id": "j"}
    lines.handle(record)

    assert f"%d of them {shown}" in stream.getvalue()
    assert "job_id" in stream.getvalue()
    assert capsys.readouterr().err == ""


def test_a_person_is_spared_what_only_machines_ask_for() -> None:
    ids = {"event": "attempt_failed", "worker_id": "w-1", "trace_id": "t", "seq": 7, "job_id": "j"}

    assert logged(Terminal(), "attempt failed", facts=ids).rstrip().endswith("info    attempt failed job_id=j")
    assert "worker_id=w-1" in logged(Terminal(), "worker started", facts={**ids, "event": "worker_started"})


def test_a_person_sees_what_was_raised_line_by_line() -> None:
    told = "Traceback (most recent call last):\n  in work\nValueError: \x1b[2J"

    text = logged(Terminal(), "attempt failed", facts={"error": "ValueError", "exception": told})

    assert text.split("error=")[1] == "ValueError\n" + told.replace("\x1b", "\\x1b") + "\n"
