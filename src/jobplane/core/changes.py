"""What tells a page to look again."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, Literal, TypeAlias
from uuid import UUID

Topic: TypeAlias = Literal["jobs", "queues", "workers", "problems"]
TOPICS: Final[tuple[Topic, ...]] = ("jobs", "queues", "workers", "problems")


@dataclass(frozen=True, slots=True)
class Marks:
    """Texts that are others when something of a topic has changed, of one tenant or of the installation (None).

    A tenant sees neither queues nor workers, and has no marks of them.
    """

    tenant_id: UUID | None
    jobs: str
    queues: str | None
    workers: str | None
    problems: str

    def differ(self, topic: Topic, other: Marks) -> bool:
        return getattr(self, topic) != getattr(other, topic)
