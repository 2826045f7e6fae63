"""tools/venv.sh, with a project and packages that are made here: no index is asked."""

from __future__ import annotations

import os
import platform
import subprocess
import sys
import zipfile
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path

import pytest

SCRIPT = Path(__file__).parents[2] / "tools/venv.sh"
PYPROJECT = '[build-system]\nrequires = []\nbuild-backend = "backend"\nbackend-path = ["."]\n'
BACKEND = """
import zipfile

def build_editable(directory, config_settings=None, metadata_directory=None):
    with zipfile.ZipFile(f"{directory}/own-1-py3-none-any.whl", "w") as wheel:
        wheel.writestr("own.py", "")
        wheel.writestr("own-1.dist-info/METADATA", "Metadata-Version: 2.1\\nName: own\\nVersion: 1\\n")
        wheel.writestr("own-1.dist-info/WHEEL", "Wheel-Version: 1.0\\nRoot-Is-Purelib: true\\nTag: py3-none-any\\n")
        wheel.writestr("own-1.dist-info/RECORD", "")
    return "own-1-py3-none-any.whl"
"""


@dataclass
class Project:
    """A project with a lock for running and one for developers, which has all of the first."""

    path: Path

    def lock(self, name: str, *packages: str) -> None:
        (self.path / name).write_text("".join(self._pin(package) for package in packages))

    def _pin(self, name: str) -> str:
        wheel = self.path / "wheels" / f"{name}-1-py3-none-any.whl"
        wheel.parent.mkdir(exist_ok=True)
        if not wheel.exists():
            with zipfile.ZipFile(wheel, "w") as packed:
                packed.writestr(f"{name}.py", "")
                packed.writestr(f"{name}-1.dist-info/METADATA", f"Metadata-Version: 2.1\nName: {name}\nVersion: 1\n")
                packed.writestr(f"{name}-1.dist-info/WHEEL", "Wheel-Version: 1.0\nTag: py3-none-any\n")
                packed.writestr(f"{name}-1.dist-info/RECORD", "")
        return f"{name}==1 --hash=sha256:{sha256(wheel.read_bytes()).hexdigest()}\n"

    def set_up(self, *locks: str) -> list[str]:
        """What it prints."""
        env = {name: value for name, value in os.environ.items() if not name.startswith("PIP_")}
        more = {"PIP_CONFIG_FILE": os.devnull, "PIP_NO_INDEX": "1", "PIP_FIND_LINKS": "wheels", "MEGABYTES": "7"}
        done = subprocess.run(
            ["sh", str(SCRIPT), ".venv", *locks], cwd=self.path, env={**env, **more, "PYTHON": sys.executable},
            capture_output=True, text=True, check=False, timeout=100,
        )  # fmt: skip
        assert done.returncode == 0, done.stderr
        return done.stdout.splitlines()

    def has(self, *names: str) -> list[bool]:
        [home] = (self.path / ".venv/lib").glob("python3*/site-packages")
        return [(home / f"{name}.py").exists() for name in names]


@pytest.fixture
def project(tmp_path: Path) -> Project:
    (tmp_path / "pyproject.toml").write_text(PYPROJECT)
    (tmp_path / "backend.py").write_text(BACKEND)
    made = Project(tmp_path)
    made.lock("run.lock", "server")
    made.lock("dev.lock", "server", "checker")
    return made


def test_an_environment_is_made_again_when_a_lock_has_changed_and_else_added_to(project: Project) -> None:
    """One environment for all of it: making one takes eight seconds of a core."""
    old = project.path / ".venv/old"
    old.parent.mkdir()
    old.touch()
    (project.path / ".venv/.pins").write_text(f"Python {platform.python_version()} in {project.path}\nrun.lock 1 1\n")

    assert project.set_up("run.lock") == [
        "Installing jobplane and 1 packages into .venv, about 7 MB. This takes a minute…"
    ]
    assert not old.exists()
    assert project.has("server", "checker", "own") == [True, False, True], "running needs no tools"
    (project.path / ".venv/kept").touch()

    [line] = project.set_up("run.lock", "dev.lock")
    assert line.startswith("Installing jobplane and 2 packages into .venv")
    assert project.has("server", "checker", "own") == [True, True, True]

    assert project.set_up("run.lock", "dev.lock") == []
    project.lock("dev.lock", "server", "linter")
    assert project.set_up("run.lock") == []
    assert (project.path / ".venv/kept").exists()
