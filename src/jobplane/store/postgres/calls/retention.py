"""The retention: each call is one small step of a walk."""

from __future__ import annotations

from jobplane.core.retention import ArtifactsStep, JobsStep, LogsStep, PrunedJobs, PrunedLines, ReceiptsStep
from jobplane.store.postgres.calls.call import Call, Rows, array, one, texts
from jobplane.store.verbs.retention import DropLogBlock, FindArtifacts, PruneJobs, PruneLogs, PruneReceipts


def prune_jobs(verb: PruneJobs) -> Call[JobsStep]:
    pairs = (verb.counted or {}).items()
    return Call(
        "scheduler",
        "select tenant_id, definition_key, jobs, lines, oldest_at, counted, next_before, looked from"
        " jobplane.prune_jobs(%s::bigint, %s::int, %s::int, %s::int, %s::boolean, %s::uuid[], %s::text[], %s::int[])",
        (
            *(verb.before, verb.limit, verb.retention_days, verb.retention_count, verb.dry_run),
            array(tenant for (tenant, _), _ in pairs),
            texts(key for (_, key), _ in pairs),
            array(count for _, count in pairs),
        ),
        _jobs_step,
    )


def _jobs_step(rows: Rows) -> JobsStep:
    *found, last = rows
    return JobsStep([PrunedJobs(*row[:6]) for row in found], *last[6:])


def prune_logs(verb: PruneLogs) -> Call[LogsStep]:
    return Call(
        "scheduler",
        "select definition_key, jobs, lines, next_after, looked from jobplane.prune_lines("
        "%s::bigint, %s::int, %s::int, %s::boolean)",
        (verb.after, verb.limit, verb.retention_days, verb.dry_run),
        _logs_step,
    )


def _logs_step(rows: Rows) -> LogsStep:
    *found, last = rows
    return LogsStep([PrunedLines(*row[:3]) for row in found], *last[3:])


def drop_log_block(verb: DropLogBlock) -> Call[int]:
    return Call("scheduler", "select jobplane.prune_logs(%s::int)", (verb.retention_days,), one)


def prune_receipts(verb: PruneReceipts) -> Call[ReceiptsStep]:
    return Call(
        "scheduler",
        "select tenant_id, definition_id, idempotency_key, looked, gone from jobplane.prune_receipts("
        "%s::uuid, %s::int, %s::text, %s::int)",
        (*(verb.after or (None, None, None)), verb.limit),
        _receipts_step,
    )


def _receipts_step(rows: Rows) -> ReceiptsStep:
    [(tenant, definition, key, looked, gone)] = rows
    return ReceiptsStep(None if tenant is None else (tenant, definition, key), looked, gone)


def find_artifacts(verb: FindArtifacts) -> Call[ArtifactsStep]:
    return Call(
        "scheduler",
        "select digests, next_after from jobplane.list_artifacts(%s::bigint, %s::int)",
        (verb.after, verb.limit),
        lambda rows: ArtifactsStep(*rows[0]),
    )
