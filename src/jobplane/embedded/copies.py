"""Copies of the programs for a user who cannot reach the originals."""

from __future__ import annotations

import hashlib
import os
import shutil
import tempfile
from pathlib import Path

from jobplane.embedded.account import Account
from jobplane.embedded.binaries import Binaries
from jobplane.embedded.directories import SHARED_TEMPORARY
from jobplane.embedded.errors import NoBinaries, failure

SYSTEM_CACHE = Path("/var/cache")
HOME = "jobplane-programs"
FORBIDDEN, NOT_LOADED = 126, 127
UNUSED = shutil.ignore_patterns("include", "*.a", "pkgconfig", "pgxs", "__pycache__")


def find_reachable(binaries: Binaries, account: Account, data_dir: Path) -> Binaries:
    """The same programs where the server's user can run them: as they are, or a copy, made once for each version."""
    if _runs(binaries, account):
        return binaries
    for base in (SYSTEM_CACHE, data_dir.parent, SHARED_TEMPORARY):
        copy = _find_or_copy(binaries, base / HOME)
        if copy and _runs(copy, account):
            return copy
    raise NoBinaries(f"{account.name} can run neither {binaries.bin} nor a copy. Install PostgreSQL where it can.")


def _runs(binaries: Binaries, account: Account) -> bool:
    """Found by trying: the way there, the modes, the libraries and the mount all have a say."""
    return not account.is_other or all(_answers(binaries.program(name), account) for name in ("postgres", "initdb"))


def _answers(program: str, account: Account) -> bool:
    """Whether the user may run it and its libraries are found; that it fails in another way is an error."""
    done = account.run([program, "--version"])
    if done.returncode not in (0, FORBIDDEN, NOT_LOADED):
        raise failure(f"{program} --version ended with {done.returncode}", done.stderr)
    return done.returncode == 0


def _find_or_copy(binaries: Binaries, home: Path) -> Binaries | None:
    """The copy in this home, or nothing where there can be none."""
    prefix = binaries.bin.parent
    root = binaries.lib.parent if binaries.lib else prefix.parent
    final = home / _name(binaries)
    try:
        _claim(home)
        if not final.exists():
            _copy([prefix, *([binaries.lib] if binaries.lib else [])], root, final)
    except OSError:
        return None
    lib = final / binaries.lib.relative_to(root) if binaries.lib else None
    return Binaries(final / binaries.bin.relative_to(root), lib, binaries.version)


def _name(binaries: Binaries) -> str:
    status = (binaries.bin / "postgres").stat()
    origin = f"{binaries.bin}\n{status.st_size}\n{status.st_mtime_ns}"
    return f"{binaries.version[0]}.{binaries.version[1]}-{hashlib.sha256(origin.encode()).hexdigest()[:12]}"


def _claim(home: Path) -> None:
    """Only what we made ourselves may be run: a directory that another user could have filled is passed over."""
    home.mkdir(exist_ok=True)
    status = home.lstat()
    if home.is_symlink() or status.st_uid != os.geteuid() or status.st_mode & 0o022:
        raise PermissionError(f"{home} is not ours alone")
    home.chmod(0o755)


def _copy(sources: list[Path], root: Path, final: Path) -> None:
    """Under another name first: who renames first wins, and what is there under the final name is complete."""
    draft = Path(tempfile.mkdtemp(prefix=".copy-", dir=final.parent))
    try:
        for source in sources:
            shutil.copytree(source, draft / source.relative_to(root), ignore=UNUSED, symlinks=True)
        _open_to_all(draft)
        draft.rename(final)
    except OSError:
        shutil.rmtree(draft, ignore_errors=True)
        if not final.exists():
            raise


def _open_to_all(tree: Path) -> None:
    for directory, _, files in os.walk(tree):
        Path(directory).chmod(0o755)
        for path in (Path(directory, name) for name in files):
            if not path.is_symlink():
                path.chmod(0o755 if path.stat().st_mode & 0o100 else 0o644)
