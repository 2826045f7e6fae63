from pathlib import Path

import pytest

from jobplane.core.errors import Invalid
from jobplane.embedded import default_data_dir, parse_embedded_url


def test_without_a_path_the_data_are_in_the_data_home(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))

    assert default_data_dir() == parse_embedded_url("embedded:") == tmp_path / "jobplane/postgres"


@pytest.mark.parametrize("setting", ["", "relative/path"])
def test_without_a_usable_data_home_they_are_below_home(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, setting: str
) -> None:
    monkeypatch.setenv("XDG_DATA_HOME", setting)
    monkeypatch.setenv("HOME", str(tmp_path))

    assert default_data_dir() == tmp_path / ".local/share/jobplane/postgres"


def test_a_path_is_taken_as_it_is_written(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HOME", "/home/alice")

    assert parse_embedded_url("embedded:/srv/with space/100%25") == Path("/srv/with space/100%25")
    assert parse_embedded_url("embedded:data/../other") == tmp_path / "other"
    assert parse_embedded_url("embedded:~/data") == Path("/home/alice/data")


@pytest.mark.parametrize("url", ["", "postgresql:///x", "embedded", "embedded://host/path", "embedded:/a\0b"])
def test_another_url_is_refused(url: str) -> None:
    with pytest.raises(Invalid, match="embedded:/some/directory"):
        parse_embedded_url(url)
