"""Charlie, who knows alice's ids and keys, and every verb of a tenant."""

from __future__ import annotations

from contextlib import suppress
from typing import Final
from uuid import UUID, uuid4

import psycopg
import pytest

from tests.tenancy.attack import call
from tests.tenancy.catalog import functions
from tests.tenancy.town import KEY, Town, run

JOB_NOT_FOUND: Final = "JP010"
TRIGGER_NOT_FOUND: Final = "JP033"


@pytest.mark.parametrize("verb", ["cancel(%s)", "retry(%s)", "retry(%s, 5)", "reschedule(%s, null, 60)"])
def test_charlie_cannot_move_alices_jobs(town: Town, verb: str) -> None:
    ids, before = list(town.target.ids), town.facts(town.alice)

    answers = town.as_tenant(town.charlie, verb, ids)

    assert sorted(answers) == sorted((id_, "not_found", None) for id_ in ids)
    assert town.facts(town.alice) == before


def test_charlie_cannot_edit_alices_jobs(town: Town) -> None:
    before = town.facts(town.alice)

    answers = [town.as_tenant(town.charlie, "edit(%s, %s)", id_, '{"priority": 7}')[0] for id_ in town.target.ids]

    assert answers == [(id_, "not_found", None) for id_ in town.target.ids]
    assert town.facts(town.alice) == before


def test_charlie_gets_none_of_alices_jobs(town: Town) -> None:
    assert town.as_tenant(town.charlie, "get_jobs(%s)", list(town.target.ids)) == []


@pytest.mark.parametrize("verb", ["get_result(%s)", "get_output(%s, 1)", "list_attempts(%s)", "explain(%s)"])
def test_charlie_is_told_of_alices_job_what_a_job_is_told_of_that_never_was(town: Town, verb: str) -> None:
    def refusal(id_: UUID) -> tuple[str | None, str]:
        with pytest.raises(psycopg.Error) as refused:
            town.as_tenant(town.charlie, verb, id_)
        return refused.value.sqlstate, str(refused.value).replace(str(id_), "…")

    answers = {refusal(id_) for id_ in (*town.target.ids, uuid4())}

    assert {sqlstate for sqlstate, _ in answers} == {JOB_NOT_FOUND}
    assert len(answers) == 1


@pytest.mark.parametrize(
    "filters",
    ["", "array['queued']", "array['running']", "array['succeeded']",
     f"p_correlation_id => '{KEY}'", f"p_tags => array['{KEY}']",
     "p_worker_id => 'worker-1'", "p_definitions => array['shut']", "p_source => 'manual'"],
)  # fmt: skip
def test_charlie_lists_charlies_jobs(town: Town, filters: str) -> None:
    assert {row[1] for row in town.as_tenant(town.charlie, f"list_jobs({filters})")} <= {town.charlie, None}


@pytest.mark.parametrize(
    "verb",
    [
        'change_trigger(%s, \'{"label": "mine"}\')',
        "delete_trigger(%s)",
        "fire_trigger(%s, 1, 'manual', array[now()], array['{}'::jsonb])",
    ],
)
def test_charlie_is_told_of_alices_trigger_what_a_trigger_is_told_of_that_never_was(town: Town, verb: str) -> None:
    before, trigger = town.facts(town.alice), town.target.ids[0]

    def refusal(id_: UUID) -> tuple[str | None, str]:
        with pytest.raises(psycopg.Error) as refused:
            town.as_tenant(town.charlie, verb, id_)
        return refused.value.sqlstate, str(refused.value).replace(str(id_), "…")

    assert refusal(trigger) == refusal(uuid4())
    assert refusal(trigger)[0] == TRIGGER_NOT_FOUND
    assert town.facts(town.alice) == before


def test_charlie_lists_none_of_alices_triggers_and_fires(town: Town) -> None:
    trigger = town.target.ids[0]

    assert town.as_tenant(town.charlie, "list_triggers()") == []
    assert town.as_tenant(town.charlie, "list_triggers(array[%s::uuid])", trigger) == []
    assert town.as_tenant(town.charlie, "list_triggers(null, array[%s])", KEY) == []
    assert town.as_tenant(town.charlie, "list_fires(%s)", trigger) == []
    assert len(town.as_tenant(town.alice, "list_fires(%s)", trigger)) == 1


def test_charlie_uses_the_key_and_the_id_of_alices_trigger_as_if_they_were_free(town: Town) -> None:
    charlie, before = town.tenant(f"charlie-{uuid4()}"), town.facts(town.alice)
    at = "2100-01-01T00:05:00Z"
    times = f'"cron_expr": "5 0 * * *", "next_run_at": "{at}", "due_at": "{at}"'
    document = f'{{"id": "{town.target.ids[0]}", "key": "{KEY}", "label": "x", "definition_key": "d", {times}}}'

    [made] = town.as_tenant(charlie, "create_trigger(%s)", document)

    assert made[:3] == (town.target.ids[0], charlie, KEY)
    assert town.facts(town.alice) == before


def test_charlies_summary_counts_charlies_jobs(town: Town) -> None:
    somebody = town.tenant("somebody")

    assert town.as_tenant(somebody, "summary()")[0][:9] == (0,) * 9


@pytest.mark.parametrize("key", ["p_dedupe_key => 'alice-key'", "p_idempotency_key => 'alice-key'", "p_id => '{id}'"])
@pytest.mark.parametrize("on_duplicate", ["return", "replace", "postpone"])
def test_charlie_uses_alices_key_as_if_it_were_free(town: Town, key: str, on_duplicate: str) -> None:
    charlie, before = town.tenant(f"charlie-{uuid4()}"), town.facts(town.alice)
    named = key.format(id=town.target.ids[6])
    door = f"enqueue('d', '{{\"of\": 2}}', {named}, p_on_duplicate => '{on_duplicate}')"

    ((job_id, created, outcome),) = town.as_tenant(charlie, door)

    assert (created, outcome) == (True, "created")
    assert (job_id == town.target.ids[6]) is key.startswith("p_id =>")
    assert town.facts(town.alice) == before


@pytest.mark.parametrize(
    "column", ["p_dedupe_keys => %s::text[]", "p_idempotency_keys => %s::text[]", "p_ids => %s::uuid[]"]
)
def test_charlies_batch_uses_alices_keys_as_if_they_were_free(town: Town, column: str) -> None:
    charlie, before = town.tenant(f"charlie-{uuid4()}"), town.facts(town.alice)
    taken, free = (town.target.ids[6], uuid4()) if "uuid" in column else (KEY, "free")

    rows = town.as_tenant(charlie, f"enqueue_many('{{d,d}}', '{{\"{{}}\",\"{{}}\"}}', {column})", [taken, free])

    assert [row[2:] for row in rows] == [("created", None, None)] * 2
    assert town.facts(town.alice) == before


def test_nothing_that_charlie_calls_changes_a_row_of_alices(new_town: Town) -> None:
    """Every door, with arguments aimed at her, committed."""
    before = new_town.facts(new_town.alice)

    for function in functions(new_town.db):
        for brief in (True, False):
            if function.is_door:
                _commit(new_town, call(function, new_town.target, brief=brief))

    assert new_town.facts(new_town.alice) == before
    assert len(new_town.db.peek("select 1 from jobplane.jobs where tenant_id = %s", new_town.charlie)) > 1


def _commit(town: Town, statement: str) -> None:
    """One transaction; a refusal is as good as an answer."""
    with suppress(psycopg.Error), town.app.transaction():
        town.app.execute("select set_config('jobplane.tenant_id', %s, true)", [str(town.charlie)])
        run(town.app, statement.replace("%", "%%"))
