"""The options of a job have the same names wherever they are listed."""

from __future__ import annotations

from dataclasses import fields
from datetime import timedelta
from typing import Any, cast

import pytest

from jobplane.api.options import NO_OPTIONS, OptionFields
from jobplane.core.errors import Invalid
from jobplane.core.model import NewJob, OnDuplicate
from jobplane.store.postgres.calls import enqueue as postgres
from jobplane.store.sqlite.verbs import facts
from jobplane.testing.matching import Facts

OPTIONS = {field.name for field in fields(NewJob)} - {"definition", "payload"}


def test_every_option_of_a_job_is_a_keyword() -> None:
    assert OptionFields.__annotations__.keys() == OPTIONS - {"delay_seconds"} | {"delay", "tenant", "conn"}


def test_every_option_of_a_job_reaches_postgresql() -> None:
    assert postgres.OPTIONS.keys() == OPTIONS


def test_every_option_of_a_job_reaches_sqlite() -> None:
    columns = facts.ANY.partition("(")[2].partition(")")[0].split(", ")

    assert OPTIONS - {"queue", "delay_seconds", "on_duplicate"} <= {*columns}


def test_a_test_asserts_options_only() -> None:
    assert Facts.__annotations__.keys() <= OptionFields.__annotations__.keys()


def test_two_rounds_of_options_add_up() -> None:
    first = NO_OPTIONS.replace(tenant="acme", queue="slow", priority=3, delay=2.5, on_duplicate="replace")
    second = first.replace(priority=None, delay=timedelta(minutes=1))

    assert first.new_job("d", {}).priority == 3
    assert second.tenant == "acme"
    assert second.new_job("d", {"n": 1}) == NewJob(
        definition="d", payload={"n": 1}, queue="slow", delay_seconds=60.0, on_duplicate=OnDuplicate.REPLACE
    )


def test_a_keyword_that_is_no_option_is_refused_where_it_is_written() -> None:
    with pytest.raises(TypeError, match=r'Unknown option "prio"\. Did you mean "priority"'):
        NO_OPTIONS.replace(**cast("Any", {"prio": 1, "retries": 2}))
    with pytest.raises(TypeError, match=r'"delay_seconds"\. Did you mean "delay"'):
        NO_OPTIONS.replace(**cast("Any", {"delay_seconds": 1}))


def test_a_wrong_answer_to_duplicates_is_refused_with_the_job() -> None:
    options = NO_OPTIONS.replace(on_duplicate=cast("Any", "drop"))

    with pytest.raises(Invalid, match="on_duplicate must be"):
        options.new_job("d", {})
