"""Warn a caller that waits for a job which nobody can run."""

from __future__ import annotations

import math
import time
from typing import Final

from jobplane.control.waiting import log
from jobplane.core.explanation import Explanation, Gate

LOOK_SECONDS = 5.0
AGAIN_SECONDS = 30.0
_BLOCKING: Final = frozenset(
    {"queue_paused", "tenant_paused", "definition_gone", "definition_inactive"}
    | {"unbound", "queue_not_served", "policy_mismatch", "no_worker"}
)


class Patience:
    """Says when to look why a job waits: after five seconds, then every thirty, until the caller was warned."""

    def __init__(self) -> None:
        self._until = time.monotonic() + LOOK_SECONDS

    def ends(self) -> bool:
        """Return true if it is time to look, and set the next time thirty seconds later."""
        if time.monotonic() < self._until:
            return False
        self._until = time.monotonic() + AGAIN_SECONDS
        return True

    def see(self, found: Explanation) -> None:
        """Log a warning if nobody can run the job. After that it is never time to look again."""
        if warn(found):
            self._until = math.inf


def warn(found: Explanation) -> bool:
    """Log a warning if nobody can run the job; whether it was logged.

    A job that waits for a busy worker or for its time is not worth one.
    """
    shut = [gate for gate in found.shut if _blocks(gate)]
    if shut:
        held = f" (held_by: {found.held_by})" if found.held_by else ""
        details = " ".join(gate.detail for gate in shut)
        facts = {"job_id": str(found.job_id), "held_by": found.held_by, "gates": [gate.name for gate in shut]}
        log.warning("Job %s waits%s, and nobody can run it. %s", found.job_id, held, details, extra=facts)
    return bool(shut)


def _blocks(gate: Gate) -> bool:
    """Whether the gate stays shut until a person does something. A limit of 0 is never free."""
    return gate.name in _BLOCKING or gate.evidence.get("limit") == 0
