"""Every function, called by every login with arguments aimed at alice, whatever tenant the connection names."""

from __future__ import annotations

from typing import Final

import pytest

from tests.tenancy.attack import DENIED, GARBAGE, NO_TENANT, SETTINGS, Answer, attack, shows
from tests.tenancy.catalog import LOGINS, Function, functions, may_execute
from tests.tenancy.town import HUSH, Town

# Verbs of the engine for all tenants: workers run anybody's jobs, an admin names the tenants, a slug stands for its id.
SERVE_ALL: Final = {
    "all_activity", "changes", "claim", "create_key", "find_jobs", "list_all_jobs", "list_all_triggers", "list_audit",
    "list_keys", "list_problems", "list_tenants", "pause_tenants", "prune_jobs", "resume_tenants", "set_tenant",
    "tenant_depths", "tenant_id_of", "tenant_slugs",
}  # fmt: skip
MAKES_ROWS: Final = {"create_trigger", "enqueue", "enqueue_many", "reserve_reply"}
READS_TENANT: Final = {"tenant_clock"}
FORMS: Final = (True, False)


@pytest.mark.parametrize("setting", [*SETTINGS, "charlie"])
@pytest.mark.parametrize("login", LOGINS)
def test_no_function_shows_another_tenants_rows(town: Town, login: str, setting: str) -> None:
    tenant = SETTINGS[setting] if setting in SETTINGS else str(town.charlie)
    conn, allowed = town.db.connect(login), may_execute(town.db, login)

    faults = [
        (function.name, answer)
        for function in functions(town.db)
        if function.oid in allowed or setting == "charlie"  # a refusal does not look at the setting
        for brief in FORMS
        for answer in [attack(conn, function, town.target, tenant, brief=brief)]
        if _fault(town, function, answer, function.oid in allowed)
    ]

    assert not faults


def _fault(town: Town, function: Function, answer: Answer, is_allowed: bool) -> bool:
    if not is_allowed:
        return answer.sqlstate != DENIED
    if answer.sqlstate == DENIED:
        return True
    return function.name not in SERVE_ALL and shows(answer, [HUSH, town.alice])


@pytest.mark.parametrize("setting", SETTINGS)
@pytest.mark.parametrize("login", ["app", "admin"])
def test_a_door_needs_a_tenant_that_there_is(town: Town, login: str, setting: str) -> None:
    conn, doors = town.db.connect(login), [function for function in functions(town.db) if function.is_door]

    answers = {f.name: attack(conn, f, town.target, SETTINGS[setting], brief=True) for f in doors}

    if setting == "stranger":
        assert {name for name, answer in answers.items() if answer.sqlstate == "JP011"} == MAKES_ROWS | READS_TENANT
    else:
        assert {answer.sqlstate for answer in answers.values()} <= {NO_TENANT, GARBAGE}


def test_a_tenants_function_answers_charlie_as_if_alice_had_never_been(town: Town) -> None:
    nothing, differs = town.target.like_nothing(), list[tuple[str, Answer, Answer]]()
    for function in _tenants_functions(town):
        for brief in FORMS:
            of_alice, of_nothing = (
                attack(town.app, function, target, str(town.charlie), brief=brief).about(target)
                for target in (town.target, nothing)
            )
            if of_alice != of_nothing:
                differs.append((function.name, of_alice, of_nothing))

    assert not differs


def test_the_same_calls_reach_alices_rows_when_alice_makes_them(town: Town) -> None:
    """Or the attacks above would be aimed at nothing."""
    missed = [
        function.name
        for function in functions(town.db)
        if function.is_door and all(_same_for_both(town, function, brief) for brief in FORMS)
    ]

    assert not missed


def _same_for_both(town: Town, function: Function, brief: bool) -> bool:
    one, other = (
        attack(town.app, function, town.target, str(tenant), brief=brief) for tenant in (town.alice, town.charlie)
    )
    return one.about(town.target) == other.about(town.target)


def _tenants_functions(town: Town) -> list[Function]:
    """What an application may call, but for the one that turns a slug into an id."""
    allowed = may_execute(town.db, "app")
    return [f for f in functions(town.db) if f.oid in allowed and f.name != "tenant_id_of"]
