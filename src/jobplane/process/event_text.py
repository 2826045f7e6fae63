"""The sentences of events whose names do not say enough."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

SENTENCES: Final[Mapping[str, str]] = {
    "alone_given_back": "Jobs that need a process of their own were given back: all such processes are busy.",
    "attempt_begun": "The handler has started.",
    "attempt_claimed": "The job was claimed.",
    "cancel_requested": "Somebody canceled the job. The worker stops the handler.",
    "claim_given_back": "Claimed jobs were given back before they started.",
    "command_not_judged": "The end of a command could not be judged, because of an error in the worker.",
    "command_not_started": "A command could not be started, because of an error in the worker. It is tried again.",
    "command_refused": "The policy of this worker does not allow a command as it is now. Its jobs wait.",
    "database_found": "The database answers again.",
    "database_lost": "The database does not answer.",
    "definitions_deleted_from_code": "The code no longer has these definitions. They are inactive now.",
    "definitions_kept": "A newer version or another app has registered these definitions. They stay as they are.",
    "definitions_overridden": "A person has changed these fields of the definitions. They stay so.",
    "definitions_restored": "The code has these definitions again. They are active now.",
    "definitions_taken": "Commands have the keys of handlers of this worker. The handlers get none of their jobs.",
    "executor_deaf": "The executor does not respond.",
    "executor_died": "A process that runs jobs ended unexpectedly.",
    "executor_ended": "A process that runs jobs has ended.",
    "executor_failed": "A process that runs jobs could not be started.",
    "executor_listens": "The executor responds again.",
    "executor_replaced": "A process takes the place of one that ran jobs.",
    "executor_retired": "A handler does not stop at its timeout. Its process gets no more jobs.",
    "executor_started": "A process that runs jobs has started.",
    "health_started": "The health port is open.",
    "hooks_not_done": "The shutdown hooks did not finish in time. The process was killed.",
    "jobs_released": "The grace time is over. The worker releases the jobs that still run.",
    "lease_gone": "The lease has expired or was taken over. The worker stops the handler.",
    "left_unsettled": "The worker stops with unsettled attempts. They are reaped when their leases expire.",
    "launcher_died": "The process that starts commands ended unexpectedly. It is replaced.",
    "launcher_failed": "The process that starts commands could not be started. The worker tries again.",
    "line_found": "The connection answers again.",
    "line_lost": "The connection does not answer.",
    "line_resumed": "The blocked calls are answered again.",
    "listener_found": "The connection for notifications is back.",
    "listener_lost": "The connection for notifications cannot be made.",
    "log_lines_lost": "Log lines of handlers were lost: the database did not take them in time.",
    "modules_on_another_database": "The modules name another database than this worker's.",
    "outcome_not_stored": "An outcome could not be stored. The attempt is reaped when its lease expires.",
    "output_refused": "The output of a command could not be stored. Its outcome is stored.",
    "policy_loaded": "The policy has changed. The worker has loaded it.",
    "policy_refused": "The policy has changed and cannot be used. The worker runs no commands until it is valid.",
    "queue_missing": "A queue of this worker is missing. It is made again.",
    "queue_without_definitions": "None of the definitions uses this queue. Check its name.",
    "registered_again": "The database had forgotten this worker. It has registered again.",
    "waiting_for_database": "The process waits for the database.",
    "watchdog_deaf": "The watchdog does not respond. It is replaced.",
    "watchdog_died": "The watchdog ended unexpectedly. It is replaced.",
    "watchdog_failed": "The watchdog could not be started. The worker tries again.",
}


def make_text(name: str) -> str:
    """The sentence of an event. By default it is made of the name: `worker_started` is "Worker started."."""
    return SENTENCES.get(name) or f"{name.replace('_', ' ').capitalize()}."
