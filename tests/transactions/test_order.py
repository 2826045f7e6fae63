"""The plan of a lent call looks at the tenant, sets it, calls and puts it back: in this order, whatever the planner."""

from __future__ import annotations

from typing import Any, Final

import psycopg
import pytest

from jobplane.core.model import DEFAULT_TENANT
from jobplane.store.postgres.calls import enqueue, jobs
from jobplane.store.postgres.calls.call import Call
from jobplane.store.postgres.lent import lent_statement, texts
from jobplane.store.verbs.jobs import Cancel, Enqueue, GetJobs, RetryJobs
from tests.database import Database
from tests.transactions.blocking_stacks import app_url
from tests.transactions.jobs import NOBODY, new

CALLS: Final[dict[str, Call[Any]]] = {
    "enqueue_many": enqueue.enqueue_many(Enqueue(DEFAULT_TENANT, [new()])),
    "get_jobs": jobs.get_jobs(GetJobs(DEFAULT_TENANT, [NOBODY])),
    "cancel": jobs.cancel(Cancel(DEFAULT_TENANT, [NOBODY])),
    "retry": jobs.retry(RetryJobs(DEFAULT_TENANT, [NOBODY])),
}
PLANNERS: Final = {
    "default": "set enable_nestloop = on",
    "no-nested-loops": "set enable_nestloop = off",
    "no-collapse": "set from_collapse_limit = 1; set join_collapse_limit = 1",
    "genetic": "set geqo_threshold = 2; set geqo_seed = 0.7",
    "generic": "set plan_cache_mode = force_generic_plan",
    "parallel": "set parallel_setup_cost = 0; set parallel_tuple_cost = 0",
}


@pytest.mark.parametrize("function", CALLS)
def test_look_set_call_put_back(db: Database, function: str) -> None:
    call = CALLS[function]
    explain = "explain (verbose, format json) " + lent_statement(call.statement)
    with psycopg.connect(app_url(db)) as conn:
        for name, settings in PLANNERS.items():
            conn.execute(settings.encode())
            [[[plan]]] = conn.execute(explain.encode(), texts(call.parameters)).fetchall()
            conn.rollback()

            assert steps(plan["Plan"], function) == ["look", "look", "set", function, "put back", "put back"], name


def steps(node: dict[str, Any], function: str) -> list[str]:
    """What the nodes do, in the order in which they first do it: a nested loop asks its inner side for an outer row."""
    found = [step for child in node.get("Plans", []) for step in steps(child, function)]
    if node.get("Function Name") == function:
        return [*found, function]
    return [*found, *(own for text in node.get("Output", []) if (own := _own(text)))]


def _own(text: str) -> str | None:
    """What a node computes itself; a value that it passes on is in parentheses."""
    if text.startswith("("):
        return None
    if text.startswith("set_config("):
        return "put back" if "current_setting(" in text else "set"
    return "look" if "current_setting(" in text else None
