"""Functions, verbs, owners, grants and policies as one text, and its checksum."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from hashlib import sha256
from typing import Final

from jobplane.store.postgres.script import AS_OWNER, Trust, become, fill
from jobplane.store.postgres.source import LOGINS, OWNERS, CodeFile, Owner, Source

# CREATE OR REPLACE cannot change the owner of a function or the columns of its answer. The schema's owner drops such a
# function first. One with other arguments would stay beside the new one, and a call that fits both would fail. Only
# names are compared: a function whose types change needs a new name.
_DROPS: Final = """\
do $jobplane$
declare
  v_routine regprocedure;
begin
  for v_routine in
    select p.oid from pg_proc p, lateral (
      select coalesce(string_agg(name, ' ' order by place) filter (where mode is null or mode in ('i', 'b', 'v')), ''),
             coalesce(string_agg(name, ' ' order by place) filter (where mode = 't'), '')
      from unnest(p.proargnames, p.proargmodes) with ordinality as a (name, mode, place)) as found (arguments, columns)
    where p.pronamespace = 'jobplane'::regnamespace and p.proname = any (<routines>) and not exists (
      select from unnest(<routines>, <owners>, <arguments>, <columns>) as wanted (name, owner, arguments, columns)
      where wanted.name = p.proname and wanted.owner in ('', pg_get_userbyid(p.proowner))
        and wanted.arguments = found.arguments and wanted.columns = found.columns) loop
    execute format('drop routine %s', v_routine);
  end loop;
end $jobplane$;
"""
_GRANTS: Final = """\
do $jobplane$
declare
  v_routine regprocedure;
begin
  for v_routine in
    select oid from pg_proc where pronamespace = 'jobplane'::regnamespace and proname = any (<routines>) loop
    execute format('comment on routine %s is %L', v_routine, '<about>');
    execute format('revoke all on routine %s from public, <logins>', v_routine);
    <grant>
  end loop;
end $jobplane$;
"""
# Verbs set these, whatever the session says, and behind a pooler it says nothing. A compiled plan costs a second, and
# saves nothing in statements that are this short. No verb of the engine waits longer for a lock.
_JIT: Final = ("jit", "off")
_PATIENCE: Final = ("lock_timeout", "2s")
_SET: Final = """\
do $jobplane$
declare
  v_routine regprocedure;
begin
  for v_routine in
    select oid from pg_proc where pronamespace = 'jobplane'::regnamespace and proname = any (<routines>) loop
    execute format('alter routine %s set <setting> = %L', v_routine, '<value>');
  end loop;
end $jobplane$;
"""
# Files come in any order, so bodies are checked when all functions are there, each by its owner, who alone may.
_UNCHECKED: Final = "set local check_function_bodies = off;\n"
_CHECKED: Final = """\
set local check_function_bodies = on;
do $jobplane$
declare
  v_routine regprocedure;
  v_validator regproc;
begin
  for v_routine, v_validator in
    select p.oid, l.lanvalidator from pg_proc p join pg_language l on l.oid = p.prolang
    where p.pronamespace = 'jobplane'::regnamespace and p.proname = any (<routines>) loop
    begin
      execute format('select %s($1)', v_validator) using v_routine::oid;
    exception when others then
      raise exception '% in %', sqlerrm, v_routine using errcode = sqlstate;
    end;
  end loop;
end $jobplane$;
"""
_RECORD_CODE: Final = """\
update jobplane.installation set code_checksum = '<checksum>/' || current_setting('server_version_num')::int / 10000;
"""
_MAKERS: Final = "jobplane_doors, jobplane_engine, jobplane_hot"
_READERS: Final = ", ".join(f"jobplane_{login}" for login in LOGINS)


def code(source: Source, trust: Trust) -> str:
    """Functions, verbs, owners, grants and policies, for one transaction; its last line records it."""
    applied = _code(source, trust)
    return f"{applied}{become(trust)}{fill(_RECORD_CODE, checksum=_checksum(applied))}"


def code_checksum(source: Source, trust: Trust, major: int) -> str:
    """Changes with the code, and with the server's major version: policies depend on what the server can do."""
    return f"{_checksum(_code(source, trust))}/{major}"


def _code(source: Source, trust: Trust) -> str:
    if trust == "single":
        return "".join(
            [
                _drops(source.code, trust),
                _UNCHECKED,
                *(f"{file.sql.rstrip()}\n" for file in source.code),
                *(_set(source.code, owner) for owner in OWNERS),
                _check(source.code),
            ]
        )
    return "".join(
        [
            f"{AS_OWNER}grant usage, create on schema jobplane to {_MAKERS};\n",
            _drops(source.code, trust),
            _UNCHECKED,
            *(f"{_be(file.owner)}{file.sql.rstrip()}\n{_grants(file)}" for file in source.code),
            *(_be(owner) + _set(source.code, owner) for owner in OWNERS),
            *(_be(owner) + _check([file for file in source.code if file.owner == owner]) for owner in OWNERS),
            f"{AS_OWNER}{source.policies.rstrip()}\n",
            f"{AS_OWNER}revoke create on schema jobplane from {_MAKERS};\n",
            f"grant usage on schema jobplane to {_READERS};\n",
            f"grant select on jobplane.migrations, jobplane.installation to {_READERS};\n",
        ]
    )


def _be(owner: Owner) -> str:
    return f"set local role jobplane_{owner};\n"


def _set(files: Iterable[CodeFile], owner: Owner) -> str:
    verbs = [file for file in files if file.owner == owner and file.name.startswith("verbs/")]
    routines = _array([name for file in verbs for name in file.routines])
    settings = (_JIT, _PATIENCE) if owner == "engine" else (_JIT,)
    return "".join(fill(_SET, routines=routines, setting=name, value=value) for name, value in settings)


def _check(files: Iterable[CodeFile]) -> str:
    return fill(_CHECKED, routines=_array([name for file in files for name in file.routines]))


def _drops(files: Iterable[CodeFile], trust: Trust) -> str:
    """With one trusted login all functions are its own."""
    wanted = [
        (found.name, f"jobplane_{file.owner}" if trust == "roles" else "", found.arguments, found.columns)
        for file in files
        for found in file.signatures
    ]
    names, owners, arguments, columns = (_array([row[place] for row in wanted]) for place in range(4))
    return fill(_DROPS, routines=names, owners=owners, arguments=arguments, columns=columns)


def _grants(file: CodeFile) -> str:
    to = ", ".join(f"jobplane_{name}" for name in file.grantees)
    grant = f"execute format('grant execute on routine %s to {to}', v_routine);" if to else ""
    about = file.about.replace("'", "''")
    return fill(_GRANTS, routines=_array(file.routines), about=about, logins=_READERS, grant=grant)


def _checksum(text: str) -> str:
    return sha256(text.encode()).hexdigest()


def _array(names: Sequence[str]) -> str:
    return "array[" + ", ".join(f"'{name}'" for name in names) + "]::text[]"
