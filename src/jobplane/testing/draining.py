"""What ran while a queue was drained."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from jobplane.core.model import Job, Outcome

_BAD: Final = frozenset({Outcome.FAILED, Outcome.FATAL, Outcome.TIMEOUT, Outcome.LOST})


class JobsFailed(AssertionError):
    """Attempts failed while a test drained; `drained` has all that ran."""

    def __init__(self, drained: Drained) -> None:
        self.drained = drained
        super().__init__(
            "\n".join(["Attempts failed. drain(raise_failed=False) allows that:", *map(_describe, drained.bad)])
        )


@dataclass(frozen=True, slots=True)
class Ended:
    """One attempt that ran, and its job as it is now."""

    job: Job
    attempt_no: int
    outcome: Outcome
    reason: str | None
    error: str | None


@dataclass(frozen=True, slots=True)
class Drained:
    """The attempts of a drain, by job and number."""

    attempts: Sequence[Ended]

    @property
    def outcomes(self) -> Mapping[str, int]:
        """How many attempts ended in which way: {"succeeded": 2}."""
        return dict(Counter(str(one.outcome) for one in self.attempts))

    @property
    def jobs(self) -> list[Job]:
        """The jobs that ran, each once."""
        return list({one.job.id: one.job for one in self.attempts}.values())

    @property
    def bad(self) -> list[Ended]:
        """What failed, timed out or was lost."""
        return [one for one in self.attempts if one.outcome in _BAD]


def _describe(one: Ended) -> str:
    said = one.error or one.reason or ""
    return f"{one.job.definition_key} {one.job.id}, attempt {one.attempt_no}: {one.outcome}\n{said}"
