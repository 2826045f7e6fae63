from __future__ import annotations

import pytest

from jobplane import config
from jobplane.core.errors import Invalid
from jobplane.process.database import find_other_database, refuse_memory, show_url

URL = "postgresql://worker:secret@db/x"


@pytest.mark.parametrize(
    ("url", "said"),
    [
        (URL, "postgresql://db/x"),
        ("postgresql://w:p@ss@db:5432/x?sslmode=require", "postgresql://db/x"),
        ("postgresql://w@a:1,b:2/x", "postgresql://a:1,b:2/x"),
        ("postgresql://w@/x?host=%2Frun%2Fpg", "postgresql:///run/pg/x"),
        ("postgresql://w@[::1]/x", "postgresql://localhost/x"),
        ("sqlite:////tmp/../tmp/jobs.db", "sqlite:////tmp/jobs.db"),
        ("sqlite:///:memory:", "sqlite:///:memory:"),
    ],
)
def test_a_database_is_named_without_who_may_enter(url: str, said: str) -> None:
    assert show_url(url) == said


@pytest.mark.parametrize(
    ("given", "url", "found"),
    [
        ({"database_url": URL}, None, None),
        ({"database_url": URL}, "postgresql://app@db:5432/x", None),
        ({"database_url": URL}, "postgresql://app@db/y", "postgresql://db/y"),
        ({"database_url": URL, "pooler": "transaction"}, "postgresql://app@direct/x", None),
        ({"database_url": URL, "pooler": "transaction"}, "sqlite:///:memory:", "sqlite:///:memory:"),
        ({"database_url": URL, "migrate_url": "embedded:/tmp/a"}, "embedded:/tmp/a", None),
        ({"database_url": URL, "migrate_url": "embedded:/tmp/a"}, "embedded:/tmp/b", "embedded:/tmp/b"),
    ],
)
def test_modules_that_enqueue_elsewhere_are_noticed(given: dict[str, str], url: str | None, found: str | None) -> None:
    assert find_other_database(config.load(given, env={}), url) == found


def test_nobody_can_work_on_the_memory_of_another_process() -> None:
    with pytest.raises(Invalid, match="in memory"):
        refuse_memory(config.load({"database_url": "sqlite:///:memory:"}, env={}))
