"""Where the data of an embedded server live."""

from __future__ import annotations

import os
from pathlib import Path

from jobplane.core.errors import Invalid

SCHEME = "embedded:"


def default_data_dir() -> Path:
    """The directory of `embedded:` without a path."""
    base = os.environ.get("XDG_DATA_HOME", "")
    # The specification of XDG says that a relative path is to be ignored.
    home = Path(base) if Path(base).is_absolute() else Path.home() / ".local" / "share"
    return home / "jobplane" / "postgres"


def parse_embedded_url(url: str) -> Path:
    """The absolute data directory that `embedded:[dir]` names; `~` is expanded, nothing else is."""
    if not url.startswith(SCHEME) or "\0" in url:
        raise Invalid(
            f'"{url:.200}" is not the URL of an embedded server. Write embedded: or embedded:/some/directory.', url=url
        )
    path = url.removeprefix(SCHEME)
    if path.startswith("//"):
        raise Invalid(f'"{url:.200}" names a host. Write embedded:/some/directory with one slash.', url=url)
    return absolute(Path(path).expanduser()) if path else default_data_dir()


def absolute(path: Path) -> Path:
    """The path without `..` and symbolic links, so that every spelling of a directory has one lock and one socket."""
    return Path(os.path.realpath(path))
