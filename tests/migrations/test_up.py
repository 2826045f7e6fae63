import pytest

from jobplane.core.errors import Forbidden, SchemaOutOfDate, StoreBusy
from jobplane.embedded import EmbeddedServer
from jobplane.store.postgres import migrate, script
from jobplane.store.postgres.refusals import MigrationChanged, MigrationFailed, TrustMismatch
from jobplane.store.postgres.script import Trust
from tests.migrations.cluster import Database, new_database
from tests.migrations.tree import Tree

ALL = ("schema", "0001_things.sql", "0002_label.sql", "functions and policies")
EXECUTORS = """
select string_agg(acl.grantee::regrole::text, ' ' order by acl.grantee::regrole::text)
from pg_proc, aclexplode(proacl) as acl where proname = '{}' and acl.grantee <> proowner
"""


def test_up_applies_each_step_once(database: Database, tree: Tree) -> None:
    first = migrate.up(database.url(), root=tree.root)
    again = migrate.up(database.url(), root=tree.root)

    assert first.steps == ALL
    assert again.steps == ()
    assert migrate.status(database.url("app"), root=tree.root).up_to_date


def test_owners_and_grants_are_what_the_files_say(database: Database, tree: Tree) -> None:
    migrate.up(database.url(), root=tree.root)

    owners = "select proname || ' ' || proowner::regrole from pg_proc where pronamespace = 'jobplane'::regnamespace"
    assert sorted(database.values(owners), key=str) == ["now_here jobplane_owner", "put jobplane_doors"]
    assert database.value(EXECUTORS.format("put")) == "jobplane_admin jobplane_app"
    assert database.value(EXECUTORS.format("now_here")) == "jobplane_doors jobplane_engine"
    assert database.value("select has_schema_privilege('jobplane_doors', 'jobplane', 'create')") is False


def test_a_verb_runs_as_its_owner_and_for_its_grantees_only(database: Database, tree: Tree) -> None:
    migrate.up(database.url(), root=tree.root)

    database.values("select jobplane.put(1, 'one')", "app")

    assert database.values("select label from jobplane.things") == ["one"]
    with pytest.raises(Exception, match="permission denied for function put"):
        database.values("select jobplane.put(2, 'two')", "worker")


def test_changed_code_is_applied_again_and_a_withdrawn_grant_is_gone(database: Database, tree: Tree) -> None:
    migrate.up(database.url(), root=tree.root)
    path = tree.root / "verbs/put.sql"
    path.write_text(path.read_text().replace("-- for: app, admin", "-- for: worker"))

    assert migrate.up(database.url(), root=tree.root).steps == ("functions and policies",)
    assert database.value(EXECUTORS.format("put")) == "jobplane_worker"


def test_a_verb_may_change_hands(database: Database, tree: Tree) -> None:
    migrate.up(database.url(), root=tree.root)
    path = tree.root / "verbs/put.sql"
    path.write_text(path.read_text().replace("-- owner: doors", "-- owner: engine"))

    migrate.up(database.url(), root=tree.root)

    assert database.value("select proowner::regrole::text from pg_proc where proname = 'put'") == "jobplane_engine"


@pytest.mark.parametrize("trust", ["roles", "single"])
def test_a_verb_may_answer_with_other_columns(database: Database, tree: Tree, trust: Trust) -> None:
    """Also to who has asked before, and through another verb."""
    verb = """\
create or replace function jobplane.both(p_id bigint default (0)) returns table (a int, b text)
language plpgsql security definer as $$ begin return query select 1, 'x'; end $$;"""
    through = """\
create or replace function jobplane.through() returns text
language plpgsql security definer as $$ begin return (select row_to_json(x) from jobplane.both() x); end $$;"""
    tree.verb("both", verb)
    tree.verb("through", through)
    migrate.up(database.url(), root=tree.root, trust=trust)

    with database.connect("app" if trust == "roles" else "owner") as conn:
        asked = "select jobplane.through()"
        assert conn.execute(asked, prepare=True).fetchall() == [('{"a":1,"b":"x"}',)]
        tree.verb("both", verb.replace("b text)", "b text, more boolean)").replace("'x'", "'x', true"))
        migrate.up(database.url(), root=tree.root, trust=trust)

        assert conn.execute(asked, prepare=True).fetchall() == [('{"a":1,"b":"x","more":true}',)]
    if trust == "roles":
        assert database.value(EXECUTORS.format("both")) == "jobplane_admin jobplane_app"


