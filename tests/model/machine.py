"""One state machine over the specification and every store: its rules are the verbs."""

from __future__ import annotations

from tests.model.operator_rules import OperatorRules
from tests.model.tenant_rules import TenantRules
from tests.model.worker_rules import WorkerRules


class Lives(TenantRules, WorkerRules, OperatorRules):
    """The whole life of jobs."""
