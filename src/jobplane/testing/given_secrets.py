"""The secrets that a test gives to handlers."""

from __future__ import annotations

from collections.abc import Mapping
from uuid import UUID

from jobplane.core.errors import SecretMissing
from jobplane.core.references import Reference


class GivenSecrets:
    """Values by reference, in place of a policy: `{"env:TOKEN": "a value"}`. What a test adds later counts too."""

    def __init__(self, values: Mapping[str, str]) -> None:
        self._values = values

    def find(self, reference: Reference, tenant_id: UUID, *, in_payload: bool) -> str:
        value = self._values.get(str(reference))
        if value is None:
            message = (
                f'This test gives no secret {reference}. Add "{reference}" to `secrets` of the attempt or sandbox.'
            )
            raise SecretMissing(message, reference=str(reference))
        return value
