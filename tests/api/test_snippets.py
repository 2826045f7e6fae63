"""The Python pages are typed in, file by file and command by command, and print what they show."""

from __future__ import annotations

import inspect
import os
import re
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

import pytest

import jobplane
from jobplane import Context, Jobplane
from jobplane.api.options import OptionFields
from tests.api.conftest import point_at
from tests.database import Database

DOCS: Final = Path(__file__).parents[2] / "docs"
# What the runner, the decorator and `jobplane.testing` need, and no user.
INTERNAL: Final = {
    "unknown",
    "artifacts",
    "awaited_calls",
    "blocking_calls",
    "definition",
    "enqueue_call",
    "handler",
    "hooks",
    "keys",
    "move_to",
    "needs_loop",
    "secret_source",
    "url",
}
_BLOCK = re.compile(r"^```(py|console)\n(.*?)^```\n(?:```text\n(.*?)^```\n)?", re.MULTILINE | re.DOTALL)
_FILE = re.compile(r"# (\w+\.py)\n")
_PROMPT = re.compile(r"^(?=\$ )", re.MULTILINE)  # a line without one belongs to the command before, as a here-document


@dataclass
class Folder:
    """Where somebody follows a page: files, and a shell that keeps what it exports."""

    path: Path
    env: dict[str, str] = field(default_factory=lambda: dict(os.environ))

    def __post_init__(self) -> None:
        self.env["PATH"] = f"{Path(sys.executable).parent}:{self.env['PATH']}"

    def follow(self, page: Path) -> Iterator[tuple[str, str]]:
        """What each block printed, and what the page shows."""
        for language, text, shown in _BLOCK.findall(page.read_text()):
            printed = self._save(text) if language == "py" else "".join(map(self._type, _PROMPT.split(text)[1:]))
            yield printed, shown

    def _save(self, text: str) -> str:
        """A block that names its file is that file; any other is run at once."""
        if named := _FILE.match(text):
            (self.path / named[1]).write_text(text)
            return ""
        return self._run([sys.executable, "-W", "error", "-c", text])

    def _type(self, line: str) -> str:
        command = line.removeprefix("$ ").removesuffix("\n")
        if command.startswith("export "):
            name, _, value = command.removeprefix("export ").partition("=")
            self.env[name] = value
            return ""
        return self._run(["sh", "-c", command])

    def _run(self, command: list[str]) -> str:
        done = subprocess.run(
            command, cwd=self.path, env=self.env, capture_output=True, text=True, timeout=110, check=False
        )
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout


@pytest.fixture
def folder(tmp_path: Path) -> Iterator[Folder]:
    """What a page has left running in the background ends with the test."""
    yield Folder(tmp_path)
    for file in tmp_path.glob("*.pid"):
        with suppress(ProcessLookupError):
            os.kill(int(file.read_text()), signal.SIGKILL)


REFERENCE: Final = "reference/python.md"
PAGES: Final = [
    ("../README.md", 2),
    ("tutorials/first-job.md", 11),
    ("tutorials/two-workers.md", 11),
    ("tutorials/nightly-job.md", 9),
    ("how-to/schedules.md", 7),
    ("how-to/test-your-jobs.md", 8),
    ("how-to/timeouts.md", 3),
    ("how-to/retries.md", 4),
    ("how-to/sqlite.md", 4),
    ("how-to/commands.md", 11),
    ("how-to/command-policies.md", 4),
    ("how-to/logs.md", 5),
    ("how-to/secrets.md", 6),
    ("how-to/why-does-it-wait.md", 2),
    ("how-to/operate-from-a-terminal.md", 7),
]


@pytest.mark.parametrize(("page", "blocks"), PAGES)
def test_a_page_prints_what_it_shows(folder: Folder, page: str, blocks: int) -> None:
    steps = list(folder.follow(DOCS / page))

    assert [printed for printed, _ in steps] == [shown for _, shown in steps]
    assert len(steps) == blocks


@pytest.mark.parametrize("store", ["sqlite", "postgres"])
def test_the_reference_prints_what_it_shows(
    tmp_path: Path, store: str, request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch
) -> None:
    if store == "postgres":
        database: Database = request.getfixturevalue("db")
        point_at(database, monkeypatch)
    else:
        monkeypatch.setenv("JOBPLANE_DATABASE_URL", "sqlite:///jobs.db")

    steps = list(Folder(tmp_path).follow(DOCS / REFERENCE))

    assert [printed for printed, _ in steps] == [shown for _, shown in steps]
    assert len(steps) == 6


def test_the_reference_names_everything() -> None:
    prose = re.sub(r"^```.*?^```$", "", (DOCS / REFERENCE).read_text(), flags=re.MULTILINE | re.DOTALL)
    words = set(re.findall(r"\w+", " ".join(re.findall(r"`[^`]+`", prose))))
    verbs = {name.removesuffix("_async") for name in dir(Jobplane) if not name.startswith("_")}
    parameters = {name for made in (Jobplane, Jobplane.job) for name in inspect.signature(made).parameters}
    fields = {name for name in dir(Context) if not name.startswith("_")} - INTERNAL

    named = {*jobplane.__all__, *verbs, *parameters, *OptionFields.__annotations__, *fields}
    assert named - {"self"} - INTERNAL <= words
