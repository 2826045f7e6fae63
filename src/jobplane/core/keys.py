"""API keys: `jp_<key_id>_<secret><checksum>`. A store keeps the digest of the secret, and never the secret."""

from __future__ import annotations

import re
import secrets
from dataclasses import dataclass, field
from hashlib import sha256
from string import ascii_lowercase, ascii_uppercase, digits
from typing import Final
from zlib import crc32

_BASE36: Final = digits + ascii_lowercase
_BASE62: Final = _BASE36 + ascii_uppercase
_SECRET_BYTES: Final = 32
_SECRET: Final = 43  # characters of 32 bytes in base 62
_CHECKSUM: Final = 6  # characters of a CRC-32 in base 62
_SHAPE: Final = re.compile(rf"(jp_([0-9a-z]{{12}})_([0-9A-Za-z]{{{_SECRET}}}))([0-9A-Za-z]{{{_CHECKSUM}}})")


@dataclass(frozen=True, slots=True)
class PlainKey:
    """A key as its holder has it. It is shown once, when it is made."""

    key_id: str
    secret: str = field(repr=False)

    @property
    def text(self) -> str:
        """The whole key, with the checksum by which a scanner recognizes it and a typing error shows."""
        named = f"jp_{self.key_id}_{self.secret}"
        return named + _checksum(named)

    @property
    def digest(self) -> bytes:
        """What a store keeps. A fast hash is enough for 256 random bits."""
        return sha256(self.secret.encode()).digest()


def mint() -> PlainKey:
    """A new key of 256 random bits."""
    key_id = "".join(secrets.choice(_BASE36) for _ in range(12))
    return PlainKey(key_id, _base62(int.from_bytes(secrets.token_bytes(_SECRET_BYTES)), _SECRET))


def parse(text: str) -> PlainKey | None:
    """The parts of a key; None where its shape or its checksum is wrong."""
    found = _SHAPE.fullmatch(text)
    if found is None or _checksum(found[1]) != found[4]:
        return None
    return PlainKey(found[2], found[3])


def _checksum(text: str) -> str:
    return _base62(crc32(text.encode()), _CHECKSUM)


def _base62(number: int, width: int) -> str:
    found = ""
    for _ in range(width):
        number, digit = divmod(number, 62)
        found = _BASE62[digit] + found
    return found
