"""Settings as one model: defaults, then jobplane.toml, then JOBPLANE_* in the environment, then flags."""

from __future__ import annotations

import difflib
import os
import re
import tomllib
from collections.abc import Mapping, MutableMapping
from ipaddress import ip_network
from pathlib import Path
from typing import Annotated, Final, Literal, Self
from urllib.parse import urlsplit

from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field, ValidationError

from jobplane.core import bounds
from jobplane.core.bounds import QUEUE, QUEUE_RULE, show
from jobplane.core.defaults import Defaults
from jobplane.core.errors import Invalid
from jobplane.core.faults import describe_faults, group_faults
from jobplane.core.wording import reason_of

Role = Literal["app", "worker", "scheduler", "admin", "maintenance", "owner"]
FILE: Final = "jobplane.toml"
_PREFIX = "JOBPLANE_"
_CHOICES: Final = (
    "postgresql://user@host/database, sqlite:///jobs.db (a file) or embedded: (a PostgreSQL server of its own)"
)
_OPTIONS = re.compile(r"\?\w+=")
# The file's own path, what the launcher and the test suite are told, what Kubernetes sets for a service of our name.
_FOREIGN = re.compile(
    r"JOBPLANE_(CONFIG|EMBEDDED_USER|LAUNCHER|TEST_.*|(WORKER_|SERVER_|SCHEDULER_)?(SERVICE_(HOST|PORT.*)|PORT(_\d+_.*)?))"
)


class InvalidConfig(Invalid):
    """A setting is unknown or has an invalid value; `setting` names it."""

    code = "invalid_config"


def _url(value: str) -> str:
    """Accept what libpq can read, and never repeat the value: it may hold a password."""
    if not value or value.startswith("embedded:"):
        return value
    if value.startswith("sqlite:"):
        return _sqlite(value)
    if not value.startswith(("postgresql://", "postgres://")):
        raise ValueError(f"It is not the URL of a database. Write {_CHOICES}.")
    return _postgresql(value)


def _postgresql(value: str) -> str:
    from psycopg import ProgrammingError
    from psycopg.conninfo import conninfo_to_dict

    try:
        ports = str(conninfo_to_dict(value).get("port") or 5432)
        if not all(0 < int(port or 5432) < 65536 for port in ports.split(",")):
            raise ValueError
    except (ProgrammingError, ValueError):
        raise ValueError("It cannot be parsed. Write postgresql://user:password@host:5432/database.") from None
    return value


def _sqlite(value: str) -> str:
    path = value.removeprefix("sqlite:///")
    if path in ("", value) or "\0" in path:
        raise ValueError("Write sqlite:///jobs.db for a relative path, sqlite:////var/lib/jobs.db for an absolute one.")
    if _OPTIONS.search(path):
        raise ValueError("A sqlite URL has a path alone. Leave out the ?options.")
    return value


def _locate(url: str, directory: Path) -> str:
    for scheme in ("sqlite:///", "embedded:"):
        path = url.removeprefix(scheme)
        if path and path != url and not path.startswith(("/", "~", ":memory:")):
            return f"{scheme}{directory / path}"
    return url


def _require_filled(value: str) -> str:
    """Refuse an empty text: a variable was not filled, and libpq would connect to a default server."""
    if not value:
        raise ValueError(f"It is empty. Write {_CHOICES}.")
    return value


def _none_if_empty(value: object) -> object:
    return None if value == "" else value


Url = Annotated[str, AfterValidator(_url)]
Directory = Annotated[Path | None, BeforeValidator(_none_if_empty)]
File = Annotated[Path | None, BeforeValidator(_none_if_empty)]


def _words(value: object) -> object:
    """A list, or one text with commas, as the environment has it."""
    return [word.strip() for word in value.split(",") if word.strip()] if isinstance(value, str) else value


def _queue(value: str) -> str:
    name, sign, weight = value.partition("=")
    if not QUEUE.fullmatch(name):
        raise ValueError(QUEUE_RULE)
    if sign and not (weight.isdecimal() and 1 <= int(weight) <= 1000):
        raise ValueError("Write a queue as NAME, or as NAME=WEIGHT with a weight from 1 to 1000.")
    return value


def _module(value: str) -> str:
    if not all(part.isidentifier() for part in value.split(".")):
        raise ValueError("Write a module as in an import, for example app.jobs.")
    return value


def _table(value: str) -> str:
    if not re.fullmatch(r"[A-Za-z_][A-Za-z0-9_$]*(\.[A-Za-z_][A-Za-z0-9_$]*){2}", value):
        raise ValueError("Write a table as schema.table.column, for example public.sessions.expires_at.")
    return value


def _address(value: str) -> str:
    host, _, port = value.rpartition(":")
    if value and not (host and port.isdecimal() and int(port) < 65536):
        raise ValueError("Write an address as HOST:PORT, for example 127.0.0.1:9190.")
    return value


