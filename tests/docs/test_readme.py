"""The README's commands, as somebody who has just cloned the repository would run them."""

import os
import re
import signal
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests import programs
from tests.docs.page import PAGES, ROOT, blocks, name
from tests.docs.terminal import PG_BIN, check, environment, psql
from tests.embedded.conftest import clean_up

TOUR = ROOT / "docs/tutorials/life-of-a-job-in-sql.md"


@pytest.fixture
def urls(tmp_path: Path) -> Iterator[dict[str, str]]:
    """What `make up` prints, while it runs; then Ctrl-C."""
    command = ["make", "up", f"ARGS=--http 127.0.0.1:0{f' --bin-dir {PG_BIN}' if PG_BIN else ''}"]
    env = environment(XDG_DATA_HOME=str(tmp_path))
    process = programs.start(command, cwd=ROOT, env=env, stdout=subprocess.PIPE)
    try:
        yield printed(process)
        os.killpg(process.pid, signal.SIGINT)
        process.communicate(timeout=60)
    finally:
        programs.end_all()
        clean_up(tmp_path)


def printed(process: "subprocess.Popen[str]") -> dict[str, str]:
    """A URL for each role; the owner's comes last."""
    assert process.stdout is not None
    found: dict[str, str] = {}
    while "owner" not in found:
        line = process.stdout.readline()
        assert line, "make up has ended"
        role, _, url = line.partition(" ")
        found[role] = url.strip()
    return found


def test_the_first_command_starts_what_the_ten_lines_need(urls: dict[str, str]) -> None:
    typed = [block for block in blocks(TOUR) if block.language == "sql"]

    for block, output in zip(typed, psql(urls["admin"], typed), strict=True):
        check(block, output)


@pytest.mark.parametrize("page", PAGES, ids=name)
def test_every_make_target_on_a_page_exists(page: Path) -> None:
    commands = re.findall(r"(?:^|`)make(?: [A-Z]\S+)* ([a-z][a-z0-9-]*)", page.read_text(), re.MULTILINE)
    targets = re.findall(r"^([a-z0-9-]+):", (ROOT / "Makefile").read_text(), re.MULTILINE)

    assert set(commands) <= set(targets)


@pytest.mark.parametrize("page", PAGES, ids=name)
def test_no_page_installs_a_package_that_is_not_published(page: Path) -> None:
    assert not re.search(r"pip install \S*jobplane", page.read_text())
