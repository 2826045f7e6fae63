"""An executable is opened once: what was judged and hashed is what its descriptor runs."""

from __future__ import annotations

import hashlib
import os
import subprocess
from pathlib import Path

import pytest

from jobplane.worker.policy import (
    ExecutableMissing,
    ExecutableRefused,
    ExecutableRelative,
    ExecutableUnsafe,
    open_executable,
)
from tests.worker.policy.users import OTHER, needs_root

HELLO = "#!/bin/sh\necho hello\n"
LONG_AGO = 1_000_000_000


@pytest.fixture
def program(tmp_path: Path) -> Path:
    path = tmp_path / "program"
    path.write_text(HELLO)
    path.chmod(0o755)
    return path


def digest(path: Path) -> str:
    with open_executable(str(path)) as executable:
        return executable.digest


def count_descriptors() -> int:
    return len([*Path("/proc/self/fd").iterdir()])


def test_its_digest_is_that_of_its_content(program: Path) -> None:
    assert digest(program) == hashlib.sha256(HELLO.encode()).hexdigest()


def test_the_descriptor_stays_on_the_file_that_was_hashed(program: Path) -> None:
    with open_executable(str(program)) as executable:
        (program.parent / "new").write_text("#!/bin/sh\necho other\n")
        (program.parent / "new").rename(program)
        command = [f"/proc/self/fd/{executable.fd}"]

        done = subprocess.run(command, pass_fds=[executable.fd], capture_output=True, text=True, check=True)

    assert done.stdout == "hello\n"


@pytest.mark.parametrize("path", ["program", "./program", "", "bin/../program", "~/program", "/bin/true\0"])
def test_a_relative_path_is_refused(program: Path, path: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(program.parent)

    with pytest.raises(ExecutableRelative) as refused:
        open_executable(path)
    assert refused.value.code == "executable_relative"


@pytest.mark.parametrize("path", ["nothing", "program/inside"])
def test_a_missing_file_is_refused(program: Path, path: str) -> None:
    with pytest.raises(ExecutableMissing) as refused:
        open_executable(str(program.parent / path))
    assert refused.value.code == "executable_missing"


@pytest.mark.parametrize("mode", [0o777, 0o775, 0o757, 0o644, 0o600])
def test_a_file_that_others_may_write_to_or_nobody_may_execute_is_refused(program: Path, mode: int) -> None:
    program.chmod(mode)

    with pytest.raises(ExecutableUnsafe, match="chmod") as refused:
        open_executable(str(program))
    assert refused.value.code == "executable_unsafe"


def test_a_directory_that_others_may_write_to_makes_it_unsafe(program: Path) -> None:
    program.parent.chmod(0o777)

    with pytest.raises(ExecutableUnsafe, match=f"Others than the owner may write to {program.parent} "):
        open_executable(str(program))


@needs_root
def test_a_file_of_somebody_else_is_refused(program: Path) -> None:
    os.chown(program, OTHER.pw_uid, OTHER.pw_gid)

    with pytest.raises(ExecutableUnsafe, match="belongs to nobody"):
        open_executable(str(program))


def test_a_directory_is_no_executable(program: Path) -> None:
    with pytest.raises(ExecutableUnsafe, match="no regular file"):
        open_executable(str(program.parent))


def test_all_refusals_are_of_one_kind_and_name_the_file(program: Path) -> None:
    with pytest.raises(ExecutableRefused) as refused:
        open_executable(str(program.parent))
    assert refused.value.facts["executable"] == str(program.parent)


@pytest.mark.parametrize("has_settled", [True, False])
def test_a_change_is_seen_whatever_its_size_and_time(program: Path, has_settled: bool) -> None:
    if has_settled:
        os.utime(program, (LONG_AGO, LONG_AGO))
    before = digest(program)

    program.write_text(HELLO.replace("hello", "olleh"))
    os.utime(program, (LONG_AGO, LONG_AGO))

    assert digest(program) == hashlib.sha256(HELLO.replace("hello", "olleh").encode()).hexdigest() != before


def test_a_refused_executable_leaves_no_descriptor_open(program: Path) -> None:
    program.chmod(0o644)
    before = count_descriptors()

    for _ in range(3):
        with pytest.raises(ExecutableUnsafe):
            open_executable(str(program))

    assert count_descriptors() == before


def test_a_file_that_has_not_changed_for_long_is_hashed_once() -> None:
    """A system file: its change time cannot be set back."""
    with open_executable("/bin/sh") as first, open_executable("/bin/sh") as second:
        assert first.digest == second.digest
        assert os.read(second.fd, 4) == os.read(first.fd, 4) == b"\x7fELF"
        os.lseek(second.fd, 0, os.SEEK_SET)
    with open_executable("/bin/sh") as third:
        assert os.lseek(third.fd, 0, os.SEEK_CUR) == 0
