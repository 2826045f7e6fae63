"""Sources of the secrets of handlers, such as the policy file of the machine."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Protocol
from uuid import UUID

from jobplane.core.errors import SecretRefused
from jobplane.core.references import Grants, Reference
from jobplane.execution.policy_file import InvalidPolicy, read_grants, read_policy_file
from jobplane.execution.secrets import resolve

_Mark = tuple[int, int, int, int]


class SecretSource(Protocol):
    """Finds the values of secrets. `in_payload`: the payload of the job names it, which a tenant may have written."""

    def find(self, reference: Reference, tenant_id: UUID, *, in_payload: bool) -> str:
        """Raises SecretRefused, and SecretMissing."""
        ...


@dataclass(frozen=True, slots=True)
class _Loaded:
    mark: _Mark
    secrets: Grants
    payload_secrets: Grants


class PolicySecrets:
    """The secrets that a policy file allows; none without one. A file that has changed is read again."""

    def __init__(self, path: Path | None) -> None:
        self._path = path
        self._loaded: _Loaded | None = None

    def find(self, reference: Reference, tenant_id: UUID, *, in_payload: bool) -> str:
        key = "payload_secrets" if in_payload else "secrets"
        if self._path is None:
            raise _refused(reference, f'Set worker_policy to a file with the line {key} = ["{reference}"].')
        try:
            loaded = self._load(self._path)
        except InvalidPolicy as error:
            raise _refused(reference, error.message) from None
        if in_payload:
            return resolve(reference, loaded.payload_secrets, tenant_id, key)
        return resolve(reference, loaded.secrets, tenant_id, key)

    def _load(self, path: Path) -> _Loaded:
        mark = _mark(path)
        loaded = self._loaded
        if loaded is None or loaded.mark != mark:
            table = read_policy_file(path)
            grants = read_grants(table, "secrets", path), read_grants(table, "payload_secrets", path)
            loaded = _Loaded(mark, *grants)
            self._loaded = loaded
        return loaded


def _mark(path: Path) -> _Mark:
    """The facts of a file that change when it is written or replaced."""
    try:
        found = path.stat()
    except OSError:
        return (0, 0, 0, 0)
    return found.st_ino, found.st_mtime_ns, found.st_ctime_ns, found.st_size


def _refused(reference: Reference, why: str) -> SecretRefused:
    message = f"This process has no policy that allows the secret {reference}. {why}"
    return SecretRefused(message, reference=str(reference))
