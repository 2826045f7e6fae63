"""The web UI: its page, with a nonce and the path it is served under, and its files."""

from __future__ import annotations

import gzip
import mimetypes
import secrets
from functools import cache
from pathlib import Path
from typing import Final

from fastapi import APIRouter, Request, Response

from jobplane.core.bounds import show
from jobplane.core.errors import NotFound
from jobplane.server.entry import state_of

router: Final = APIRouter(include_in_schema=False)
PLACE: Final = Path(__file__).parents[1] / "_ui"
# The first part of each address of the page.
PAGES: Final = (
    *("audit", "commands", "database", "definitions", "jobs", "keys", "logs"),
    *("queues", "run", "schedules", "sign-in", "tenants", "welcome", "workers"),
)
_POLICY: Final = (
    "default-src 'none'; script-src 'self'; style-src 'self' 'nonce-{nonce}'; img-src 'self' data:; font-src 'self'; "
    "connect-src 'self'; base-uri 'self'; form-action 'self'; frame-ancestors 'none'"
)
_BASE: Final = '<base href="/" />'
_NONCE: Final = '<meta name="csp-nonce" content="" />'
_YEAR: Final = "public, max-age=31536000, immutable"  # the name of a file has a digest of its content
_NOT_BUILT: Final = "The web UI is not built. Run `make ui-build`, or install a released wheel.\n"


@router.get("/assets/{name}")
async def get_asset(name: str, request: Request) -> Response:
    """A file of the page. Its name changes with its content."""
    plain, packed = _asset(name)
    headers = {"Cache-Control": _YEAR, "Vary": "Accept-Encoding", "X-Content-Type-Options": "nosniff"}
    media_type = mimetypes.guess_type(name)[0] or "application/octet-stream"
    if packed is None or "gzip" not in request.headers.get("accept-encoding", ""):
        return Response(plain, headers=headers, media_type=media_type)
    return Response(packed, headers=headers | {"Content-Encoding": "gzip"}, media_type=media_type)


async def get_page(request: Request) -> Response:
    """The page, which shows what its address names."""
    return page(request)


router.add_api_route("/", get_page)
for _name in PAGES:
    router.add_api_route(f"/{_name}", get_page)
    router.add_api_route(f"/{_name}/{{rest:path}}", get_page)


def is_wanted(request: Request) -> bool:
    """Whether a browser asks for a page, and not a program for the API."""
    is_page = request.method == "GET" and "text/html" in request.headers.get("accept", "")
    return is_page and not request.url.path.removeprefix(request.scope["root_path"]).startswith("/api")


def page(request: Request, status: int = 200) -> Response:
    """The page with a nonce of its own for styles."""
    text = _page()
    if text is None:
        return Response(_NOT_BUILT, 404, media_type="text/plain")
    nonce = secrets.token_urlsafe(16)
    base = f"{state_of(request).config.server_root_path}/"
    shown = text.replace(_BASE, f'<base href="{base}" />').replace(
        _NONCE, f'<meta name="csp-nonce" content="{nonce}" />'
    )
    headers = {
        "Content-Security-Policy": _POLICY.format(nonce=nonce),
        "Cache-Control": "no-store",
        "Referrer-Policy": "no-referrer",
        "X-Content-Type-Options": "nosniff",
        "X-Frame-Options": "DENY",
    }
    return Response(shown, status, headers, "text/html; charset=utf-8")


@cache
def _page() -> str | None:
    file = PLACE / "index.html"
    return file.read_text("utf-8") if file.is_file() else None


@cache
def _names() -> frozenset[str]:
    folder = PLACE / "assets"
    return frozenset(file.name for file in folder.iterdir()) if folder.is_dir() else frozenset()


def _asset(name: str) -> tuple[bytes, bytes | None]:
    """A file as it is, and packed where that is worth it. Raises NotFound."""
    if name not in _names():  # also what keeps a path from leading elsewhere
        raise NotFound(f"There is no file {show(name, 100)}.")
    return _read(name)


@cache
def _read(name: str) -> tuple[bytes, bytes | None]:
    plain = (PLACE / "assets" / name).read_bytes()
    return plain, gzip.compress(plain, mtime=0) if name.endswith((".js", ".css", ".svg")) else None
