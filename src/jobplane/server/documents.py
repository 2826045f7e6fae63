"""What the API says of itself: OpenAPI, a page for people, `/llms.txt`, and a text for each error code."""

from __future__ import annotations

import inspect
from collections.abc import Iterator
from functools import cache
from html import escape
from typing import Any, Final

from fastapi import APIRouter, FastAPI, Request, Response
from fastapi.openapi.utils import get_openapi
from fastapi.routing import APIRoute

from jobplane.control.access import BESIDE, OPEN, Policy
from jobplane.core import errors
from jobplane.core.bounds import show
from jobplane.server.problems import MEDIA_TYPE, OWN, status_of
from jobplane.server.rendering import answer
from jobplane.server.shapes import ProblemBody

router: Final = APIRouter(include_in_schema=False)
_STATUSES: Final = {
    400: "The body is not JSON.",
    401: "No API key and no session, or one that is not valid.",
    403: "The key's role does not allow this operation, or the request came from another site.",
    404: "There is no such thing, or it belongs to another tenant.",
    408: "The body did not arrive in time.",
    409: "The present state does not allow it.",
    412: "The thing has changed since the caller read it: `If-Match` has another ETag.",
    413: "The body is too large.",
    415: "The body is not JSON, or it is compressed.",
    422: "A value is missing or wrong; `errors` says which.",
    429: "Too many requests, or a quota is used up; `Retry-After` says when to try again.",
    503: "The database is out of reach, or the server is busy; `Retry-After` says when to try again.",
}
PROBLEMS: Final[dict[int | str, dict[str, Any]]] = {
    status: {"model": ProblemBody, "description": text} for status, text in _STATUSES.items()
}
_BEFORE_THE_KEY: Final = ("401", "408", "413", "415")  # such requests are refused before their key is known
_HEADERS: Final = {
    name: {"description": text, "schema": {"type": "string"}}
    for name, text in {
        "Link": 'Where the next page is, `rel="next"`; not on the last page.',
        "Retry-After": "Seconds until it is worth trying again.",
        "RateLimit": '`"key";r=998;t=1`: this key has 998 requests left, and all of them again in 1 s.',
        "RateLimit-Policy": '`"key";q=1000;w=2`: a key may make 1,000 requests in 2 s.',
    }.items()
}


def error_kinds() -> Iterator[type[errors.JobplaneError]]:
    """Every error of the tree."""
    kinds = [errors.JobplaneError]
    for kind in kinds:
        yield kind
        kinds += [each for each in kind.__subclasses__() if each.__module__ == errors.__name__]


def codes() -> dict[str, tuple[int, str]]:
    """Every code that a problem may have: its status, and a sentence."""
    found = {kind.code: (status_of(kind("")), _about(kind)) for kind in error_kinds()}
    return dict(sorted({**found, **OWN}.items()))


def _about(kind: type[errors.JobplaneError]) -> str:
    text = kind.__dict__.get("__doc__") or kind.__mro__[1].__doc__ or ""
    return " ".join(inspect.cleandoc(text).split())


def describe(app: FastAPI) -> None:
    """Let the app make its OpenAPI document when it is first asked for: that takes 170 ms."""
    app.openapi = cache(lambda: _document(app))


def _document(app: FastAPI) -> dict[str, Any]:
    """The document with roles, and with the media type that problems really have."""
    document = get_openapi(
        title=app.title, version=app.version, summary=app.summary, routes=app.routes, openapi_version="3.1.0"
    )
    document["components"]["securitySchemes"] = {
        "key": {"type": "http", "scheme": "bearer"},
        "session": {"type": "apiKey", "in": "cookie", "name": "__Host-jobplane"},
    }
    document["security"] = [{"key": []}, {"session": []}]
    document["servers"] = [{"url": app.root_path or "/"}]
    for path in document["paths"].values():
        for operation in path.values():
            _finish(operation, _policy(app))
    return document


def _policy(app: FastAPI) -> Policy:
    return app.state.jobplane.policy


