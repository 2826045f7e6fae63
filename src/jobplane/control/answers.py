"""A store answers row by row; here the answers become errors by their codes."""

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
    "not_found": "there is no job {id} of this tenant",
    "illegal_move": "job {id} is {status}; that does not allow it",
    "duplicate_job": "another active job has the dedupe key of job {id}; wait until it has ended",
    "quota_exceeded": "the tenant has as many jobs as its max_pending allows; try again later",
    "definition_inactive": "the definition of job {id} is not active; switch it on first",
    "unknown_queue": "the queue of job {id} was deleted; make it again with put_queues",
}


def refusal(answer: Enqueued, definition: str) -> errors.JobplaneError:
    """The typed error of a refused row; `existing_id` is the job that stands in its way, where there is one."""
    message = answer.error or "the job was refused"
    if answer.error_code == errors.UnknownDefinition.code:
        message += "; definitions of a program reach the database with jp.sync()"
    kind = _BY_CODE.get(answer.error_code or "", errors.Invalid)
    there = {} if answer.job_id is None else {"existing_id": answer.job_id}
    return kind(message, definition=definition, **there)


def require_moved(answer: Moved) -> Moved:
    """The answer itself; raises where the job is not there or its state does not allow the move."""
    if answer.outcome not in _MOVED:
        return answer
    message = _SAID[answer.outcome].format(id=answer.job_id, status=answer.status)
    raise _BY_CODE[_MOVED[answer.outcome]](message, job_id=answer.job_id, status=answer.status)


def _kinds(root: type[errors.JobplaneError]) -> Iterator[type[errors.JobplaneError]]:
    yield root
    for kind in root.__subclasses__():
        yield from _kinds(kind)


_BY_CODE = {kind.code: kind for kind in _kinds(errors.JobplaneError) if kind.__module__ == errors.__name__}
