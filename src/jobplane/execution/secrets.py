"""Secrets of a job: resolved on the machine that runs it, from what its policy allows."""

from __future__ import annotations

import os
import stat
from typing import Final, Literal
from uuid import UUID

from jobplane.core.errors import SecretMissing, SecretRefused
from jobplane.core.references import Grants, Reference
from jobplane.core.wording import reason_of

GrantKey = Literal["secrets", "payload_secrets"]
MAX_BYTES: Final = 64 * 1024
_FLAGS: Final = os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK | os.O_NOCTTY  # does not wait for the writer of a FIFO


def resolve(reference: Reference, grants: Grants, tenant_id: UUID, key: GrantKey = "secrets") -> str:
    """The value of a secret. Raises SecretRefused where the grants do not allow it, SecretMissing where there is none.

    `key` is the key of the policy that the grants are from. A file is a regular file of at most 64 KiB of UTF-8. One
    newline at its end is left out.
    """
    if not grants.allows(reference, tenant_id):
        raise _refused(reference, key)
    value = os.environ.get(reference.name, "") if reference.scheme == "env" else _read(reference)
    if not value.strip():
        where = "The variable is not set" if reference.scheme == "env" else "The file is empty"
        raise _missing(reference, f"{where} on this worker.")
    try:
        value.encode()
    except UnicodeEncodeError:
        raise _missing(reference, "It is not UTF-8.") from None
    return value


def _refused(reference: Reference, key: GrantKey) -> SecretRefused:
    if key == "payload_secrets":
        why = f"The payload of the job names the secret {reference}, and the policy of this worker does not allow that."
        message = f'{why} If tenants may use it, add the prefix "{reference}" to payload_secrets.'
    else:
        why = f"The policy of this worker does not allow the secret {reference}."
        message = f'{why} Add the prefix "{reference}" to secrets.'
    return SecretRefused(message, reference=str(reference))


def _read(reference: Reference) -> str:
    try:
        descriptor = os.open(reference.name, _FLAGS)
        try:
            if not stat.S_ISREG(os.fstat(descriptor).st_mode):
                raise _missing(reference, "It is no regular file.")
            with os.fdopen(descriptor, "rb", closefd=False) as file:
                content = file.read(MAX_BYTES + 2)
        finally:
            os.close(descriptor)
    except OSError as error:
        raise _missing(reference, f"The file cannot be read: {reason_of(error)}.") from None
    content = (
        content.removesuffix(b"\n").removesuffix(b"\r") if content.endswith(b"\r\n") else content.removesuffix(b"\n")
    )
    if len(content) > MAX_BYTES:
        raise _missing(reference, f"The file has more than {MAX_BYTES:,} bytes.")
    return content.decode("utf-8", "surrogateescape")


def _missing(reference: Reference, why: str) -> SecretMissing:
    return SecretMissing(f"The secret {reference} cannot be had. {why}", reference=str(reference))
