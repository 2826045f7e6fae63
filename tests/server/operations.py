"""Every operation of the OpenAPI document as a request, made from its own examples."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any

from fastapi import FastAPI

from tests.server.site import SAME_ORIGIN, Answer, Voice


@dataclass(frozen=True, slots=True)
class Operation:
    name: str
    method: str
    path: str
    body: Any
    query: Mapping[str, str]

    @property
    def changes(self) -> bool:
        return self.method != "GET"

    async def ask(self, voice: Voice, names: Mapping[str, str], **more: Any) -> Answer:
        """Call it as a page of the server itself does, with these values for the names in its path and its ids."""
        path = re.sub(r"\{(\w+)\}", lambda found: names[found[1]], self.path)
        headers = more.pop("headers", SAME_ORIGIN)
        if self.name == "streamChanges":  # never ends
            async with voice.open(path, headers) as answer:
                return answer
        return await voice.ask(self.method, path, self._named(names), params=dict(self.query), headers=headers, **more)

    def _named(self, names: Mapping[str, str]) -> Any:
        match self.name:
            case "cancelJobs" | "retryJobs":
                return {**self.body, "ids": [names["job_id"]]}
            case "createSession":
                return {"key": names["secret"]}
            case "createTenant":
                return {**self.body, "slug": f"new-{names['job_id']}"}
            case "createDefinition":
                return {**self.body, "key": f"new-{names['job_id']}"}
            case "createTrigger" | "createSchedule":
                return {**self.body, "definition_key": names["key"]}
            case "backfillSchedule":
                return {**self.body, **_last_day()}
            case _:
                return self.body


def operations(app: FastAPI) -> Iterator[Operation]:
    """All of them, in the order of the document."""
    document = app.openapi()
    for path, item in document["paths"].items():
        for method, operation in item.items():
            required = [
                each for each in operation.get("parameters", ()) if each["in"] == "query" and each.get("required")
            ]
            query = {each["name"]: "text" for each in required}
            if operation["operationId"] in ("previewTimetable", "simulateTimetable"):  # one of two is required
                query["cron_expr"] = "0 2 * * *"
            yield Operation(operation["operationId"], method.upper(), path, _body(document, operation), query)


def _last_day() -> dict[str, str]:
    until = datetime.now(UTC)
    return {"start": (until - timedelta(days=1)).isoformat(), "until": until.isoformat()}


def _body(document: Mapping[str, Any], operation: Mapping[str, Any]) -> Any:
    content = operation.get("requestBody", {}).get("content", {}).get("application/json")
    return None if content is None else example(document, content["schema"])


def example(document: Mapping[str, Any], schema: Mapping[str, Any]) -> Any:
    """The example of a body's model."""
    for name in schema.get("anyOf", [schema]):
        if "$ref" in name:
            model = document["components"]["schemas"][name["$ref"].rpartition("/")[2]]
            return model["examples"][0]
    raise AssertionError(f"a body without a model: {schema}")
