from __future__ import annotations

import io
import json
import logging
from collections.abc import Generator

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


def test_a_person_at_a_terminal_gets_words_and_no_escape_codes_of_others() -> None:
    text = logged(Terminal(), "hello \x1b[2J", facts={"queue": "mail", "error": "a b"})

    assert text[8:] == " info    hello \\x1b[2J queue=mail error='a b'\n"
