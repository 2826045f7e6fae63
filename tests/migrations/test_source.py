import hashlib

import pytest

from jobplane.store.postgres import source
from jobplane.store.postgres.refusals import InvalidSource
from tests.migrations.tree import Tree


def test_the_packaged_tree_fits_together() -> None:
    packaged = source.load()

    assert packaged.number == len(packaged.migrations) > 0
    assert "jobplane_owner" in packaged.roles


def test_a_migration_carries_its_checksum_and_what_its_header_says(tree: Tree) -> None:
    path = tree.migration("0003_more", "select 1;", oldest_program=2)

    first, second, third = source.load(tree.root).migrations

    assert (first.transactional, second.transactional) == (True, False)
    assert (third.number, third.name, third.oldest_program) == (3, "0003_more.sql", 2)
    assert third.checksum == hashlib.sha256(path.read_bytes()).hexdigest()


def test_a_statement_is_put_in_without_its_comments_and_semicolon(tree: Tree) -> None:
    put = source.load(tree.root).code[-1]

    assert "$$ insert into jobplane.things values ($1, '00000000-0000-0000-0000-000000000001', $2) $$" in put.sql
    assert (put.routines, put.owner, put.grantees) == (("put",), "doors", ("app", "admin"))


def test_a_statement_may_include_another(tree: Tree) -> None:
    tree.write("statements/put.sql", "-- put: store a thing\ninsert into jobplane.things /*statement:values*/")
    tree.write("statements/values.sql", "-- values: of a thing\nvalues (1)")

    put = source.load(tree.root).code[-1]

    assert "$$ insert into jobplane.things values (1) $$" in put.sql


@pytest.mark.parametrize(
    ("path", "content", "complaint"),
    [
        ("migrations/0004_gap.sql", "-- oldest program: 1\n", "0004_gap.sql: the next number is 0003"),
        ("migrations/0002_twice.sql", "-- oldest program: 1\n", "0002_twice.sql: the next number is 0003"),
        ("migrations/3_short.sql", "-- oldest program: 1\n", "named like 0001_what_it_does.sql"),
        ("migrations/0003_bare.sql", "select 1;\n", "no line `-- oldest program: …`"),
        ("migrations/0003_odd.sql", "-- oldest program: first\n", "needs a schema number"),
        ("verbs/bare.sql", "create or replace function jobplane.bare()", "no line `-- for: …`"),
        ("verbs/odd.sql", "-- owner: me\n-- for: app\ncreate or replace function jobplane.odd()", "is doors or engine"),
        ("verbs/who.sql", "-- owner: doors\n-- for: app, root\n", "may name app, worker, .*, not root"),
        ("verbs/empty.sql", "-- owner: doors\n-- for: app\nselect 1;", "no `create or replace function"),
        ("functions/lost.sql", "/*statement:lost*/", "no statements/lost.sql"),
    ],
)
def test_what_does_not_fit_together_is_refused(tree: Tree, path: str, content: str, complaint: str) -> None:
    tree.write(path, content)

    with pytest.raises(InvalidSource, match=complaint):
        source.load(tree.root)
