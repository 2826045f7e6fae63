"""What a migrate would do to a database, or why it will not; pure."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from jobplane.core.errors import Forbidden, SchemaOutOfDate, UnsupportedServer
from jobplane.store.postgres import routines
from jobplane.store.postgres.ledger import Ledger, Site
from jobplane.store.postgres.refusals import MigrationChanged, RolesMissing, TrustMismatch, require_utf8
from jobplane.store.postgres.script import Trust
from jobplane.store.postgres.source import LOGINS, Migration, Source

ROLES: Final = tuple(f"jobplane_{name}" for name in ("owner", "doors", "engine", "hot", *LOGINS))
OLDEST_SERVER: Final = 15


@dataclass(frozen=True, slots=True)
class Plan:
    """The steps that are due, in order; `ahead` means that a newer program has migrated, and nothing is touched."""

    found: int
    wanted: int
    ground: bool
    migrations: tuple[Migration, ...]
    code: bool
    ahead: bool = False

    @property
    def steps(self) -> list[str]:
        ground = ["schema"] if self.ground else []
        code = ["functions and policies"] if self.code else []
        return [*ground, *(step.name for step in self.migrations), *code]


def plan(source: Source, site: Site, ledger: Ledger, trust: Trust) -> Plan:
    """Refuse what cannot be migrated by this login, this program and in this trust mode; else say what is due."""
    _require_server(site)
    _require_same_trust(ledger, trust)
    _require_new_enough(source, ledger)
    found = find_due(source, site, ledger, trust)
    if trust == "roles" and found.steps:
        _require_roles(site)
    return found


def find_due(source: Source, site: Site, ledger: Ledger, trust: Trust) -> Plan:
    """The steps that are missing, whoever may run them."""
    _require_unchanged(source, ledger)
    if ledger.number > source.number:
        return Plan(ledger.number, source.number, ground=False, migrations=(), code=False, ahead=True)
    migrations = tuple(step for step in source.migrations if step.number not in ledger.applied)
    code = ledger.code_checksum != routines.code_checksum(source, trust, site.major)
    return Plan(ledger.number, source.number, ledger.trust is None, migrations, code)


def _require_new_enough(source: Source, ledger: Ledger) -> None:
    if source.number < ledger.oldest_program:
        message = f"The database's schema is {ledger.number}, too new for this program ({source.number})."
        raise SchemaOutOfDate(f"{message} Install a newer jobplane.", found=ledger.number, wanted=source.number)


def _require_server(site: Site) -> None:
    if site.major < OLDEST_SERVER:
        message = f"This is PostgreSQL {site.major}, but jobplane needs {OLDEST_SERVER} or newer."
        raise UnsupportedServer(message, found=site.major)
    require_utf8(is_utf8=site.is_utf8)


def _require_same_trust(ledger: Ledger, trust: Trust) -> None:
    if ledger.trust not in (None, trust):
        raise TrustMismatch(
            f'The database was set up with trust = "{ledger.trust}" and cannot be switched to "{trust}".'
            f" Use `--trust {ledger.trust}`, or a new database.",
            found=ledger.trust,
            wanted=trust,
        )


def _require_unchanged(source: Source, ledger: Ledger) -> None:
    for step in source.migrations:
        applied = ledger.applied.get(step.number)
        if applied and applied.checksum != step.checksum:
            raise MigrationChanged(
                f"{step.name} is not what was applied to this database (checksum {step.checksum[:12]},"
                f" applied {applied.checksum[:12]}). Put the file back, and write the change as a new migration.",
                step=step.name,
            )


def _require_roles(site: Site) -> None:
    if missing := [role for role in ROLES if role not in site.roles]:
        message = (
            f"The server has no role {missing[0]}. Run `jobplane migrate roles` with a login that may create roles."
        )
        raise RolesMissing(message, missing=missing)
    if not site.may_become_owner:
        grant = f"jobplane migrate roles --grant owner={site.login}"
        raise Forbidden(
            f"{site.login} may not become jobplane_owner. Log in as that role, or have a DBA run `{grant}`."
        )
    if not site.owner_may_create:
        grant = f'grant create on database "{site.database}" to jobplane_owner'
        raise Forbidden(
            f"The role jobplane_owner may not create a schema here. Have the database's owner run `{grant}`."
        )
