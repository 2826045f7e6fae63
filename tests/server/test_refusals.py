"""What a refused request says: a sentence, and a pointer for each fault."""

from __future__ import annotations

from typing import Any

import pytest

from tests.server.site import Cast, Site

DEFINITIONS = "/admin/jobs/definitions"


async def test_the_help_for_a_request_without_a_key_is_readable(site: Site) -> None:
    refused = await site.nobody.get("/jobs")

    assert (refused.status, refused.code) == (401, "unauthenticated")
    assert refused.json["detail"] == (
        'Send an API key in the header "Authorization", after the word Bearer. A browser signs in at /sign-in.'
    )


@pytest.mark.parametrize(
    ("body", "faults"),
    [
        ({"backoff": "nope"}, {"/backoff": 'It must be an object, or "jobforge" or "ayb".'}),
        ({"backoff": {"base": -1}}, {"/backoff/base": "It must be at least 0."}),
        ({"arg_schema": [1]}, {"/arg_schema": "It must be an object, or true or false."}),
        (
            {"priority": 2000, "colour": 1},
            {"/priority": "It must be at most 1000.", "/colour": "There is no such field."},
        ),
    ],
    ids=str,
)
async def test_a_pointer_leads_into_the_request_and_no_place_is_named_twice(
    site: Site, cast: Cast, body: dict[str, Any], faults: dict[str, str]
) -> None:
    refused = await cast.root.post(DEFINITIONS, {"key": "refused", **body})

    assert (refused.status, refused.code) == (422, "invalid_request")
    assert [(each["pointer"], each["detail"]) for each in refused.json["errors"]] == [*faults.items()]
    place, rule = next(iter(faults.items()))
    assert refused.json["detail"] == f"Invalid {place}. {rule}"


async def test_the_backoff_of_a_schedule_has_the_same_pointers(site: Site, cast: Cast) -> None:
    definition = await site.define()
    body = {"label": "x", "cron_expr": "5 * * * *", "definition_key": definition.key, "backoff": "nope"}

    refused = await cast.alice.post("/schedules", body)

    assert [each["pointer"] for each in refused.json["errors"]] == ["/backoff"]


@pytest.mark.parametrize(
    ("query", "pointer", "detail"),
    [
        ({"colour": "red"}, "query", 'There is no filter "colour". Check the spelling.'),
        ({"limit": "1000"}, "query limit", "Invalid parameter limit. It must be at most 200."),
        ({"status": "odd"}, "query status", None),
    ],
)
async def test_a_bad_parameter_is_named(
    site: Site, cast: Cast, query: dict[str, str], pointer: str, detail: str | None
) -> None:
    refused = await cast.alice.get("/jobs", **query)

    assert [each["pointer"] for each in refused.json["errors"]] == [pointer]
    assert detail in (None, refused.json["detail"])
    assert all(each["detail"].endswith(".") for each in refused.json["errors"])


async def test_the_details_of_a_payloads_faults_are_sentences(site: Site, cast: Cast) -> None:
    definition = await site.define(
        arg_schema={"type": "object", "required": ["a"], "properties": {"b": {"type": "null"}}}
    )

    refused = await cast.alice.post("/jobs", {"definition_key": definition.key, "payload": {"b": 1}})

    assert len(refused.json["errors"]) == 2
    assert all(each["detail"].endswith(".") for each in refused.json["errors"])


@pytest.mark.parametrize("path", ["", "/attempts", "/result", "/logs", "/explain"])
async def test_a_missing_job_is_named_in_one_way(site: Site, cast: Cast, path: str) -> None:
    missing = "01936f7e-2f0a-7c41-9a53-0f6f3b1f2d11"

    refused = await cast.alice.get(f"/jobs/{missing}{path}")

    assert (refused.code, refused.json["detail"]) == ("job_not_found", f"There is no job {missing}.")