def _network(value: str) -> str:
    try:
        ip_network(value)
    except ValueError:
        raise ValueError("Write a proxy as an address or a network, for example 10.0.0.0/8.") from None
    return value


def _root_path(value: str) -> str:
    if value and not re.fullmatch(r"(/[A-Za-z0-9._~-]+)+", value):
        raise ValueError("Write a path like /jobs, without a slash at its end.")
    return value


def _server_url(value: str) -> str:
    """Accept what an HTTP client can read, and never repeat the value: it may hold a password."""
    parts = urlsplit(value)
    if value and (parts.scheme not in ("http", "https") or not parts.hostname or parts.query or parts.fragment):
        raise ValueError("Write http://127.0.0.1:8580 or https://jobs.example.com/path.")
    return value.rstrip("/")


def _pairs(value: object) -> object:
    """A table, or one text as the environment has it: `enqueueJob=responder,editJob=responder`."""
    if not isinstance(value, str):
        return value
    pairs = [word.strip().partition("=") for word in value.split(",") if word.strip()]
    return {name: role for name, _, role in pairs}


def _access(value: dict[str, str]) -> dict[str, str]:
    """Raise InvalidConfig where an operation may not have such a role: the reason names both."""
    from jobplane.control.access import judge_change

    try:
        return {operation: judge_change(operation, role) for operation, role in value.items()}
    except ValueError as error:
        raise InvalidConfig(f"Invalid access. {error}", setting="access") from None


Words = BeforeValidator(_words)
Access = Annotated[dict[str, str], BeforeValidator(_pairs), AfterValidator(_access)]
Networks = Annotated[tuple[Annotated[str, AfterValidator(_network)], ...], Words]
Queues = Annotated[tuple[Annotated[str, AfterValidator(_queue)], ...], Words]
Tables = Annotated[tuple[Annotated[str, AfterValidator(_table)], ...], Words]
Modules = Annotated[tuple[Annotated[str, AfterValidator(_module)], ...], Words]
Address = Annotated[str, AfterValidator(_address)]
Limit = Annotated[int | None, BeforeValidator(_none_if_empty), Field(ge=0, le=bounds.INT)]
LogFormat = Literal["auto", "human", "json"]
LogLevel = Literal["debug", "info", "warning", "error"]


class Config(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)

    database_url: Annotated[Url, AfterValidator(_require_filled)] = ""
    database_url_app: Url = ""
    database_url_worker: Url = ""
    database_url_scheduler: Url = ""
    database_url_admin: Url = ""
    database_url_maintenance: Url = ""
    migrate_url: Url = ""
    listen_url: Url = ""
    pooler: Literal["none", "transaction"] = "none"
    trust: Literal["roles", "single"] = "roles"
    allow_unsafe_durability: bool = False
    database_timeout_seconds: Annotated[float, Field(ge=2, le=3600)] = 15.0
    database_connections_min: Annotated[int, Field(ge=0, le=1000)] = 0
    database_connections_max: Annotated[int | None, BeforeValidator(_none_if_empty), Field(ge=1, le=1000)] = None
    embedded_bin_dir: Directory = None
    worker_queues: Queues = ()
    worker_imports: Modules = ()
    worker_name: Annotated[str, Field(max_length=100)] = ""
    worker_processes: Annotated[int | None, Field(ge=1, le=256)] = None
    worker_concurrency: Annotated[int, Field(ge=1, le=1000)] = 16
    worker_prefetch: Annotated[int, Field(ge=0, le=10_000)] = 1000
    worker_policy: File = None
    worker_commands: Annotated[int | None, Field(ge=1, le=1000)] = None
    worker_http: Address = ""
    scheduler_enabled: bool = True
    scheduler_tick_seconds: Annotated[float, Field(ge=1, le=3600)] = 15.0
    scheduler_http: Address = ""
    cleanup_url: Url = ""
    cleanup_tables: Tables = ()
    server_http: Address = ""
    server_root_path: Annotated[str, AfterValidator(_root_path)] = ""
    server_trusted_proxies: Networks = ()
    server_requests_per_second: Annotated[int, Field(ge=0, le=1_000_000)] = 500
    server_session_seconds: Annotated[int, Field(ge=300, le=31_536_000)] = 604_800
    server_session_idle_seconds: Annotated[int, Field(ge=300, le=31_536_000)] = 43_200
    server_sign_ins_per_minute: Annotated[int, Field(ge=0, le=1_000_000)] = 20
    server_url: Annotated[str, AfterValidator(_server_url)] = ""
    api_key: Annotated[str, Field(max_length=500)] = ""
    tenant: Annotated[str, Field(max_length=100)] = ""
    jobs_builtin_only: bool = False
    access: Access = {}
    max_attempts_default: Annotated[int, Field(ge=1, le=101)] = 3
    max_in_flight_default: Limit = None
    max_pending_default: Limit = None
    wakeup: Literal["listen", "poll"] = "listen"
    poll_seconds: Annotated[float, Field(ge=0.05, le=60)] = 1.0
    lease_seconds: Annotated[int, Field(ge=5, le=3600)] = 30
    grace_seconds: Annotated[float, Field(ge=0, le=86_400)] = 25.0
    artifacts_dir: Directory = None
    retention_days: Annotated[int, Field(ge=0, le=36_500)] = 30
    retention_days_logs: Annotated[int, Field(ge=0, le=36_500)] = 7
    retention_count: Limit = None
    log_level: LogLevel = "info"
    log_format: LogFormat = "auto"

    def url(self, role: Role) -> str:
        """The URL for a role: its own, else the one for all; raises InvalidConfig where there is neither."""
        own = self.migrate_url if role == "owner" else getattr(self, f"database_url_{role}")
        if found := own or self.database_url:
            return found
        message = f"No database is named. Set JOBPLANE_DATABASE_URL, or database_url in {FILE}, to {_CHOICES}."
        raise InvalidConfig(message, setting="database_url")

    @property
    def defaults(self) -> Defaults:
        """The values that new definitions and tenants get where nobody names them."""
        return Defaults(self.max_attempts_default, self.max_in_flight_default, self.max_pending_default)

    def base_on(self, role: Role) -> Self:
        """The settings with database_url set to the URL of this role if it is empty; raises InvalidConfig."""
        return self if self.database_url else self.model_copy(update={"database_url": self.url(role)})

    def locate(self, directory: Path) -> Self:
        """The settings with absolute paths, so that a process may change its directory."""
        url, artifacts, policy = _locate(self.database_url, directory), self.artifacts_dir, self.worker_policy
        paths = {"artifacts_dir": artifacts and directory / artifacts, "worker_policy": policy and directory / policy}
        return self.model_copy(update={"database_url": url, **paths})


