"""Turn the answers of a store into errors, by their codes."""

from __future__ import annotations

from collections.abc import Iterator

from jobplane.core import errors
from jobplane.core.model import Enqueued, Moved

_MOVED = {
    "not_found": "job_not_found",
    "illegal_move": "illegal_move",
    "duplicate_job": "duplicate_job",
    "quota_exceeded": "quota_exceeded",
    "definition_inactive": "definition_inactive",
    "unknown_queue": "unknown_queue",
}
_SAID = {
    "not_found": "There is no job {id}.",
    "illegal_move": "Job {id} is {status}: this action is not possible in that status.",
    "duplicate_job": "Another active job has the dedupe key of job {id}. Wait until it has ended.",
    "quota_exceeded": "The tenant has reached its max_pending. Try again later.",
    "definition_inactive": "The definition of job {id} is not active. Activate it first.",
    "unknown_queue": "The queue of job {id} was deleted. Create it again with put_queues.",
}


def refusal(answer: Enqueued, definition: str) -> errors.JobplaneError:
    """The typed error of a refused row; `existing_id` is the job that holds the same key, if any."""
    message = answer.error or "The job was refused."
    if answer.error_code == errors.UnknownDefinition.code:
        message += " Call jp.sync() to write the definitions of your program to the database."
    kind = _BY_CODE.get(answer.error_code or "", errors.Invalid)
    there = {} if answer.job_id is None else {"existing_id": answer.job_id}
    return kind(message, definition=definition, **there)


def require_moved(answer: Moved) -> Moved:
    """The answer itself; raises if the job does not exist or its status does not allow the move."""
    if answer.outcome not in _MOVED:
        return answer
    message = _SAID[answer.outcome].format(id=answer.job_id, status=answer.status)
    raise _BY_CODE[_MOVED[answer.outcome]](message, job_id=answer.job_id, status=answer.status)


def _kinds(root: type[errors.JobplaneError]) -> Iterator[type[errors.JobplaneError]]:
    yield root
    for kind in root.__subclasses__():
        yield from _kinds(kind)


_BY_CODE = {kind.code: kind for kind in _kinds(errors.JobplaneError) if kind.__module__ == errors.__name__}
