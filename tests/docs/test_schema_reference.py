"""What the reference says of tables and ranges is what the database has."""

import re
from collections.abc import Iterator

import psycopg
import pytest

from jobplane.core.model import DEFAULT_TENANT
from tests.database import Cluster, Database
from tests.docs.table import rows, words

TABLES = "docs/reference/tables.md"
VALUES = "docs/reference/values.md"
SIMPLE = re.compile(r"([\d.]+) to ([\d.]+)( seconds)?($|[,;])")


@pytest.fixture(scope="module")
def schema(cluster: Cluster) -> Iterator[Database]:
    """One database for all: these tests leave nothing behind that another could see."""
    with cluster.fresh() as database:
        yield database


def test_every_table_is_documented_with_who_reads_it(schema: Database) -> None:
    documented = {(words(row["table"])[0], bool(row["app reads"])) for row in rows(TABLES, "table")}

    found = schema.peek(
        "select relname, has_any_column_privilege('jobplane_app', oid, 'select') from pg_class"
        " where relnamespace = 'jobplane'::regnamespace and relkind in ('r', 'p') and not relispartition"
    )
    assert documented == set(found)


def test_every_status_and_outcome_is_documented(schema: Database) -> None:
    documented = {f"jobplane.{words(row['type'])[0]}": words(row["values"]) for row in rows(TABLES, "type")}

    labels = "array_agg(enumlabel::text order by enumsortorder)"
    assert documented == dict(schema.peek(f"select enumtypid::regtype::text, {labels} from pg_enum group by 1"))


def test_every_column_of_a_whole_job_is_documented(schema: Database) -> None:
    documented = [(words(row["column"])[0], row["type"]) for row in rows(TABLES, "column")]

    assert documented == schema.peek(
        "select attname, replace(format_type(atttypid, null), 'timestamp with time zone', 'timestamptz')"
        " from pg_attribute where attrelid = 'jobplane.job'::regclass order by attnum"
    )


@pytest.mark.parametrize(("section", "table"), [("A definition", "definitions"), ("A tenant", "tenants")])
def test_defaults_are_those_of_the_columns(schema: Database, section: str, table: str) -> None:
    query = "select column_name, column_default from information_schema.columns where table_name = %s"
    columns = dict(schema.peek(query, table))

    for row in rows(VALUES, "field", section=section):
        column = words(row["field"])[0].replace(".", "_")
        default = re.sub(r"::.*", "", columns.get(column) or "").strip("'")
        assert "".join(words(row["default"])).strip("'") == default, column


def ranges(section: str, first: str) -> list[tuple[str, float, float]]:
    """The rows that give a number from here to there."""
    found = [(words(row[first])[0], SIMPLE.match(row["range"])) for row in rows(VALUES, first, section=section)]
    return [(name, float(bounds[1]), float(bounds[2])) for name, bounds in found if bounds]


def accepted(conn: psycopg.Connection[tuple[object, ...]], statement: str, low: float, high: float) -> list[bool]:
    """Whether it takes a value below, at the lower end, at the upper end, and above."""
    return [_accepts(conn, statement, int(value)) for value in (low - 1, low, high, high + 1)]


def _accepts(conn: psycopg.Connection[tuple[object, ...]], statement: str, value: int) -> bool:
    try:
        conn.execute(statement.encode(), [value])
    except psycopg.Error as error:
        if error.sqlstate != "JP002":
            raise
        return False
    return True


def test_a_definition_is_refused_beyond_each_range(schema: Database) -> None:
    document = """jsonb_set('{"key": "d", "backoff": {}}', string_to_array('FIELD', '.'), to_jsonb(%s))"""
    conn = schema.connect("admin")

    assert len(ranges("A definition", "field")) == 7
    for field, low, high in ranges("A definition", "field"):
        statement = f"select jobplane.put_definitions(array[{document.replace('FIELD', field)}])"
        assert accepted(conn, statement, low, high) == [False, True, True, False], field


def test_an_enqueue_is_refused_beyond_each_range(schema: Database) -> None:
    schema.connect("admin").execute("""select jobplane.put_definitions(array['{"key": "e"}'::jsonb])""")
    conn = schema.connect("app")
    conn.execute("select set_config('jobplane.tenant_id', %s, false)", [str(DEFAULT_TENANT)])

    assert len(ranges("A job", "argument")) == 4
    for argument, low, high in ranges("A job", "argument"):
        statement = f"select jobplane.enqueue('e', {argument} => %s)"
        assert accepted(conn, statement, low, high) == [False, True, True, False], argument


def test_a_claim_is_refused_beyond_each_range(schema: Database) -> None:
    conn = schema.connect("worker")

    assert len(ranges("A claim", "argument")) == 2
    for argument, low, high in ranges("A claim", "argument"):
        statement = f"select jobplane.claim('system', 'w', {argument} => %s)"
        assert accepted(conn, statement, low, high) == [False, True, True, False], argument