@pytest.mark.parametrize("trust", ["roles", "single"])
def test_a_verb_may_take_more_arguments(database: Database, tree: Tree, trust: Trust) -> None:
    """Who called it before still can: the one of before is gone, and no call fits two."""
    verb = """\
create or replace function jobplane.found(
  p_text text, inout p_n int default (1), p_kinds text[] default '{a,b}', out more int)
language plpgsql security definer as $$ begin more := p_n + 1; end $$;"""
    tree.verb("found", verb)
    migrate.up(database.url(), root=tree.root, trust=trust)
    tree.verb("found", verb.replace("'{a,b}',", "'{a,b}', p_level text default null, p_job uuid default null,"))

    with database.connect("app" if trust == "roles" else "owner") as conn:
        for _ in range(2):
            asked = conn.execute("select p_n, more from jobplane.found('x', 7)", prepare=True).fetchall()
            assert asked == [(7, 8)]
            migrate.up(database.url(), root=tree.root, trust=trust)

    assert database.values("select pronargs::int from pg_proc where proname = 'found'") == [5]
    if trust == "roles":
        assert database.value(EXECUTORS.format("found")) == "jobplane_admin jobplane_app"


def test_a_verb_may_be_there_with_two_lists_of_arguments(database: Database, tree: Tree) -> None:
    tree.verb(
        "more", "create or replace function jobplane.put(p_id bigint) returns int language sql as $$ select 3 $$;"
    )
    for body in ("3", "4"):
        more = tree.root / "verbs/more.sql"
        more.write_text(more.read_text().replace("select 3", f"select {body}"))
        migrate.up(database.url(), root=tree.root)

        assert database.value("select jobplane.put(1)", "app") == int(body)
        assert database.value("select count(*) from pg_proc where proname = 'put'") == 2


@pytest.mark.parametrize("trust", ["roles", "single"])
def test_what_is_there_as_the_files_have_it_is_replaced_and_not_dropped(database: Database, trust: Trust) -> None:
    """A function that is dropped takes along what others have granted on it, and is refused where a view needs it."""
    there = "select oid::int from pg_proc where pronamespace = 'jobplane'::regnamespace order by 1"
    migrate.up(database.url(), trust=trust)
    before = database.values(there)
    database.values("update jobplane.installation set code_checksum = '' returning 1")

    assert migrate.up(database.url(), trust=trust).steps == ("functions and policies",)
    assert database.values(there) == before


def test_a_function_that_left_the_tree_stays(database: Database, tree: Tree) -> None:
    migrate.up(database.url(), root=tree.root)
    (tree.root / "verbs/put.sql").unlink()

    migrate.up(database.url(), root=tree.root)

    assert database.value(EXECUTORS.format("put")) == "jobplane_admin jobplane_app"


def test_functions_may_call_each_other_in_any_order_of_files(database: Database, tree: Tree) -> None:
    tree.write(
        "functions/a.sql",
        "create or replace function jobplane.a() returns int language sql as $$ select jobplane.b() $$;",
    )
    tree.write("functions/b.sql", "create or replace function jobplane.b() returns int language sql as $$ select 1 $$;")

    assert migrate.up(database.url(), root=tree.root).steps == ALL


def test_a_function_with_a_wrong_body_is_refused_by_name(database: Database, tree: Tree) -> None:
    tree.write(
        "functions/a.sql",
        "create or replace function jobplane.a() returns int language sql as $$ select jobplane.b() $$;",
    )

    with pytest.raises(MigrationFailed, match=r"jobplane\.b\(\) does not exist in a\(\)"):
        migrate.up(database.url(), root=tree.root)
    assert database.values("select proname from pg_proc where pronamespace = 'jobplane'::regnamespace") == []


def test_a_changed_migration_is_an_error_that_names_the_file(database: Database, tree: Tree) -> None:
    migrate.up(database.url(), root=tree.root)
    tree.migration("0001_things", "create table jobplane.other (id int);")

    with pytest.raises(MigrationChanged, match=r"0001_things\.sql is not what was applied"):
        migrate.up(database.url(), root=tree.root)
    with pytest.raises(MigrationChanged):
        migrate.status(database.url(), root=tree.root)


