"""What the superuser does before anyone can connect, in PostgreSQL's single-user mode: it never logs in."""

from __future__ import annotations

import hashlib
import re
from dataclasses import dataclass

from jobplane.embedded.binaries import Binaries
from jobplane.embedded.cluster_place import ClusterPlace
from jobplane.embedded.directories import DONE, write_private
from jobplane.embedded.errors import failure

DATABASE = "jobplane"
ROLES = "jobplane.roles"

_OPTIONS = ("exit_on_error=on", "log_min_messages=error", "logging_collector=off", "shared_buffers=16MB")
_OWNER = """
;
do $bootstrap$ begin
  if not exists (select from pg_catalog.pg_roles where rolname = {literal}) then
    create role {name} login noinherit;
  end if;
end $bootstrap$;
alter role {name} createdb;
"""
_DATABASES = "select datname from pg_catalog.pg_database;"
_LOGINS = "select rolname from pg_catalog.pg_roles where rolcanlogin and not rolsuper and rolname ~ '^jobplane_';"


@dataclass(frozen=True, slots=True)
class Bootstrap:
    """The roles, the owner's right to make databases, and the database."""

    sql: str
    owner: str
    durable: bool

    @property
    def checksum(self) -> str:
        return hashlib.sha256("\n".join([self.sql, _OWNER, _LOGINS, self.owner]).encode()).hexdigest()

    def apply(self, binaries: Binaries, place: ClusterPlace) -> None:
        """Run it on a stopped cluster, unless this very text has been run; that it has is written down last."""
        done = place.path / DONE
        if done.exists() and done.read_text().strip() == self.checksum:
            return
        name, literal = _quote(self.owner, '"'), _quote(self.owner, "'")
        fsync = "on" if self.durable else "off"
        _run(self.sql + _OWNER.format(name=name, literal=literal), binaries, place, fsync)
        if not has_database(binaries, place):
            _run(f"create database {DATABASE} owner {name};", binaries, place, fsync)
        logins = _run(_LOGINS, binaries, place, fsync)
        write_private(place.path / ROLES, "".join(f"{login}\n" for login in logins), place.account)
        write_private(done, self.checksum + "\n", place.account)


def has_database(binaries: Binaries, place: ClusterPlace) -> bool:
    """Whether a stopped cluster has the database."""
    return DATABASE in _run(_DATABASES, binaries, place)


def _run(script: str, binaries: Binaries, place: ClusterPlace, fsync: str = "on") -> list[str]:
    """Run a script in one transaction, and return the first column of every row that it selects."""
    options = [word for option in (*_OPTIONS, f"fsync={fsync}") for word in ("-c", option)]
    command = [binaries.program("postgres"), "--single", "-j", *options, "-D", place.name, "postgres"]
    done = place.run(command, stdin=_one_statement(script))
    if done.returncode != 0:
        raise failure(f"The first statements on {place.path} failed", done.stderr)
    return re.findall(r'^\t 1: \w+ = "(.*)"\t\(typeid', done.stdout, re.MULTILINE)


def _one_statement(script: str) -> str:
    """With -j a semicolon and an empty line end a statement wherever they stand: leave only those at the end."""
    return re.sub(r";[ \t]*\n(?=\n)", ";\n ", script.replace("\r\n", "\n").strip()) + "\n\n"


def _quote(name: str, mark: str) -> str:
    return mark + name.replace(mark, mark * 2) + mark
