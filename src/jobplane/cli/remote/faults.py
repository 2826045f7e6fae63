"""What a server refuses, as the same errors that the library raises, with the next command to try."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cache
from typing import Any, Final

from jobplane.core.errors import Invalid, JobplaneError


class ServerUnreachable(JobplaneError):
    """No server answers at server_url."""

    code = "server_unreachable"


class ServerRefused(JobplaneError):
    """An answer with a code that is not in this tree: `refused` is that code, `http_status` its status."""

    code = "server_refused"


class WaitTimeout(JobplaneError):
    """A job has not ended within the time that a command waits for it."""

    code = "wait_timeout"


class AmbiguousId(Invalid):
    """Several jobs have an id that begins or ends like this."""

    code = "ambiguous_id"


# The exit code of an answer whose code is not in the tree; 1 for all others.
_EXITS: Final[Mapping[int, int]] = {
    400: 2, 401: 4, 403: 4, 404: 3, 408: 6, 409: 5, 413: 2, 415: 2, 422: 2, 431: 2, 502: 7, 503: 6, 504: 7,
}  # fmt: skip
_NEXT: Final[Mapping[str, str]] = {
    "unauthenticated": "Set JOBPLANE_API_KEY, or JOBPLANE_API_KEY_FILE to a file that holds the key.",
    "tenant_required": "Add --tenant SLUG, or set JOBPLANE_TENANT.",
    "job_not_found": "Try: jobplane jobs ls",
    "unknown_definition": "Try: jobplane definitions ls",
    "definition_not_found": "Try: jobplane definitions ls",
    "definition_inactive": "Try: jobplane definitions enable KEY",
    "unknown_queue": "Try: jobplane queues ls",
    "queue_not_found": "Try: jobplane queues ls",
    "tenant_not_found": "--tenant takes a slug or an id. Try: jobplane tenants ls",
    "key_not_found": "Try: jobplane keys ls",
    "illegal_move": "Try: jobplane jobs describe ID",
    "forbidden": "Try: jobplane me",
    "route_not_found": "The server may be older than this program.",
}


def make_error(status: int, problem: Mapping[str, Any]) -> JobplaneError:
    """The error that a problem stands for."""
    code, detail = str(problem.get("code", "")), str(problem.get("detail", ""))
    message = " ".join([detail, _NEXT[code]]) if code in _NEXT else detail
    kind = _kinds().get(code)
    if kind is None:
        return ServerRefused(message, refused=code, http_status=status)
    return kind(message, **{name: value for name, value in problem.items() if name not in ("code", "detail")})


def shown_code(error: JobplaneError) -> str:
    """The code that people are shown."""
    return str(error.facts.get("refused") or error.code)


def exit_code(error: ServerRefused) -> int:
    return _EXITS.get(int(str(error.facts.get("http_status", 0))), 1)


@cache
def _kinds() -> Mapping[str, type[JobplaneError]]:
    return {kind.code: kind for kind in _tree(JobplaneError)}


def _tree(root: type[JobplaneError]) -> Iterator[type[JobplaneError]]:
    for kind in root.__subclasses__():
        yield kind
        yield from _tree(kind)
