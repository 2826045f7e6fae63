"""What a schedule promises: each planned time makes one job at most, and the record tells the truth of it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from tests.faults.history import History


def misfire(history: History) -> Iterator[str]:
    """Planned time, record and job belong together. A trigger that was deleted took its record along."""
    made = {job.id: (job.trigger, job.planned_at) for job in history.jobs if job.trigger is not None}
    for (trigger, planned_at), jobs in Counter(made.values()).items():
        if jobs > 1:
            yield f"the time {planned_at} of trigger {trigger} has made {jobs} jobs"
    for fire in history.fires:
        if (fire.outcome == "fired") != (fire.job is not None):
            yield f"the time {fire.planned_at} of trigger {fire.trigger} is {fire.outcome} with the job {fire.job}"
        elif fire.job is not None and made.get(fire.job) != (fire.trigger, fire.planned_at):
            yield f"the time {fire.planned_at} of trigger {fire.trigger} names job {fire.job}, which is not its own"
    recorded = {fire.job for fire in history.fires}
    for job, (trigger, planned_at) in made.items():
        if trigger in history.triggers and job not in recorded:
            yield f"job {job} of the time {planned_at} of trigger {trigger} is not on record"
