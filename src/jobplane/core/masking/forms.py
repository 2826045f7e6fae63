"""The texts that stand for a secret: as it is, escaped, percent-encoded and inside base64.

A value of fewer than 4 characters is found only as it is, and only as a whole word: it would otherwise blank out half
of every text. Base64 that is broken into lines is not found.
"""

from __future__ import annotations

import json
import re
from binascii import b2a_base64
from collections.abc import Iterable, Iterator
from functools import lru_cache
from typing import Final

SHORT: Final = 4  # characters; a shorter value is masked as a whole word only
_LINE: Final = 8  # characters of a line of a value that is masked without the other lines
_UNRESERVED: Final = frozenset("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_.-~")
# quote_plus, quote, encodeURIComponent, encodeURI; the forms of a browser and of Java, which encode the tilde.
_SAFE: Final = ("", "/", "!'()*", "!'()*;/?:@&=+$,#", "*")
_HEX: Final = re.compile(r"%[0-9A-F]{2}")
_CODE: Final = re.compile(r"\\u[0-9a-f]{4}")


def forms_of(values: Iterable[str]) -> list[str]:
    """The texts that stand for the values of at least 4 characters, the longest first."""
    found: set[str] = set()
    for value in values:
        if len(value) >= SHORT:
            found |= _forms_of(value)
    return sorted(found, key=lambda form: (-len(form), form))


def words_of(values: Iterable[str]) -> list[str]:
    """The values that are masked only as whole words, the longest first."""
    return sorted({value for value in values if len(value) < SHORT}, key=lambda value: (-len(value), value))


@lru_cache(64)  # 1.3 ms for a private key; all that are known are put together each time when one is new
def _forms_of(value: str) -> frozenset[str]:
    lines = (line for line in value.splitlines() if len(line.strip()) >= _LINE)
    stripped = value.strip()  # a program that reads a secret often strips it
    return frozenset((*_forms(value), *_forms(stripped if len(stripped) >= SHORT else value), *lines))


def _forms(value: str) -> Iterator[str]:
    yield value
    yield from _escaped(value)
    yield from _percent_encoded(value)
    yield from _inside_base64(value.encode("utf-8", "surrogatepass"))


def _escaped(value: str) -> Iterator[str]:
    """As JSON and Python write it between quotes."""
    ascii_only = json.dumps(value)[1:-1]
    upper = _CODE.sub(lambda found: f"\\u{found[0][2:].upper()}", ascii_only)
    for text in (json.dumps(value, ensure_ascii=False)[1:-1], ascii_only, upper):
        yield text
        yield text.replace("/", "\\/")
        yield text.replace("&", "\\u0026").replace("<", "\\u003c").replace(">", "\\u003e")  # as Go writes it
    yield repr(value)[1:-1]
    yield repr('"' + value)[2:-1]  # where the text around it has double quotes
    yield ascii(value)[1:-1]
    yield repr(value.encode("utf-8", "surrogatepass"))[2:-1]


def _percent_encoded(value: str) -> Iterator[str]:
    """As in URLs and forms, with hex digits of both cases."""
    for safe in _SAFE:
        text = "".join(_percent(letter, safe) for letter in value)
        if safe == "*":
            text = text.replace("~", "%7E")
        for each in (text, text.replace("%20", "+")):
            yield each
            yield _HEX.sub(lambda found: found[0].lower(), each)


def _percent(letter: str, safe: str) -> str:
    if letter in _UNRESERVED or letter in safe:
        return letter
    return "".join(f"%{byte:02X}" for byte in letter.encode("utf-8", "surrogatepass"))


def _inside_base64(data: bytes) -> Iterator[str]:
    """The base64 of these bytes at each of three places in a group, without the digits that neighbours share."""
    for before in range(3):
        digits = b2a_base64(bytes(before) + data, newline=False).decode()
        digits = digits[(0, 2, 3)[before] : (before + len(data)) * 8 // 6]
        yield digits
        yield digits.replace("+", "-").replace("/", "_")
