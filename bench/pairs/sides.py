"""The two checkouts: each with its own `src`, its own migrations and databases, and the interpreter of this one."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from bench import seed
from bench.pairs import statements
from bench.rig import Database, Rig

ROOT: Final = Path(__file__).parents[2]
ROLES: Final = ("app", "worker", "scheduler", "admin", "maintenance")
PATIENCE_SECONDS: Final = 120
WHERE: Final = "import jobplane; print(jobplane.__file__)"


class NotACheckout(Exception):
    """The path of a side is not one of a checkout that can be measured."""


@dataclass(frozen=True, slots=True)
class Side:
    """One checkout."""

    name: str
    checkout: Path

    @classmethod
    def of(cls, name: str, checkout: Path) -> Side:
        """Refuse a path whose `jobplane` is not the one that would be measured."""
        side = cls(name, checkout.resolve())
        try:
            found = Path(side.call("-c", WHERE).strip())
        except RuntimeError as error:
            raise NotACheckout(f"Cannot import jobplane from {side.source}: {error}") from None
        if not found.is_relative_to(side.source):
            raise NotACheckout(f"No jobplane in {side.source}. Name the root of a checkout of this repository.")
        return side

    @property
    def source(self) -> Path:
        return self.checkout / "src"

    @property
    def python_path(self) -> str:
        """Its own `jobplane`, and the `bench` of this checkout."""
        return os.pathsep.join([str(self.source), str(ROOT)])

    def version(self) -> str:
        """The commit, marked where files have changed since; nothing without git."""
        git = shutil.which("git")
        command = [git or "git", "-C", str(self.checkout), "describe", "--always", "--dirty"]
        return subprocess.run(command, check=False, capture_output=True, text=True).stdout.strip() if git else ""

    def template(self, rig: Rig) -> str:
        """A database that this checkout has migrated."""

        def prepare(database: Database) -> None:
            self.call("-m", "jobplane", "migrate", "up", "--url", database.url("owner"))
            seed.define(database, "{}")

        return rig.template(self.name, prepare)

    def filled(self, rig: Rig, jobs: int) -> str:
        """The same with so many jobs that are due."""
        base = self.template(rig)
        return rig.template(f"{base}_with_{jobs}", lambda database: statements.fill(database.url("app"), jobs), of=base)

    def probe(self, database: Database | None, name: str, seconds: float) -> subprocess.Popen[str]:
        """Start a program that measures one thing in slices of so many seconds."""
        urls = {f"JOBPLANE_DATABASE_URL_{role.upper()}": database.url(role) for role in ROLES} if database else {}
        return subprocess.Popen(
            [sys.executable, "-m", "bench.pairs.probe", name, str(seconds)],
            cwd=ROOT,
            env=self._environ(urls),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )

    def call(self, *arguments: str) -> str:
        """Run Python on this checkout; what it printed."""
        done = subprocess.run(
            [sys.executable, *arguments],
            cwd=ROOT,
            env=self._environ({}),
            capture_output=True,
            text=True,
            check=False,
            timeout=PATIENCE_SECONDS,
        )
        if done.returncode:
            raise RuntimeError(f"{' '.join(arguments[:4])} failed on {self.checkout}: {done.stderr[-2000:]}")
        return done.stdout

    def _environ(self, more: dict[str, str]) -> dict[str, str]:
        return {**os.environ, "PYTHONPATH": self.python_path, **more}
