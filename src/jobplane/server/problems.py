"""Errors as `application/problem+json`: one map from the error tree to HTTP, and one shape for all."""

from __future__ import annotations

import logging
from collections.abc import Iterator, Mapping, MutableMapping, Sequence
from http import HTTPStatus
from typing import Any, Final, cast

import orjson
from fastapi import Request, Response
from fastapi.exceptions import RequestValidationError
from starlette.exceptions import HTTPException

from jobplane.core import errors
from jobplane.core.faults import describe_faults, group_faults
from jobplane.core.model import Json
from jobplane.core.redaction import redact_text
from jobplane.server.headers import completed

log = logging.getLogger("jobplane.server")

MEDIA_TYPE: Final = "application/problem+json"
# The nearest ancestor decides.
STATUSES: Final[Mapping[type[errors.JobplaneError], int]] = {
    errors.Invalid: 422,
    errors.NotFound: 404,
    errors.Conflict: 409,
    errors.RevisionMismatch: 412,
    errors.Denied: 403,
    errors.Unauthenticated: 401,
    errors.TenantRequired: 422,
    errors.Limited: 429,
    errors.StoreError: 503,
    errors.JobplaneError: 500,
}
# Errors that the server itself makes, without an exception of ours: code, status and a sentence for the docs.
OWN: Final[Mapping[str, tuple[int, str]]] = {
    "malformed_request": (400, "The request is not HTTP, or its body is not JSON."),
    "route_not_found": (404, "No operation has this path."),
    "method_not_allowed": (405, "The path exists, but not with this method."),
    "request_timeout": (408, "The body of the request did not arrive in time."),
    "body_too_large": (413, "The body of the request is larger than the server takes."),
    "unsupported_media_type": (415, "The body is not `application/json`, or it is compressed."),
    "invalid_request": (422, "A parameter or a field of the body is missing, unknown or has a wrong value."),
    "header_too_large": (431, "The headers of the request are larger than the server takes."),
    "internal_error": (500, "A fault of the server. Its log has the request id."),
    "server_busy": (503, "The server did not answer in time, or has too many requests."),
}
_BY_STATUS: Final = {404: "route_not_found", 405: "method_not_allowed", 415: "unsupported_media_type"}
_PLACES: Final = ("query", "header", "path", "cookie")  # a whole set of parameters
_RETRY_SECONDS: Final = {429: 1, 503: 1}
_SHOWN: Final = ("status", "existing_id", "job_id", "used_by", "least_role", "role", "definition", "revision", "queue")


def problem(
    request: MutableMapping[str, Any],
    status: int,
    code: str,
    detail: str,
    *,
    retry_after: float | None = None,
    faults: object = None,
    **facts: object,
) -> Response:
    """One problem of a request, given as its ASGI scope. `facts` are fields beside those that every problem has."""
    wait = _RETRY_SECONDS.get(status) if retry_after is None else max(1, round(retry_after))
    body = {
        "type": f"/api/errors/{code}",
        "title": HTTPStatus(status).phrase,
        "status": status,
        "detail": detail,
        "instance": request["path"],
        "code": code,
        "request_id": request.get("request_id", ""),
        **({} if faults is None else {"errors": faults}),
        **({} if wait is None else {"retry_after_seconds": wait}),
        **facts,
    }
    headers = {} if wait is None else {"Retry-After": str(wait)}
    if status == 401:
        headers["WWW-Authenticate"] = "Bearer"
    return Response(orjson.dumps(body, default=str), status, headers, MEDIA_TYPE)


def status_of(error: errors.JobplaneError) -> int:
    """The status of the nearest ancestor that has one."""
    return next(STATUSES[kind] for kind in type(error).__mro__ if kind in STATUSES)


async def refused(request: Request, error: Exception) -> Response:
    """An error of ours."""
    known = cast("errors.JobplaneError", error)
    status = status_of(known)
    facts = {
        f"current_{name}" if name == "status" else name: known.facts[name] for name in _SHOWN if name in known.facts
    }
    return problem(
        request.scope,
        status,
        known.code,
        _sentence(redact_text(known.message)),
        retry_after=cast("float | None", known.facts.get("retry_after")),
        faults=known.facts.get("errors") or _pointed(known),
        **facts,
    )


def _sentence(text: str) -> str:
    """With a capital letter and a full stop."""
    whole = text if text[:1].isupper() or not text[:1].isalpha() else text[:1].upper() + text[1:]
    return whole if whole.endswith((".", "!", "?")) else f"{whole}."


def _pointed(error: errors.JobplaneError) -> Json:
    field = error.facts.get("field")
    pointer = error.facts.get("pointer") if field is None else f"/{field}"
    if pointer is None:
        return None
    return [{"pointer": str(pointer), "code": error.code, "detail": _sentence(redact_text(error.message))}]


async def unroutable(request: Request, error: Exception) -> Response:
    """No such path, or not with this method."""
    known = cast("HTTPException", error)
    code = _BY_STATUS.get(known.status_code, "malformed_request" if known.status_code < 500 else "internal_error")
    detail = OWN[code][1] if code in _BY_STATUS.values() else _sentence(str(known.detail))
    answer = problem(request.scope, known.status_code, code, detail)
    answer.headers.update(known.headers or {})
    return answer


async def misshapen(request: Request, error: Exception) -> Response:
    """A parameter or a body that does not fit its model."""
    known = cast("RequestValidationError", error)
    found = list(_faults(known.errors(), known.body))
    if any(fault["code"] == "json_invalid" for fault in found):
        return problem(request.scope, 400, "malformed_request", "The body is not JSON.", faults=found)
    pointer, rule = found[0]["pointer"], found[0]["detail"]
    detail = rule if pointer in _PLACES else f"Invalid {_place(pointer)}. {rule}"
    return problem(request.scope, 422, "invalid_request", detail, faults=found)


def _faults(faults: Sequence[Mapping[str, Any]], body: object) -> Iterator[dict[str, str]]:
    """One for each place, without the value: it may be a secret."""
    places = group_faults((fault for fault in faults if fault["loc"][0] == "body"), body, skip=1)
    for fault in faults:
        where, *steps = map(str, fault["loc"])
        if where != "body":
            places.setdefault(" ".join([where, *steps[:1]]), []).append(fault)
    for pointer, found in places.items():
        yield {"pointer": pointer, "code": str(found[0]["type"]), "detail": describe_faults(found)}


def _place(pointer: str) -> str:
    """A place in words: a pointer into the body, or a parameter."""
    where, _, name = pointer.partition(" ")
    return {"": "body", "query": f"parameter {name}", "path": f"{name} in the path"}.get(where, pointer)


async def broken(request: Request, error: Exception) -> Response:
    """A fault of our own: the log has it, the caller gets the request id."""
    facts = {"event": "internal_error", "request_id": request.scope.get("request_id"), "path": request.url.path}
    log.error("Internal error.", extra={"facts": facts}, exc_info=error)
    answer = problem(request.scope, 500, "internal_error", OWN["internal_error"][1])
    named = (b"x-request-id", str(facts["request_id"]).encode())
    answer.raw_headers = completed(answer.raw_headers, named, is_https=request.url.scheme == "https")  # no limits here
    return answer
