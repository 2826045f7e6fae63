"""The values of secrets that this process knows, for masking what its attempts say."""

from __future__ import annotations

import os
import threading
from collections import OrderedDict
from collections.abc import Iterator
from typing import Final

from jobplane.core.masking import NO_SECRETS, Masker

# A thread, a task or a cached client may show a value after its attempt has ended. Each value costs 0.2 µs in every
# line, and 35 µs when the forms of all are put together again.
MOST_LAST: Final = 32


class _Values:
    """The values that attempts hold, and the last ones that they held."""

    def __init__(self) -> None:
        self._uses: dict[str, int] = {}
        self._last: OrderedDict[str, None] = OrderedDict()

    def __iter__(self) -> Iterator[str]:
        yield from self._uses
        yield from self._last

    def hold(self, value: str) -> None:
        self._uses[value] = self._uses.get(value, 0) + 1
        self._last.pop(value, None)

    def release(self, value: str) -> None:
        self._uses[value] -= 1
        if not self._uses[value]:
            del self._uses[value]
            self._last[value] = None
        if len(self._last) > MOST_LAST:
            self._last.popitem(last=False)


class KnownSecrets:
    """Any thread may use it.

    Secrets of the operator are masked in what any attempt says: a client that one job has made with a secret may serve
    the next one, which does not know it. Secrets that a payload names are masked in what its own attempt says, and in
    what no attempt says: a tenant could otherwise choose a value that blanks out another tenant's results.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._shared_values, self._payload_values = _Values(), _Values()
        self.shared: Masker = NO_SECRETS  # of the operator's secrets
        self.all: Masker = NO_SECRETS

    def hold(self, value: str, *, in_payload: bool) -> None:
        """Mask this value from now on."""
        with self._lock:
            (self._payload_values if in_payload else self._shared_values).hold(value)
            if not in_payload and value not in self.shared.values:
                self.shared = Masker(self._shared_values)
            if value not in self.all.values:
                self.all = Masker([*self._shared_values, *self._payload_values])

    def release(self, value: str, *, in_payload: bool) -> None:
        """The attempt that held this value has ended. It is masked on until enough others have come."""
        with self._lock:
            (self._payload_values if in_payload else self._shared_values).release(value)

    def after_fork(self) -> None:
        """In a fork another thread may have had the lock."""
        self._lock = threading.Lock()


KNOWN: Final = KnownSecrets()
os.register_at_fork(after_in_child=KNOWN.after_fork)
