"""A small tree of SQL files that a test can change."""

from dataclasses import dataclass
from pathlib import Path

from jobplane.store.postgres.source import PACKAGED

TABLE = "create table jobplane.things (id bigint primary key, tenant_id uuid not null, label text);"
INDEX = "create index concurrently things_label on jobplane.things (label);"
CLOCK = (
    "create or replace function jobplane.now_here() returns timestamptz language sql as $$ select clock_timestamp() $$;"
)
PUT = """\
create or replace function jobplane.put(p_id bigint, p_label text) returns void
language sql security definer as $$ /*statement:put*/ $$;"""
STATEMENT = "insert into jobplane.things values ($1, '00000000-0000-0000-0000-000000000001', $2)"
POLICIES = "grant select, insert on jobplane.things to jobplane_doors;"


@dataclass(frozen=True)
class Tree:
    root: Path

    def migration(self, name: str, sql: str, *, oldest_program: int = 1, transactional: bool = True) -> Path:
        first = "" if transactional else "-- jobplane:no-transaction\n"
        return self.write(f"migrations/{name}.sql", f"{first}-- oldest program: {oldest_program}\n{sql}\n")

    def verb(self, name: str, sql: str, *, owner: str = "doors", grantees: str = "app, admin") -> Path:
        return self.write(f"verbs/{name}.sql", f"-- {name}: a verb\n-- owner: {owner}\n-- for: {grantees}\n{sql}\n")

    def write(self, path: str, content: str) -> Path:
        target = self.root / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(content)
        return target


def plant(root: Path) -> Tree:
    """Two migrations, the second outside transactions, an internal function, a verb with a statement, policies."""
    tree = Tree(root)
    tree.migration("0001_things", TABLE)
    tree.migration("0002_label", INDEX, transactional=False)
    tree.write("functions/now_here.sql", f"-- now_here: the time\n{CLOCK}\n")
    tree.write("statements/put.sql", f"-- put: store a thing\n\n{STATEMENT};\n")
    tree.verb("put", PUT)
    tree.write("policies.sql", f"{POLICIES}\n")
    tree.write("roles.sql", (PACKAGED / "roles.sql").read_text())
    return tree
