"""A stock server has `jit = on`: no verb may depend on how the server or a session is set."""

from __future__ import annotations

from jobplane.store.postgres import source
from tests.database import Database


def test_every_verb_switches_the_compiler_off(db: Database) -> None:
    verbs = {name for file in source.load().code if file.name.startswith("verbs/") for name in file.routines}

    rows = db.peek("select proname, proconfig from pg_proc where pronamespace = 'jobplane'::regnamespace")

    without = {name for name, settings in rows if name in verbs and "jit=off" not in (settings or [])}
    assert verbs
    assert without == set()
