"""Where a manager keeps its jobs: a store, a URL, or the Jobplane of the program."""

from __future__ import annotations

import inspect
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, TypeVar, cast

from jobplane.api.stores import Stores
from jobplane.control.immediate import Immediate
from jobplane.core.actors import Actor
from jobplane.core.errors import Invalid
from jobplane.core.model import DEFAULT_TENANT
from jobplane.store.base import BlockingStore, Driver, Store
from jobplane.store.verbs.verb import Verb

if TYPE_CHECKING:
    from jobplane.api.plane import Plane

Answer = TypeVar("Answer")
Kind = Literal["blocking", "asynchronous"]


@dataclass(frozen=True, slots=True)
class Opening:
    """A store that is opened by its first call."""

    store: Callable[[], Awaitable[Store]]

    async def run(self, verb: Verb[Answer], *, conn: Any = None, actor: Actor | None = None) -> Answer:
        return await (await self.store()).run(verb, conn=conn, actor=actor)


@dataclass(frozen=True, slots=True)
class Place:
    """The store of a manager. `owned` has the connections that the manager must close; None: they are not its own."""

    store: Store
    owned: Stores | None = None


def blocking_place(given: BlockingStore | Plane | Stores | str, sqlite: Driver) -> Place:
    """The place of a JobManager. Raises Invalid for anything that is not a URL, a Jobplane or a blocking store."""
    given = url_stores(given, sqlite) if isinstance(given, str) else given
    if isinstance(given, Stores):
        given.get_blocking()
        return Place(Opening(given.get_immediate), given)
    if plane := _as_plane(given):
        return Place(Opening(plane.blocking_calls.open_store))
    return Place(Immediate(cast("BlockingStore", _require_store(given, "blocking"))))


def awaited_place(given: Store | Plane | Stores | str, sqlite: Driver) -> Place:
    """The place of an AsyncJobManager. A store named by a URL is opened by the first call on an event loop."""
    given = url_stores(given, sqlite) if isinstance(given, str) else given
    if isinstance(given, Stores):
        return Place(Opening(given.get_running), given)
    if plane := _as_plane(given):
        return Place(Opening(plane.awaited_calls.open_store))
    return Place(cast("Store", _require_store(given, "asynchronous")))


def url_stores(url: str | None, sqlite: Driver) -> Stores:
    """The stores of a URL, or of the configuration. Raises InvalidConfig for a URL that cannot be used."""
    stores = Stores(url, sqlite, None, None)
    stores.address()
    return stores


def _as_plane(given: object) -> Plane | None:
    from jobplane.api.plane import Plane

    if not isinstance(given, Plane):
        return None
    if (tenant := given.blocking_calls.tenant) not in ("default", DEFAULT_TENANT):
        message = f'A job manager works for the tenant "default", and this Jobplane works for "{tenant}".'
        raise Invalid(f"{message} Pass a Jobplane without a tenant.", tenant=str(tenant))
    return given


def _require_store(store: object, kind: Kind) -> object:
    """The store itself. One of the other kind would fail only after the first write."""
    verb = getattr(store, "run", None)
    if verb is None or inspect.iscoroutinefunction(verb) is not (kind == "asynchronous"):
        name, wanted = ("JobManager", "a blocking") if kind == "blocking" else ("AsyncJobManager", "an asynchronous")
        raise Invalid(
            f"{name} takes a URL, a Jobplane or {wanted} store, not {type(store).__name__}. "
            f'Write {name}("sqlite:///jobs.db"), or {name}.connect() for the configured database.'
        )
    return store
