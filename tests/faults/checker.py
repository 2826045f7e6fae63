"""One judge for every fault test: what the promises of a job plane mean for a recorded history."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from math import ceil
from typing import Final

from tests.faults.history import History
from tests.faults.rules import acceptance, attempts, execution, schedules

RULES: Final[dict[str, Callable[[History], Iterator[str]]]] = {
    "I1 lost": acceptance.lost,
    "I2 phantom": acceptance.phantom,
    "I3 double lease": attempts.double_lease,
    "I4 unfenced": attempts.unfenced,
    "I5 loop": attempts.loop,
    "I6 resurrection": attempts.resurrection,
    "I7 corrupt": attempts.corrupt,
    "I8 early": execution.early,
    "I9 duplicate": acceptance.duplicate,
    "I12 unexplained rerun": execution.unexplained,
    "I13 misfire": schedules.misfire,
    "I14 stuck": execution.stuck,
}


@dataclass(frozen=True, slots=True)
class Verdict:
    """What was found, by rule, and the four counts that a queue is judged by."""

    violations: dict[str, list[str]]
    lost: int
    duplicated: int
    recovered: int
    unexpected: int
    lateness: list[float]  # of the first start of each job, in order

    def __str__(self) -> str:
        counts = (
            f"lost {self.lost}, duplicated {self.duplicated}, recovered {self.recovered}, unexpected {self.unexpected}"
        )
        found = [f"{rule}: {len(texts)}, such as {'; '.join(texts[:3])}" for rule, texts in self.violations.items()]
        late = ", ".join(f"p{share} {at(self.lateness, share):.3f} s" for share in (50, 95, 99))
        return "\n".join([counts, f"started late: {late}", *found])


def at(values: Sequence[float], percent: int) -> float:
    """What so many percent of these, which are in order, do not exceed."""
    return values[max(0, ceil(len(values) * percent / 100) - 1)] if values else 0.0


def judge(history: History) -> Verdict:
    """Hold every rule against the history."""
    found = {rule: list(check(history)) for rule, check in RULES.items()}
    done = Counter(event.job for event in history.of("end") if event.how == "done")
    unanswered = {event.mark for event in history.of("invoke")} - {event.mark for event in history.of("ok", "fail")}
    known = {job.id for job in history.jobs}
    return Verdict(
        violations={rule: texts for rule, texts in found.items() if texts},
        lost=len(found["I1 lost"]),
        duplicated=sum(times > 1 for times in done.values()),
        recovered=sum(job.mark in unanswered for job in history.jobs),
        unexpected=sum(job not in known for job in history.runs()),
        lateness=execution.lateness(history),
    )
