"""Writes docs/reference/rest.md from the OpenAPI document: `python -m tools.rest`."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Final

from jobplane.config import Config
from jobplane.control.access import BESIDE
from jobplane.server.app import make_app
from jobplane.server.documents import codes
from jobplane.store.sqlite.store import SqliteStore

PAGE: Final = Path(__file__).parents[1] / "docs/reference/rest.md"
_HEAD: Final = """\
# REST

Every operation under `/api/v1`. This page is made from the OpenAPI document by `.venv/bin/python -m
tools.rest`; a running server has the document at `/api/openapi.json`, a page at `/api/docs`, and a
short text for programs at `/llms.txt`.

- Send `Authorization: Bearer KEY`: [API keys](../how-to/api-keys.md). A browser sends the cookie of
  a [session](../how-to/sign-in.md) instead, which stands for the key that signed in. A key sees its
  own tenant. A super admin names one in the header `X-Jobplane-Tenant`, by slug or id; without it
  reads go across tenants, and what changes a tenant's things is refused with `tenant_required`.
- Bodies are JSON. An unknown field or parameter is an error. Times are RFC 3339 in UTC.
- A list has `items` and `next_cursor`, which is null on the last page: send it back as `cursor`.
  The header `Link` has the address of the next page, with `rel="next"`. `scanned_all` is false where
  a search stopped before it had found a full page. Pages have 1 to 200 items.
- Of the filters of jobs an index serves `status`, `worker_id`, `correlation_id`,
  `trigger_id`, `metadata[owner_user_id]`, `metadata[project_id]` and a whole id in `q`. The others look at 10,000
  jobs at most, `q` also for 2 seconds at most: then the page is short, and its cursor goes on.
- `?include=total` on the list of jobs adds `total`, which is counted up to 10,000. Where
  `total_is_capped` is true, the count has stopped there and there may be more: also where a filter
  that no index serves had to look at 10,000 jobs. It cannot be asked for together with `q`. Jobs of
  all tenants have the slug of theirs as `tenant`.
- A key may make `server_requests_per_second` requests, twice as many at once. The headers
  `RateLimit-Policy: "key";q=1000;w=2` and `RateLimit: "key";r=998;t=1` say how many it may make in
  how many seconds, how many are left, and when all of them are there again, as
  draft-ietf-httpapi-ratelimit-headers-10 has them. Each server process counts for itself.
- An error is `application/problem+json` with a stable `code`; the [codes](#codes) are below.
  `request_id` is in the log of the server, and in the header `X-Request-Id`; send one of your own
  and it is kept.
- `Idempotency-Key` on `enqueueJob`, `enqueueJobs` and `runJobAgain` makes a repeat safe for a day:
  it gets the same answer, with the header `Idempotency-Replayed: true`. The same key with another
  body is refused with `idempotency_mismatch`. `createKey` and `rotateKey` refuse it.
  `createTrigger` is safe to repeat where the trigger has a key, and `fireSchedule` makes another
  job each time. All other calls are safe to repeat without it.
- Values under names like `password`, `token` or `secret`, and credentials inside texts, are shown
  as `***`. Send `***` back in an edited payload, and the stored value is kept.
- What a page asks for again and again has a weak `ETag`: send it back as `If-None-Match`, and the
  answer is 304 without a body while nothing has changed. Answers say `Cache-Control: no-store`, so
  keep tag and body yourself.
"""


def document() -> dict[str, Any]:
    """The OpenAPI document of the REST API."""
    return make_app(Config(), SqliteStore(":memory:")).openapi()


def text() -> str:
    """The whole page."""
    found = document()
    parts = [_HEAD]
    group = ""
    for path, item in found["paths"].items():
        for method, operation in item.items():
            tag = operation["tags"][0]
            if tag != group:
                parts.append(f"## {tag.capitalize()}\n")
                group = tag
            parts.append(_operation(found, method.upper(), path, operation))
    return "\n".join([*parts, _codes()])


def _operation(document: Mapping[str, Any], method: str, path: str, operation: Mapping[str, Any]) -> str:
    name = operation["operationId"]
    about, _, _ = operation["description"].partition("\n\n")
    beside = [f"`{role}`" for role, allowed in BESIDE.items() if name in allowed]
    also = f"; also {', '.join(beside)}" if beside else ""
    lines = [f"### {name}", "", about.replace("\n", " "), "", "```", f"{method} {path}", "```", ""]
    role = operation.get("x-least-role")
    who = "No key is needed" if role is None else f"Least role: `{role}`{also}"
    lines += [f"{who}. Answers: {', '.join(_successes(operation))}.", ""]
    if rows := [*_parameters(operation)]:
        lines += ["| parameter | in | type | |", "|---|---|---|---|", *rows, ""]
    if model := _body(document, operation):
        lines += ["| field | type | |", "|---|---|---|", *_fields(model), ""]
        lines += ["```json", json.dumps(model["examples"][0], indent=2), "```", ""]
    return "\n".join(lines)


def _successes(operation: Mapping[str, Any]) -> list[str]:
    return [f"`{status}`" for status in operation["responses"] if status < "400"]


def _parameters(operation: Mapping[str, Any]) -> Iterator[str]:
    for each in operation.get("parameters", ()):
        about = each.get("description", "").replace("|", "\\|")
        needed = "Required. " if each.get("required") and each["in"] != "path" else ""
        yield f"| `{each['name']}` | {each['in']} | {_type(each['schema'])} | {needed}{about} |"


def _body(document: Mapping[str, Any], operation: Mapping[str, Any]) -> Mapping[str, Any] | None:
    content = operation.get("requestBody", {}).get("content", {}).get("application/json")
    if content is None:
        return None
    [reference] = [each["$ref"] for each in content["schema"].get("anyOf", [content["schema"]]) if "$ref" in each]
    return document["components"]["schemas"][reference.rpartition("/")[2]]


def _fields(model: Mapping[str, Any]) -> Iterator[str]:
    required = set(model.get("required", ()))
    for name, schema in model["properties"].items():
        yield f"| `{name}` | {_type(schema)} | {'Required.' if name in required else ''} |"


def _type(schema: Mapping[str, Any]) -> str:
    if "$ref" in schema:
        return schema["$ref"].rpartition("/")[2]
    if "anyOf" in schema:
        return " or ".join(dict.fromkeys(_type(each) for each in schema["anyOf"]))
    if schema.get("type") == "array":
        return f"list of {_type(schema['items'])}"
    if "enum" in schema:
        return ", ".join(f"`{each}`" for each in schema["enum"])
    low, high = schema.get("minimum"), schema.get("maximum")
    bounds = "" if high is None else f", {low or 0:g} to {high:.0f}"
    return f"{schema.get('format', schema.get('type', 'any'))}{bounds}"


def _codes() -> str:
    rows = [f"| `{code}` | {status} | {about} |" for code, (status, about) in codes().items()]
    head = "[Errors](errors.md) says what to do about each.\n\n| code | status | meaning |\n|---|---|---|"
    return "\n".join(["## Codes", "", head, *rows, ""])


if __name__ == "__main__":
    PAGE.write_text(text(), "utf-8")
