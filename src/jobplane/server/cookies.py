"""The cookie of a session, and the check that no other site makes a browser send it."""

from __future__ import annotations

from typing import Final

from fastapi import Request, Response

from jobplane.core.errors import Forbidden
from jobplane.core.sessions import Token

_READS: Final = frozenset({"GET", "HEAD", "OPTIONS"})
_ELSEWHERE: Final = (
    "A browser sent this request for another site, or did not say for which. Open jobplane in a tab of its own and try "
    "again. Behind a proxy that ends TLS, name the proxy in server_trusted_proxies. A program sends an API key instead."
)


def presented(request: Request) -> str | None:
    """The token in the cookie. By https only the cookie that no other host and no plain http can set."""
    return request.cookies.get(_name(request))


def give(response: Response, request: Request, token: Token, seconds: int) -> None:
    _set(response, request, token.text, seconds)


def take(response: Response, request: Request) -> None:
    _set(response, request, "", 0)


def _set(response: Response, request: Request, value: str, seconds: int) -> None:
    is_https = _is_https(request)
    response.set_cookie(
        _name(request), value, max_age=seconds, path="/", secure=is_https, httponly=True, samesite="lax"
    )


def _name(request: Request) -> str:
    return "__Host-jobplane" if _is_https(request) else "jobplane"


def _is_https(request: Request) -> bool:
    """As the proxy says, where it is one that the server trusts."""
    return request.url.scheme == "https"


def require_own_site(request: Request) -> None:
    """Raise Forbidden where a request that changes something may come from another site.

    Browsers send Sec-Fetch-Site by https and to this machine; elsewhere there is Origin.
    """
    if request.method in _READS:
        return
    site = request.headers.get("sec-fetch-site")
    own = f"{request.url.scheme}://{request.headers.get('host', '')}"
    if site not in ("same-origin", "none") and (site is not None or request.headers.get("origin") != own):
        raise Forbidden(_ELSEWHERE)
