"""Secrets in what people are shown: values under telling names, and credentials inside texts."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import lru_cache
from itertools import pairwise
from typing import Final

from jobplane.core.model import Json

MASK: Final = "***"
_WORD: Final = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+")
_WORDS: Final = frozenset(
    {"password", "passwd", "pwd", "passphrase", "secret", "token", "authorization", "credential", "credentials"}
    | {"apikey", "cookie", "jwt", "bearer"}
)
_PAIRS: Final = frozenset(
    {("api", "key"), ("private", "key"), ("access", "key"), ("signing", "key"), ("set", "cookie")}
)
_NAMES: Final = "password|passwd|pwd|passphrase|secret|token|api[_-]?key|authorization"
# `Authorization: Bearer x`, `Bearer x`, `password=x`, the password of a URL, our keys, sessions and links.
_CREDENTIALS: Final = re.compile(
    r"(?i)\b(?P<scheme>(?:authorization\s*[:=]\s*)?(?:bearer|basic)\s+)[^\s\"',;]+"
    rf"|\b(?P<name>[\w-]*(?:{_NAMES})[\"']?\s*[:=]\s*[\"']?)[^\s\"',;&]+"
    r"|(?P<url>\b[a-z][a-z0-9+.-]*://[^\s/:@]*:)[^\s/@]+(?=@)"
    r"|(?P<key>\bjp_[0-9a-z]{12}_)[0-9A-Za-z_-]+"
    r"|(?P<token>\bjp[sl]_)[0-9A-Za-z_-]{43}"
)


@lru_cache(4096)
def is_secret(name: str) -> bool:
    """Whether values under this name are not shown: `apiKey`, `db_password`; not `max_tokens` or `token_count`."""
    words = [word.lower() for word in _WORD.findall(name)]
    if len(words) > 1 and words[-1] in ("count", "limit", "type", "length", "id", "name", "url", "uri"):
        return False
    return not _WORDS.isdisjoint(words) or not _PAIRS.isdisjoint(pairwise(words))


def redact(value: Json) -> Json:
    """The same document with `***` for each secret. Texts lose the credentials inside them."""
    if isinstance(value, str):
        return redact_text(value)
    if isinstance(value, Mapping):
        return {name: _mask(item) if is_secret(name) else redact(item) for name, item in value.items()}
    if isinstance(value, Sequence):
        return [redact(item) for item in value]
    return value


def _mask(value: Json) -> Json:
    """Nothing of a secret, whatever its shape; null, true and false tell nothing."""
    return value if value is None or isinstance(value, bool) else MASK


def redact_text(text: str) -> str:
    """A text without the credentials inside it."""
    return _CREDENTIALS.sub(lambda found: f"{found[found.lastgroup or 0]}{MASK}", text)


def restore(shown: Json, stored: Json) -> Json:
    """A document that came back from somebody who was shown `***`: each mask becomes the stored value again."""
    if isinstance(shown, Mapping) and isinstance(stored, Mapping):
        return {
            name: stored[name] if item == MASK and name in stored else restore(item, stored.get(name))
            for name, item in shown.items()
        }
    if isinstance(shown, list) and isinstance(stored, Sequence) and len(shown) == len(stored):
        return [restore(item, old) for item, old in zip(shown, stored, strict=True)]
    if isinstance(shown, str) and isinstance(stored, str) and shown == redact_text(stored):
        return stored
    return shown
