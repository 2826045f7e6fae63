"""Who asks: it is written on the jobs that a caller enqueues, and into the audit log."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias

import orjson

from jobplane.core.model import Document

ActorType: TypeAlias = Literal["key", "login", "session", "job", "scheduler", "hook", "event"]


@dataclass(frozen=True, slots=True)
class Actor:
    """A caller by its type and its id. Address and request id are those of its request, where it came over HTTP.

    A call without an actor is made by the database login, or by the user of the operating system on SQLite.
    """

    type: ActorType
    id: str
    name: str = ""
    address: str | None = None
    request_id: str | None = None

    @property
    def document(self) -> Document:
        """What a job and a row of the audit log keep of it."""
        return {"type": self.type, "id": self.id, "name": self.name}

    def encode(self) -> str:
        """The whole actor as JSON, for the setting `jobplane.actor`."""
        return orjson.dumps({**self.document, "address": self.address, "request_id": self.request_id}).decode()
