"""Notifications of new jobs and of cancels. Without them the worker polls."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Final

from jobplane.process.contact import Connection
from jobplane.store.worker import Notifications
from jobplane.worker.journal import Journal

# One failure is a lost connection. This many in a row mean a wrong address or login.
FAILURES: Final = 3


class Listener:
    """Passes notifications on. Logs once if the connection cannot be made though the database answers."""

    def __init__(
        self,
        notifications: Notifications,
        connection: Connection,
        journal: Journal,
        worker_id: str,
        woken: Callable[[int | None], None],
        canceled: Callable[[], None],
        kept_up: Callable[[], None],
    ) -> None:
        self._notifications = notifications
        self._connection = connection
        self._journal = journal
        self._worker_id = worker_id
        self._woken = woken
        self._canceled = canceled
        self._kept_up = kept_up
        self._failures = 0
        self._failing_since = 0.0
        self._is_told = False

    async def run(self) -> None:
        """Listen until the connection is closed; a lost connection is replaced."""
        self._notifications.on_lost = self._on_missed
        await self._notifications.listen(self._on_heard, self._heard_cancel, self._kept_up)

    def _on_heard(self, queue_id: int | None) -> None:
        if queue_id is None:
            self._on_found()
            self._canceled()  # nobody repeats what was said while it did not listen
        self._woken(queue_id)

    def _heard_cancel(self, worker_id: str) -> None:
        if worker_id == self._worker_id:
            self._canceled()

    def _on_missed(self, error: Exception) -> None:
        self._failures += 1
        if self._failures == 1:
            self._failing_since = time.monotonic()
        answered = not self._connection.is_lost and self._connection.spoke_at > self._failing_since
        if self._failures >= FAILURES and answered and not self._is_told:
            self._is_told = True
            why = " ".join((str(error) or repr(error)).split())[:500]
            hint = "The worker polls until the connection is back. Check listen_url."
            self._journal.log_event("listener_lost", level="warning", error=why, hint=hint)

    def _on_found(self) -> None:
        self._failures = 0
        if self._is_told:
            self._is_told = False
            self._journal.log_event("listener_found")