def test_a_failed_migration_leaves_nothing_and_keeps_what_was_before_it(database: Database, tree: Tree) -> None:
    tree.migration("0003_more", "create table jobplane.more (id int); select 1 / 0;")

    with pytest.raises(MigrationFailed, match=r"0003_more\.sql: division by zero \(22012\)"):
        migrate.up(database.url(), root=tree.root)
    assert database.value("select max(number) from jobplane.migrations") == 2
    assert database.value("select to_regclass('jobplane.more')") is None

    tree.migration("0003_more", "create table jobplane.more (id int);")
    assert migrate.up(database.url(), root=tree.root).steps == ("0003_more.sql", "functions and policies")


def test_a_newer_schema_is_left_alone_while_this_program_can_run_on_it(database: Database, tree: Tree) -> None:
    newer = tree.migration("0003_more", "create table jobplane.more (id int);", oldest_program=2)
    tree.verb(
        "more", "create or replace function jobplane.put(p_id bigint) returns int language sql as $$ select 3 $$;"
    )
    migrate.up(database.url(), root=tree.root)
    checksum = database.value("select code_checksum from jobplane.installation")
    newer.unlink()
    (tree.root / "verbs/more.sql").unlink()

    report = migrate.up(database.url(), root=tree.root)

    assert (report.ahead, report.number, report.steps) == (True, 3, ())
    assert database.value("select code_checksum from jobplane.installation") == checksum


def test_a_schema_that_is_too_new_is_refused(database: Database, tree: Tree) -> None:
    newer = tree.migration("0003_more", "create table jobplane.more (id int);", oldest_program=3)
    migrate.up(database.url(), root=tree.root)
    newer.unlink()

    with pytest.raises(SchemaOutOfDate, match="Install a newer jobplane") as refusal:
        migrate.up(database.url(), root=tree.root)
    assert refusal.value.facts == {"found": 3, "wanted": 2}


def test_a_lock_in_the_way_is_waited_for_in_short_tries_and_then_reported(database: Database, tree: Tree) -> None:
    migrate.up(database.url(), root=tree.root)
    tree.migration("0003_column", "alter table jobplane.things add column colour text;")

    with database.connect() as reader, reader.transaction():
        reader.execute("lock table jobplane.things in access share mode")
        with pytest.raises(StoreBusy, match=r"0003_column\.sql: canceling statement due to lock timeout"):
            migrate.up(database.url(), root=tree.root, patience=0)

    assert migrate.up(database.url(), root=tree.root).steps[:1] == ("0003_column.sql",)


def test_single_trust_needs_no_roles_and_sets_no_owner(database: Database, tree: Tree) -> None:
    tree.write("policies.sql", "select this is never run;")

    report = migrate.up(database.url(), trust="single", root=tree.root)

    assert report.steps == ALL
    assert database.value("select proowner::regrole::text from pg_proc where proname = 'put'") == "jobplane_owner"
    assert database.value("select has_schema_privilege('jobplane_app', 'jobplane', 'usage')") is False
    assert migrate.status(database.url(), root=tree.root).trust == "single"


@pytest.mark.parametrize(("first", "then"), [("roles", "single"), ("single", "roles")])
def test_trust_cannot_be_switched(database: Database, tree: Tree, first: script.Trust, then: script.Trust) -> None:
    migrate.up(database.url(), trust=first, root=tree.root)

    with pytest.raises(TrustMismatch, match=f"Use `--trust {first}`"):
        migrate.up(database.url(), trust=then, root=tree.root)


def test_a_login_that_cannot_become_the_owner_is_told_what_to_run(database: Database, tree: Tree) -> None:
    with pytest.raises(Forbidden, match="jobplane migrate roles --grant owner=jobplane_stranger"):
        migrate.up(database.url("stranger"), root=tree.root)


def test_an_owner_who_may_not_create_is_told_what_to_run(server: EmbeddedServer, tree: Tree) -> None:
    database = new_database(server, "dba")

    with pytest.raises(Forbidden, match='grant create on database "fresh_'):
        migrate.up(database.url(), root=tree.root)
