"""The values that new definitions and tenants get from the settings, and backoff policies by name."""

from __future__ import annotations

from collections import Counter
from typing import Any

import pytest

from jobplane import Backoff, Invalid, Jobplane

JOBFORGE = Backoff(base=1, factor=2, cap=3600, jitter=0)
AYB = Backoff(base=5, factor=2, cap=300, jitter=0)


@pytest.fixture
def seven(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("JOBPLANE_MAX_ATTEMPTS_DEFAULT", "7")


@pytest.mark.usefixtures("seven")
def test_a_definition_that_names_no_attempts_has_those_of_the_settings(jp: Jobplane) -> None:
    @jp.job("plain")
    def plain() -> None: ...

    @jp.job("once", max_attempts=1)
    def once() -> None: ...

    jp.sync()
    jobs = [plain.enqueue(), once.enqueue(), plain.options(max_attempts=2).enqueue()]

    assert {known.key: known.max_attempts for known in jp.definitions()} == {"plain": 7, "once": 1}
    assert [jp.get(job).max_attempts for job in jobs] == [7, 1, 2]


@pytest.mark.usefixtures("seven")
def test_a_definition_by_hand_has_them_too_and_keeps_what_it_has(jp: Jobplane) -> None:
    assert jp.create_definition({"key": "made"}).max_attempts == 7
    assert jp.create_definition({"key": "named", "max_attempts": 2}).max_attempts == 2
    jp.put_definitions([{"key": "put"}, {"key": "named", "description": "changed"}])

    assert {known.key: known.max_attempts for known in jp.definitions()} == {"made": 7, "named": 2, "put": 7}
    assert jp.get(jp.enqueue("put")).max_attempts == 7


@pytest.mark.usefixtures("seven")
def test_so_have_more_than_a_page_holds(jp: Jobplane) -> None:
    documents = [{"key": f"job-{number:04}", "kind": "python"} for number in range(1500)]
    jp.put_definitions([{**document, "max_attempts": 2} for document in documents])

    put = jp.put_definitions([*documents, {"key": "new"}])

    assert Counter(known.max_attempts for known in put) == {2: 1500, 7: 1}
    assert Counter(known.max_attempts for known in jp.definitions()) == {2: 1500, 7: 1}


def test_without_the_setting_a_definition_has_three_attempts(jp: Jobplane) -> None:
    @jp.job("plain")
    def plain() -> None: ...

    jp.sync()
    jp.put_definitions([{"key": "put"}])

    assert {known.max_attempts for known in jp.definitions()} == {3}


def test_a_new_tenant_has_the_limits_of_the_settings(jp: Jobplane, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("JOBPLANE_MAX_IN_FLIGHT_DEFAULT", "5")
    monkeypatch.setenv("JOBPLANE_MAX_PENDING_DEFAULT", "1000")

    made = [
        jp.create_tenant("plain"),
        jp.create_tenant("own", max_in_flight=2, max_pending=20),
        jp.create_tenant("free", max_in_flight=None, max_pending=None),
    ]

    assert [(tenant.max_in_flight, tenant.max_pending) for tenant in made] == [(5, 1000), (2, 20), (None, None)]


def test_without_the_settings_a_new_tenant_has_no_limits(jp: Jobplane) -> None:
    tenant = jp.create_tenant("plain")

    assert (tenant.max_in_flight, tenant.max_pending) == (None, None)


def test_a_backoff_has_a_name(jp: Jobplane) -> None:
    @jp.job("forge", backoff="jobforge")
    def forge() -> None: ...

    jp.sync()
    made = jp.create_definition({"key": "made", "backoff": "ayb"})
    jp.put_definitions([{"key": "put", "backoff": "jobforge"}])
    changed = jp.change_definition("put", {"backoff": "ayb"})
    schedule = jp.schedules.create("nightly", forge, cron_expr="@daily", backoff="ayb")

    assert jp.get_definition("forge").backoff == JOBFORGE
    assert made.backoff == changed.backoff == AYB
    assert Backoff(**(schedule.backoff or {})) == AYB  # pyright: ignore[reportArgumentType] numbers


def test_a_backoff_of_an_unknown_name_is_refused(jp: Jobplane) -> None:
    name: Any = "jobforg"
    said = 'Unknown backoff "jobforg". Use jobforge or ayb, or the numbers of a policy'

    with pytest.raises(Invalid, match=said):
        jp.job("forge", backoff=name)
    with pytest.raises(Invalid, match=said):
        jp.create_definition({"key": "made", "backoff": name})
    with pytest.raises(Invalid, match=said):
        jp.put_definitions([{"key": "made", "backoff": name}])


@pytest.mark.usefixtures("seven")
def test_what_is_no_document_is_refused_as_such(jp: Jobplane) -> None:
    nothing: Any
    for nothing in ("made", None, 7):
        with pytest.raises(Invalid, match="must be a JSON object"):
            jp.put_definitions([nothing])
