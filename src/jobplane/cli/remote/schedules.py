"""Schedules by their names."""

from __future__ import annotations

import re
from typing import Final

from jobplane.cli.remote.client import Api, Fields, path_of
from jobplane.cli.remote.faults import AmbiguousId
from jobplane.core.errors import TriggerNotFound

LOOKED_AT: Final = 1000
_PART: Final = re.compile(r"[0-9a-f-]{4,35}")


async def find(api: Api, text: str) -> Fields:
    """The schedule with this id or key; raises TriggerNotFound, AmbiguousId.

    The beginning or the end of an id will do where only one of the newest 1,000 schedules has it.
    """
    try:
        return await api.get(path_of("schedules", text))
    except TriggerNotFound:
        if not _PART.fullmatch(text.lower()):
            raise
    found = await _search(api, text.lower())
    if not found:
        message = f'No schedule has the key "{text}", or an id that begins or ends with it. Try: jobplane schedules ls'
        raise TriggerNotFound(message)
    if len(found) > 1:
        listed = [f"  {each['id']}  {each['label']}" for each in found[:10]]
        head = f"{len(found)} schedules have an id that begins or ends with {text}. Write more of it:"
        raise AmbiguousId("\n".join([head, *listed]), candidates=[each["id"] for each in found])
    return found[0]


async def _search(api: Api, part: str) -> list[Fields]:
    found: list[Fields] = []
    async for page in api.pages("/schedules", {}, LOOKED_AT):
        found += [each for each in page["items"] if each["id"].startswith(part) or each["id"].endswith(part)]
    return found
