"""Databases that are files."""

from __future__ import annotations

from pathlib import Path

from jobplane.core.errors import StoreUnavailable


def refuse_new_file(url: str) -> None:
    """Raise StoreUnavailable where opening the URL would leave an empty database behind."""
    path = url.removeprefix("sqlite:///")
    if path != url and not Path(path).exists():
        raise StoreUnavailable(f"There is no file {path}. Name the database with --url, or database_url.")
