"""ETags: the revision of what was read, so that nobody overwrites what they have not seen."""

from __future__ import annotations

import re
from typing import Final

from jobplane.core.bounds import show
from jobplane.core.errors import Invalid
from jobplane.core.model import Definition

_TAG: Final = re.compile(r'(?:W/)?"(\d{1,9})"')


def etag(definition: Definition) -> dict[str, str]:
    """The header of an answer."""
    return tag(definition.revision)


def tag(revision: int) -> dict[str, str]:
    return {"ETag": f'"{revision}"'}


def revision_of(header: str | None) -> int | None:
    """The revision in `If-Match`; None where there is none, or `*`."""
    if header is None or header == "*":
        return None
    found = _TAG.fullmatch(header.strip())
    if found is None:
        raise Invalid(
            f"Invalid If-Match {show(header)}. Send the ETag of an answer with its quotes.", pointer="header If-Match"
        )
    return int(found[1])
