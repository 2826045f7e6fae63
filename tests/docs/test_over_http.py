"""The tutorial over HTTP, as somebody would follow it: each answer gives what the next command needs."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Generator
from pathlib import Path
from typing import Any

import pytest

from tests import programs
from tests.cli.command import COMMAND, environment
from tests.cli.test_up import answers
from tests.docs.page import ROOT, Block, blocks
from tests.embedded.conftest import clean_up
from tests.migrations.cluster import PG_BIN
from tests.migrations.processes import until

PAGE = ROOT / "docs/tutorials/first-job-over-curl.md"


@pytest.fixture
def printed(tmp_path: Path) -> Generator[dict[str, str]]:
    """What `make up ARGS=--demo` prints."""
    words = ["up", "--demo", "--dir", str(tmp_path / "data"), "--http", "127.0.0.1:0"]
    bin_dir = ["--bin-dir", PG_BIN] if PG_BIN else []
    process = programs.start([*COMMAND, *words, *bin_dir], stdout=subprocess.PIPE, env=environment())
    assert process.stdout is not None
    found = dict[str, str]()
    while "key" not in found:
        name, _, value = process.stdout.readline().partition(" ")
        found[name] = value.strip()
    yield found
    os.kill(process.pid, signal.SIGINT)
    process.communicate(timeout=60)
    programs.end_all()
    clean_up(tmp_path)


class Terminal:
    """A shell with a `curl`, and what the reader has exported so far."""

    def __init__(self, folder: Path, **exported: str) -> None:
        curl = folder / "curl"
        curl.write_text(f'#!/bin/sh\ncd {ROOT}\nexec {sys.executable} -m tests.docs.curl "$@"\necho\n')
        curl.chmod(0o755)
        self._env = {**environment(), "PATH": f"{folder}:{os.environ['PATH']}", **exported}

    def export(self, **more: str) -> None:
        self._env |= more

    def run(self, block: Block) -> list[Any]:
        """The JSON answers of a block; a log is text."""
        done = subprocess.run(
            ["sh", "-ec", block.text], env=self._env, capture_output=True, text=True, timeout=60, check=False
        )
        assert done.returncode == 0, done.stderr
        return _answers(done.stdout)


def _answers(text: str) -> list[Any]:
    found, decoder = list[Any](), json.JSONDecoder()
    while text := text.lstrip():
        if not text.startswith("{"):
            _, _, text = text.partition("{")
            text = "{" + text if text else ""
            continue
        value, end = decoder.raw_decode(text)
        found.append(value)
        text = text[end:]
    return found


def test_the_tutorial_leads_to_a_job_that_ran(printed: dict[str, str], tmp_path: Path) -> None:
    me, keys, enqueue, misfit, watch = blocks(PAGE)
    terminal = Terminal(tmp_path, API=f"{printed['http']}/api/v1", KEY=printed["key"])
    until(lambda: answers(printed["http"]), 60)
    assert terminal.run(me)[0]["role"] == "super_admin"

    _, key = terminal.run(keys)
    terminal.export(ACME=key["key"])
    until(lambda: terminal.run(enqueue)[0].get("code") != "unknown_definition", 60)
    [job] = terminal.run(enqueue)
    terminal.export(JOB=job["id"])
    [refused] = terminal.run(misfit)
    until(lambda: terminal.run(watch)[0]["status"] == "succeeded", 60)
    done, attempts, summary = terminal.run(watch)

    assert job["created"]
    assert job["status"] in ("queued", "running")  # a worker may have it already
    assert (refused["code"], refused["errors"][0]["pointer"]) == ("invalid_payload", "/pixels")
    assert (done["result"], attempts["items"][0]["outcome"]) == ({"pixels": 1_000_000}, "succeeded")
    assert summary["succeeded"] >= 1
