"""Versions of apps, as texts that sort: PEP 440."""

from __future__ import annotations

import re
from typing import Final

LONGEST: Final = 200  # characters

_PEP_440: Final = re.compile(
    r"v?(?:(?P<epoch>[0-9]+)!)?(?P<release>[0-9]+(?:\.[0-9]+)*)"
    r"(?:[-_.]?(?P<phase>alpha|a|beta|b|preview|pre|c|rc)[-_.]?(?P<pre>[0-9]+)?)?"
    r"(?P<post>-(?P<bare>[0-9]+)|[-_.]?(?:post|rev|r)[-_.]?(?P<post_number>[0-9]+)?)?"
    r"(?P<dev>[-_.]?dev[-_.]?(?P<dev_number>[0-9]+)?)?"
    r"(?:\+(?P<local>[a-z0-9]+(?:[-_.][a-z0-9]+)*))?",
    re.IGNORECASE | re.ASCII,
)
_PHASES: Final = {"a": "1", "b": "2", "c": "3", "r": "3", "p": "3"}  # by the first letter


def order_of(version: str) -> str | None:
    """A text that sorts, byte by byte, as the version does among others; None where it is no PEP 440 version."""
    found = _PEP_440.fullmatch(version.strip()) if len(version) <= LONGEST else None
    if found is None:
        return None
    release = [int(part) for part in found["release"].split(".")]
    while len(release) > 1 and release[-1] == 0:
        release.pop()
    parts = "".join("1" + _number(part) for part in release) + "0"
    return _number(found["epoch"]) + parts + _pre(found) + _post(found) + _dev(found) + _local(found["local"])


def is_older(version: str, than: str) -> bool:
    """Whether one version comes before another; as texts where one of them is no PEP 440 version. Empty never is."""
    if not version or not than:
        return False
    order, other = order_of(version), order_of(than)
    return version < than if order is None or other is None else order < other


def _number(digits: object) -> str:
    """The number of its digits goes first: a longer number is larger."""
    text = str(int(str(digits or 0)))
    return f"{len(text):03}{text}"


def _pre(found: re.Match[str]) -> str:
    if found["phase"]:
        return _PHASES[found["phase"][0].lower()] + _number(found["pre"])
    return "0" if found["dev"] and not found["post"] else "4"


def _post(found: re.Match[str]) -> str:
    return "1" + _number(found["bare"] or found["post_number"]) if found["post"] else "0"


def _dev(found: re.Match[str]) -> str:
    return "0" + _number(found["dev_number"]) if found["dev"] else "1"


def _local(local: str | None) -> str:
    if local is None:
        return "0"
    parts = re.split(r"[-_.]", local.lower())
    return "1" + "".join("2" + _number(part) if part.isdigit() else f"1{part}." for part in parts) + "0"
