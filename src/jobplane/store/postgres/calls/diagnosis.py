"""Verbs that say what keeps jobs from running."""

from __future__ import annotations

from typing import Final

from jobplane.core.changes import Marks
from jobplane.core.decoding import Reader, as_texts
from jobplane.core.explanation import Evidence, Explanation, explain
from jobplane.core.model import JobStatus
from jobplane.core.problems import Finding
from jobplane.store.postgres.calls.call import Call, Rows, asks, door, uuids
from jobplane.store.verbs.jobs import Explain, FindProblems
from jobplane.store.verbs.operator import FindAllProblems, FindChanges

_EVIDENCE: Final = asks(Evidence)
_FINDING: Final = asks(Finding)
_MARKS: Final = asks(Marks)
_evidence: Final = Reader(Evidence, status=JobStatus)
_finding: Final = Reader(Finding, tenants=as_texts)


def explain_job(verb: Explain) -> Call[Explanation]:
    return door(verb.tenant, _EVIDENCE, "explain(%s::uuid)", (verb.job_id,), lambda rows: explain(_evidence(rows[0])))


def find_problems(verb: FindProblems) -> Call[list[Finding]]:
    return door(verb.tenant, _FINDING, "tenant_problems()", (), _findings)


def find_all_problems(verb: FindAllProblems) -> Call[list[Finding]]:
    return Call("admin", _FINDING + "list_problems(%s::int)", (verb.transactions,), _findings)


def find_changes(verb: FindChanges) -> Call[list[Marks]]:
    parameters = (uuids(verb.tenants), verb.all_tenants)
    statement = _MARKS + "changes(%s::uuid[], %s::boolean)"
    return Call("admin", statement, parameters, lambda rows: [Marks(*row) for row in rows])


def _findings(rows: Rows) -> list[Finding]:
    return [_finding(row) for row in rows]
