"""The database of a process: its name for the log, and whether the modules name the same one."""

from __future__ import annotations

from pathlib import Path
from typing import Final
from urllib.parse import parse_qs, unquote, urlsplit

from jobplane import opening
from jobplane.config import Config
from jobplane.core.errors import Invalid

_MEMORY: Final = "sqlite:///:memory:"
_HERE: Final = frozenset({"", "127.0.0.1", "[::1]"})


def show_url(url: str) -> str:
    """Without user, password and options; a file with its whole path."""
    if url.startswith("sqlite:"):
        return url if url == _MEMORY else f"sqlite:///{Path(url.removeprefix('sqlite:///')).resolve()}"
    if url.startswith("embedded:"):
        return f"embedded:{_directory(url)}"
    parts, options = urlsplit(url), parse_qs(urlsplit(url).query)
    host = parts.netloc.rpartition("@")[2].removesuffix(":5432") or options.get("host", [""])[0]
    name = parts.path or f"/{options.get('dbname', [''])[0]}"
    return f"postgresql://{'localhost' if host in _HERE else unquote(host)}{name}"


def refuse_memory(config: Config) -> None:
    """Raise for a database in memory: other processes cannot open it."""
    if config.database_url == _MEMORY:
        raise Invalid(
            "Other processes cannot open a database in memory. Name another database with database_url or --url, "
            "or use jp.worker() in the program itself.",
            setting="database_url",
        )


def find_other_database(config: Config, url: str | None) -> str | None:
    """The database that the modules name in their code, where it is not the worker's; behind a pooler nobody knows."""
    if url is None or show_url(url) == show_url(config.url("worker")):
        return None
    if url.startswith("embedded:") and opening.is_embedded(config):
        return None if _directory(url) == _directory(config.url("owner")) else show_url(url)
    return None if url.startswith("postgres") and config.pooler != "none" else show_url(url)


def _directory(url: str) -> Path:
    from jobplane.embedded import parse_embedded_url

    return parse_embedded_url(url)
