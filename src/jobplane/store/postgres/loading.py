"""How a connection of ours reads values that PostgreSQL can keep and Python cannot: a time after the year 9999, a
number of more than 4,300 digits. It hands over their bytes, which the readers of rows mark as undecodable.
"""

from __future__ import annotations

from typing import Any, Final, cast

import psycopg
from psycopg.abc import AdaptContext, Buffer
from psycopg.adapt import AdaptersMap, Loader
from psycopg.pq import Format
from psycopg.types.json import set_json_loads

from jobplane.core.decoding import FAULTS, loads

_TIMESTAMPTZ: Final = psycopg.adapters.types["timestamptz"].oid
_time: Final = cast("type[Loader]", psycopg.adapters.get_loader(_TIMESTAMPTZ, Format.TEXT))


class _TimeLoader(Loader):
    """The driver's own, which is written in C and raises where it cannot load."""

    def __init__(self, oid: int, context: AdaptContext | None = None) -> None:
        super().__init__(oid, context)
        self._own = _time(oid, context)

    def load(self, data: Buffer) -> Any:
        try:
            return self._own.load(data)
        except psycopg.DataError:
            return bytes(data)


def _json(data: str | bytes) -> Any:
    text = data if isinstance(data, str) else data.decode()
    try:
        return loads(text)
    except FAULTS:
        return text.encode()


def _adapters() -> AdaptersMap:
    adapters = AdaptersMap(psycopg.adapters)
    adapters.register_loader("timestamptz", _TimeLoader)
    set_json_loads(_json, adapters)
    return adapters


ADAPTERS: Final = _adapters()
