"""Domain, queue and job type in the store's words: the queue `domain.queue`, the key `domain.queue.job_type`."""

from __future__ import annotations

import re
from typing import Final, NamedTuple

from jobplane.core.errors import Invalid

# No dot in a domain or a queue: (a.b, c) and (a, b.c) would be the same lane.
_PART: Final = re.compile(r"[a-z0-9]([a-z0-9_-]*[a-z0-9])?")
_TYPE: Final = re.compile(r"[A-Za-z0-9]([A-Za-z0-9._-]*[A-Za-z0-9])?")
_LONGEST_QUEUE: Final = 100
_LONGEST_KEY: Final = 200


class Names(NamedTuple):
    """How the manager's users name a job."""

    domain: str
    queue: str
    job_type: str


def lane(domain: object, queue: object) -> str:
    """The store's name for a domain's queue."""
    name = f"{_part('domain', domain)}.{_part('queue', queue)}"
    if len(name) > _LONGEST_QUEUE:
        raise Invalid(
            f"The domain and queue must have at most {_LONGEST_QUEUE} characters with the dot between, not {len(name)}."
        )
    return name


def key(domain: object, queue: object, job_type: object) -> str:
    """The key of the definition that a job type is registered as."""
    if not isinstance(job_type, str) or not _TYPE.fullmatch(job_type):
        raise Invalid(
            "The job_type must have letters, digits, dots, dashes and underscores,"
            " and start and end with a letter or digit."
        )
    whole = f"{lane(domain, queue)}.{job_type}"
    if len(whole) > _LONGEST_KEY:
        raise Invalid(f"The domain, queue and job_type must have at most {_LONGEST_KEY} characters, not {len(whole)}.")
    return whole


def names(lane: str, key: str) -> Names:
    """The names of a job from its lane and its definition; a job that no manager made keeps its whole key as type."""
    domain, dot, queue = lane.partition(".")
    if not dot:
        return Names("", lane, key)
    inside = key.split(".", 2)
    return Names(domain, queue, inside[2] if len(inside) == 3 and inside[0] == domain else key)


def is_named(key: str, domain: str | None, queue: str | None, job_type: str | None) -> bool:
    """Whether a manager's definition is one of those asked for; None is any."""
    parts = key.split(".", 2)
    asked = (domain, queue, job_type)
    return len(parts) == 3 and all(want in (None, part) for want, part in zip(asked, parts, strict=True))


def _part(name: str, value: object) -> str:
    if not isinstance(value, str) or not _PART.fullmatch(value):
        raise Invalid(
            f"The {name} must have a-z, 0-9, dashes and underscores, and start and end with a letter or digit."
        )
    return value
