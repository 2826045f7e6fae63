"""Make what a keeper is told to run: argv, environment and files of one attempt, with its secrets resolved."""

from __future__ import annotations

import secrets
from collections.abc import Mapping
from dataclasses import asdict
from typing import Final

from jobplane.core.claimed import PAYLOAD, REST, ClaimedJob
from jobplane.core.command import Call, Command, build_argv, build_environment, build_files
from jobplane.core.decoding import refuse_undecodable
from jobplane.core.errors import InvalidPayload, JobplaneError
from jobplane.core.leases import Ending
from jobplane.core.model import Document, Outcome
from jobplane.core.references import Reference, read_reference, require_references
from jobplane.core.schema import stored_judge
from jobplane.execution.secrets import SecretRefused, resolve
from jobplane.worker.allowlist import Approved
from jobplane.worker.commands.protocol import Order
from jobplane.worker.policy import Policy

_RETRIED: Final = "secret_missing"  # the file may not be mounted yet


class _Secrets:
    """Resolves references of one attempt, and keeps each value so that it can be masked."""

    def __init__(self, policy: Policy, job: ClaimedJob) -> None:
        self._policy = policy
        self._tenant_id = job.tenant_id
        self.values: list[str] = []

    def resolve(self, template: str, value: str | Reference) -> str:
        """The value itself, or the secret that it names. `template` is the definition's text for it."""
        if isinstance(value, str):
            return value
        is_own = read_reference(template) is not None
        grants = self._policy.secrets if is_own else self._policy.payload_secrets
        secret = resolve(value, grants, self._tenant_id, "secrets" if is_own else "payload_secrets")
        self.values.append(secret)
        return secret


def make_order(approved: Approved, policy: Policy, job: ClaimedJob) -> Order:
    """Judge the payload and build the order. Raises InvalidPayload and SecretRefused."""
    command, entry = approved.command, approved.entry
    payload = _judged(approved, job)
    call = Call(job.tenant_id, job.job_id, job.attempt_no)
    found = _Secrets(policy, job)
    named = build_environment(command, payload, call).items()
    environment = {name: found.resolve(command.environment[name], value) for name, value in named}
    files = {name: found.resolve(command.files[name], each) for name, each in build_files(command, payload).items()}
    return Order(
        name=f"{job.job_id}-{job.attempt_no}",
        seq=job.seq,
        argv=build_argv(command, payload, call),
        environment={**entry.environment, **environment, **_own_environment(job)},
        files=files,
        masks=found.values,
        stdin=_stdin(command, job),
        uid=entry.user.uid,
        gid=entry.user.gid,
        groups=list(entry.user.groups),
        work_dir=str(entry.work_dir),
        limits={name: value for name, value in asdict(entry.limits).items() if value is not None},
        timeout_seconds=job.timeout_seconds,
        grace_seconds=entry.grace_seconds,
    )


def _judged(approved: Approved, job: ClaimedJob) -> Document:
    if job.fields[REST]:
        refuse_undecodable(job.undecodable)
    payload = job.payload
    stored_judge(approved.definition).check(payload)
    require_references(approved.definition.arg_schema, payload)
    return payload


def _stdin(command: Command, job: ClaimedJob) -> str | None:
    return job.fields[PAYLOAD].decode() if command.stdin == "payload" else None


def _own_environment(job: ClaimedJob) -> Mapping[str, str]:
    return {
        "JOBPLANE_JOB_ID": str(job.job_id),
        "JOBPLANE_TENANT_ID": str(job.tenant_id),
        "JOBPLANE_ATTEMPT": str(job.attempt_no),
        "TRACEPARENT": job.trace_context or f"00-{job.ids()['trace_id']}-{secrets.token_hex(8)}-00",
    }


def end_refused(error: JobplaneError) -> Ending:
    """The ending of an attempt that could not be started with its payload: no process was started."""
    outcome = Outcome.FAILED if error.code == _RETRIED else Outcome.FATAL
    return Ending(outcome, error.code, error.message)


REFUSALS: Final = (InvalidPayload, SecretRefused)
