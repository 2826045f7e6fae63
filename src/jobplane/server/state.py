"""What the routes of one server process share."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, replace

from jobplane.config import Config
from jobplane.control.access import Caller, Policy
from jobplane.control.authentication import Authentication
from jobplane.control.entrance import Entrance
from jobplane.control.sessions import Sessions
from jobplane.server.follow import Feeds
from jobplane.server.listeners import Listeners
from jobplane.server.rates import Rates, SignIns
from jobplane.store.base import Store


@dataclass(frozen=True, slots=True)
class State:
    config: Config
    store: Store
    authentication: Authentication
    sessions: Sessions
    entrance: Entrance
    policy: Policy
    rates: Rates
    sign_ins: SignIns
    feeds: Feeds
    listeners: Listeners
    stopping: asyncio.Event
    caller: Caller | None = None  # makes every request, without a key: the command line on a database URL

    def under_policy(self, caller: Caller) -> Caller:
        """The caller under the roles that this installation asks for."""
        return replace(caller, policy=self.policy)
