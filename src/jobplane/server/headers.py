"""The headers that every response has: what a browser must not do with it."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

Header = tuple[bytes, bytes]

SAFE: Final[tuple[Header, ...]] = (
    (b"x-content-type-options", b"nosniff"),
    (b"referrer-policy", b"no-referrer"),
    (b"x-frame-options", b"DENY"),
    (b"cross-origin-opener-policy", b"same-origin"),
    (b"cache-control", b"no-store"),
)
_BY_HTTPS: Final[Header] = (b"strict-transport-security", b"max-age=31536000")  # never again by plain http


def completed(headers: Iterable[Header], *more: Header, is_https: bool) -> list[Header]:
    """The headers of a response with those that it has not set itself."""
    given = list(headers)
    names = {name.lower() for name, _ in given}
    added = (*more, *SAFE, *((_BY_HTTPS,) if is_https else ()))
    return given + [header for header in added if header[0] not in names]


def as_text(headers: Iterable[Header]) -> bytes:
    """Lines of an HTTP head."""
    return b"".join(b"%b: %b\r\n" % header for header in headers)
