"""Errors of a login: which setting has it, and which role it needs."""

from __future__ import annotations

from typing import Final

from jobplane.core.errors import Forbidden, JobplaneError, Unauthenticated, UnsafeRole
from jobplane.store.postgres.calls.call import Role
from jobplane.store.postgres.refusals import DatabaseMissing

_NO_RIGHT: Final = "42501"


def name_setting(error: JobplaneError, role: Role) -> JobplaneError:
    """The same error with the setting that has the login for these calls, where that would help."""
    message = error.message.rstrip(".")
    match error:
        case Forbidden() if error.facts.get("sqlstate", _NO_RIGHT) == _NO_RIGHT:
            advice = (
                f"This needs a login of the role jobplane_{role}: set database_url_{role} to one, or have a DBA run"
                f" `jobplane migrate roles --grant {role}={error.facts.get('login', 'YOUR_LOGIN')}`."
            )
        case Unauthenticated() | UnsafeRole() | DatabaseMissing():
            advice = f"The URL is that of database_url_{role}, or of database_url where that is not set."
        case _:
            return error
    return type(error)(f"{message}. {advice}", **error.facts)
