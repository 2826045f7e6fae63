"""The values of a tenant, judged before a store is called."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Final

from jobplane.core.bounds import whole
from jobplane.core.errors import Invalid
from jobplane.core.texts import require_text

SLUG: Final = re.compile(r"[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?")
_LIMITS: Final = ("max_in_flight", "max_pending")


def judge_tenant(values: Mapping[str, object], *, is_new: bool = False) -> None:
    """Raise Invalid for a value that no tenant may have. Null is no limit; a tenant that exists keeps all else."""
    may_be_null = _LIMITS if is_new else values
    given = {name: value for name, value in values.items() if value is not None or name not in may_be_null}
    if "slug" in given:
        _slug(given["slug"])
    if "name" in given:
        require_text("name", given["name"])
    if "timezone" in given:
        require_text("timezone", given["timezone"], 1, 64)
    if "weight" in given:
        whole("weight", given["weight"], 1, 1000)
    for name in _LIMITS:
        if name in given:
            whole(name, given[name], 0)


def _slug(value: object) -> None:
    if not SLUG.fullmatch(require_text("slug", value)):
        raise Invalid("A tenant needs a slug of a-z, 0-9 and -, up to 63 characters.", field="slug")