def _finish(operation: dict[str, Any], policy: Policy) -> None:
    name = operation["operationId"]
    if name in OPEN:
        operation["security"] = []
        allowed = "No key is needed."
    else:
        least = policy.least(name)
        operation["x-least-role"] = str(least)
        beside = [str(role) for role in BESIDE if policy.may(role, name)]
        also = f" Also: `{'`, `'.join(beside)}`." if beside else ""
        allowed = f"Least role: `{least}`.{also}"
    operation["description"] = f"{operation.get('description', '')}\n\n{allowed}"
    if not any(parameter["name"] == "If-Match" for parameter in operation.get("parameters", ())):
        operation["responses"].pop("412", None)
    is_list = any(parameter["name"] == "cursor" for parameter in operation.get("parameters", ()))
    for status, response in operation["responses"].items():
        response["headers"] = {name: _HEADERS[name] for name in _header_names(status, is_list=is_list)}
        if status in map(str, PROBLEMS):
            response["content"] = {MEDIA_TYPE: response["content"].pop("application/json")}


def _header_names(status: str, *, is_list: bool) -> Iterator[str]:
    """The headers of an answer that are worth a program's look."""
    if status == "200" and is_list:
        yield "Link"
    if status in ("429", "503"):
        yield "Retry-After"
    if status not in _BEFORE_THE_KEY:
        yield from ("RateLimit", "RateLimit-Policy")


def operations(app: FastAPI) -> list[tuple[str, str, str, str, str]]:
    """Method, path, operationId, least role and a sentence of each operation, in the order of the routes."""
    return [
        (
            "".join(route.methods or ()),
            route.path,
            route.operation_id,
            "none" if route.operation_id in OPEN else str(_policy(app).least(route.operation_id)),
            _first(route),
        )
        for route in app.routes
        if isinstance(route, APIRoute) and route.include_in_schema and route.operation_id
    ]


def _first(route: APIRoute) -> str:
    return route.description.partition("\n")[0]


@router.get("/api/openapi.json")
async def openapi(request: Request) -> Response:
    """The OpenAPI document."""
    return answer(request.app.openapi())


@router.get("/api/errors/{code}")
async def explain_code(code: str) -> Response:
    """What a code means; where `type` of a problem leads."""
    known = codes()
    status, text = known.get(code, (404, f"There is no code {show(code, 80)}."))
    return Response(f"{code} ({status})\n\n{text}\n", 200 if code in known else 404, media_type="text/plain")


@router.get("/llms.txt")
async def llms(request: Request) -> Response:
    """The API in a few lines, for programs that read."""
    rows = [
        f"- {method} {path}: {about} Least role: {role}." for method, path, _, role, about in operations(request.app)
    ]
    text = [
        "# jobplane",
        "",
        "> A multi-tenant jobs control plane: define a job once, start it over HTTP, watch it, retry it.",
        "",
        "Send `Authorization: Bearer KEY`. Bodies are JSON. Lists have items and next_cursor. Errors are",
        "application/problem+json with a stable `code`; /api/errors/CODE explains one.",
        "The whole API: /api/openapi.json",
        "",
        "## Operations",
        "",
        *rows,
        "",
    ]
    return Response("\n".join(text), media_type="text/plain; charset=utf-8")


@router.get("/api/docs")
async def page(request: Request) -> Response:
    """The operations as a page without scripts, and without anything from elsewhere."""
    rows = "".join(
        f"<tr><td><code>{method}</code><td><code>{escape(path)}</code><td><code>{name}</code><td>{role}"
        f"<td>{escape(about)}"
        for method, path, name, role, about in operations(request.app)
    )
    problems_ = "".join(
        f"<tr><td><code>{code}</code><td>{status}<td>{escape(text)}" for code, (status, text) in codes().items()
    )
    return Response(
        _PAGE.format(rows=rows, problems=problems_),
        media_type="text/html; charset=utf-8",
        headers={"Content-Security-Policy": "default-src 'none'; style-src 'unsafe-inline'"},
    )


_PAGE: Final = """<!doctype html><html lang="en"><meta charset="utf-8"><title>jobplane API</title>
<style>:root{{color-scheme:light dark}}
body{{font:15px/1.5 system-ui,sans-serif;margin:2rem auto;max-width:70rem;padding:0 1rem}}
table{{border-collapse:collapse;width:100%}}td,th{{text-align:left;padding:.3rem .6rem;border-bottom:1px solid #8884}}
code{{font-size:.9em}}</style>
<h1>jobplane API</h1>
<p>Send <code>Authorization: Bearer KEY</code>. The whole description with every field is
<a href="openapi.json">openapi.json</a>.</p>
<h2>Operations</h2><table><tr><th>Method<th>Path<th>Operation<th>Least role<th>What it does{rows}</table>
<h2>Error codes</h2><table><tr><th>Code<th>Status<th>Meaning{problems}</table></html>"""
