"""Every operation that changes something writes one row of the audit log, and every other one writes none."""

from __future__ import annotations

from typing import Final

from jobplane.core.model import Document, NewWorker, Outcome
from jobplane.core.outputs import CommandOutput, NewOutput
from tests.server.operations import operations
from tests.server.site import Cast, Site
from tests.server.test_access import EITHER, voice_by

# An enqueue is on record as the job itself, and so is a job that runs again. A preview changes nothing.
WITHOUT: Final = {"enqueueJob", "enqueueJobs", "runJobAgain", "previewCommand"}
COMMAND: Final[Document] = {"arg_schema": {"type": "object"}, "command": {"executable": "/usr/bin/true"}}


async def names_for(site: Site, cast: Cast, operation: str) -> dict[str, str]:
    """Things on which this operation has an effect."""
    root = cast.root.naming(cast.a.slug)
    definition = await site.define(max_attempts=1)
    command = COMMAND if operation == "previewCommand" else {}
    origin = await site.plane.definitions.create({"key": f"{definition.key}-db", **command})
    job = (await cast.alice.post("/jobs", {"definition_key": definition.key})).json["id"]
    if operation in ("retryJob", "retryJobs", "runJobAgain"):
        await site.end(definition, Outcome.FAILED)
    if operation == "getAttemptOutput":
        await site.store.write_outputs([NewOutput(await site.claim(definition), CommandOutput(pid=4711))])
    if operation == "resumeQueue":
        await root.post(f"/queues/{definition.queue}/pause")
    if operation == "resumeTenant":
        await root.post(f"/tenants/{cast.a.slug}/pause")
    if operation == "enableDefinition":
        await site.plane.definitions.disable(origin.key)
    spare = f"spare-{definition.key}"
    if operation == "deleteQueue":
        await site.plane.queues.put([spare])
    key = (await cast.alice.post("/keys", {"role": "viewer"})).json
    hourly = {"label": "hourly", "cron_expr": "5 * * * *", "definition_key": definition.key}
    trigger = (await cast.alice.post("/schedules", hourly)).json["id"]
    if operation == "enableSchedule":
        await cast.alice.post(f"/schedules/{trigger}/disable")
    worker = f"gone-{definition.key}"
    await site.store.register_worker(NewWorker(worker_id=worker, queues=["default"]))
    queue = spare if operation == "deleteQueue" else definition.queue
    return {
        "job_id": job, "name": queue, "tenant": cast.a.slug, "key": origin.key, "key_id": key["key_id"],
        "worker_id": worker, "secret": key["key"], "trigger": trigger, "attempt_no": "1",
    }  # fmt: skip


async def rows(site: Site) -> int:
    page = await site.store.list_audit(limit=1000)
    return page.items[0].audit_id if page.items else 0


@EITHER
async def test_each_change_is_one_row(site: Site, cast: Cast, by: str) -> None:
    wrong: list[tuple[str, int, int]] = []
    refused: set[str] = set()
    for operation in operations(site.app):
        names = await names_for(site, cast, operation.name)
        root = (await voice_by(site, cast.root, by)).naming(cast.a.slug)
        before = await rows(site)
        answer = await operation.ask(root, names)
        written = await rows(site) - before
        changed = operation.method != "GET" and answer.status < 300 and operation.name not in WITHOUT
        if written != int(changed) or answer.status >= 500:
            wrong.append((operation.name, answer.status, written))
        if answer.status >= 300:
            refused.add(operation.name)

    assert wrong == []
    # The example names no definition of ours; the worker is alive; a key is no session.
    assert refused == {"enqueueJob", "deleteWorker"} | ({"endSession"} if by == "key" else set())
