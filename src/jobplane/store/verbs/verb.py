"""What all verbs are."""

from __future__ import annotations

from typing import Generic, TypeVar

Answer_co = TypeVar("Answer_co", covariant=True)


class Verb(Generic[Answer_co]):
    """One call of a store; the type parameter is the answer. Repeating a verb is always safe."""

    __slots__ = ()


class JobVerb(Verb[Answer_co]):
    """A tenant's verb. It sees that tenant alone."""

    __slots__ = ()


class EngineVerb(Verb[Answer_co]):
    """A verb of workers and of the upkeep. It sees all tenants."""

    __slots__ = ()


class OperatorVerb(Verb[Answer_co]):
    """A verb of whoever runs the installation: tenants, definitions, queues, workers."""

    __slots__ = ()