def pin(directory: Path, env: MutableMapping[str, str] = os.environ) -> None:
    """Make the relative paths of the environment absolute, so that a process in another directory reads the same."""
    file = directory / (env.get(f"{_PREFIX}CONFIG") or FILE)
    if file.exists():
        env[f"{_PREFIX}CONFIG"] = str(file)
    if url := env.get(f"{_PREFIX}DATABASE_URL"):
        env[f"{_PREFIX}DATABASE_URL"] = _locate(url, directory)
    if policy := env.get(f"{_PREFIX}WORKER_POLICY"):
        env[f"{_PREFIX}WORKER_POLICY"] = str(directory / policy)


def load(flags: Mapping[str, object], *, env: Mapping[str, str] = os.environ, directory: Path | None = None) -> Config:
    """Put the sources together; a flag that is None was not given."""
    given = {key: value for key, value in flags.items() if value is not None}
    merged = {**_from_file(env, directory or Path()), **_from_env(env), **given}
    for key in merged:
        _require_known(key, key)
    try:
        return Config.model_validate(merged)
    except ValidationError as error:
        place, faults = next(iter(group_faults(error.errors(include_url=False), merged).items()))
        first, setting = faults[0], place.split("/")[1]
        is_secret = "url" in setting or setting == "api_key"  # a URL may hold a password
        found = "" if is_secret else f" {show(first['input'], 80)}"
        raise InvalidConfig(f"Invalid {setting}{found}. {describe_faults(faults)}", setting=setting) from None


def _from_file(env: Mapping[str, str], directory: Path) -> dict[str, object]:
    named = env.get(f"{_PREFIX}CONFIG")
    path = directory / (named or FILE)
    if not named and not path.exists():
        return {}
    try:
        return tomllib.loads(path.read_text("utf-8"))
    except (OSError, UnicodeError, tomllib.TOMLDecodeError) as error:
        raise InvalidConfig(f"The file {path} cannot be read: {reason_of(error)}.", setting=str(path)) from None


def _from_env(env: Mapping[str, str]) -> dict[str, object]:
    found: dict[str, object] = {}
    for name in sorted(env):
        if name.startswith(_PREFIX) and not _FOREIGN.fullmatch(name):
            key = name.removeprefix(_PREFIX).lower()
            from_file = key.endswith("_file")
            key = key.removesuffix("_file")
            _require_known(key, name)
            found[key] = _secret(name, Path(env[name])) if from_file else env[name]
    return found


def _secret(name: str, path: Path) -> str:
    try:
        return path.read_text("utf-8").strip()
    except (OSError, UnicodeError) as error:
        raise InvalidConfig(f"The file that {name} names cannot be read: {reason_of(error)}.", setting=name) from None


def _require_known(key: str, name: str) -> None:
    if key not in Config.model_fields:
        close = difflib.get_close_matches(key, Config.model_fields, n=1)
        hint = f"Did you mean {close[0]}?" if close else f"Use one of {', '.join(Config.model_fields)}."
        raise InvalidConfig(f"Unknown setting {name}. {hint}", setting=name)
