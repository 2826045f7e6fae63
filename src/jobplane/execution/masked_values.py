"""Mask what handlers return and log as values, before it is stored."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Final

from jobplane.core.masking import MASK, mask_headers

if TYPE_CHECKING:
    from jobplane.core.masking import Masker
    from jobplane.core.model import Json

_NAME: Final = re.compile(r"(?i)(?:.*[^a-z])?authorization")
_HEAD: Final = "authorization: "


def has_headers(text: str) -> bool:
    """Whether a text may have an `Authorization` header in it."""
    return "uthorization" in text or "UTHORIZATION" in text


def mask_values(value: Json, masker: Masker) -> Json:
    """The value without secrets, and without what stands under the name of an `Authorization` header."""
    return masker.mask_json(_mask_named(value))


def _mask_named(value: Json) -> Json:
    if isinstance(value, str):
        return value
    if isinstance(value, Mapping):
        is_header = any(isinstance(value.get(key), str) and _NAME.fullmatch(str(value[key])) for key in ("name", "key"))
        return {
            name: _credentials(item) if _NAME.fullmatch(name) or (is_header and name == "value") else _mask_named(item)
            for name, item in value.items()
        }
    if isinstance(value, Sequence):
        if len(value) == 2 and isinstance(value[0], str) and _NAME.fullmatch(value[0]):  # a header as a pair
            return [value[0], _credentials(value[1])]
        return [_mask_named(item) for item in value]
    return value


def _credentials(value: Json) -> Json:
    if isinstance(value, str):
        scheme, mask, _ = mask_headers(_HEAD + value)[len(_HEAD) :].partition(MASK)
        return scheme + mask  # all of the value is credentials, also behind a comma
    if isinstance(value, Sequence):
        return [_credentials(item) for item in value]
    return _mask_named(value)
