"""Parts of jobplane that are installed on demand."""

from __future__ import annotations

from importlib.util import find_spec

from jobplane.core.errors import Invalid


class MissingExtra(Invalid):
    """A part of jobplane that is not installed."""

    code = "missing_extra"


def require_server() -> None:
    """Raise MissingExtra where the REST API is not installed."""
    if find_spec("fastapi") is None or find_spec("uvicorn") is None:
        raise MissingExtra("The server is not installed. Run: pip install 'jobplane[server]'")


def require_client() -> None:
    """Raise MissingExtra where the HTTP client is not installed."""
    if find_spec("httpx2") is None:
        raise MissingExtra("The HTTP client is not installed. Run: pip install 'jobplane[cli]'")


def require_yaml() -> None:
    """Raise MissingExtra where YAML cannot be written."""
    if find_spec("yaml") is None:
        raise MissingExtra("YAML is not installed. Use -o json, or run: pip install 'jobplane[cli]'")
