from __future__ import annotations

import pytest

from jobplane import config
from jobplane.process.starting import locate

OWN, APP, WORKER = "sqlite:///own.db", "postgresql://app@db/x", "postgresql://worker@db/x"


@pytest.mark.parametrize(
    ("given", "url", "found"),
    [
        ({}, OWN, OWN),
        ({"database_url": APP}, OWN, APP),
        ({"database_url_worker": WORKER}, None, WORKER),
        ({"database_url_worker": WORKER}, APP, APP),
    ],
)
def test_the_database_is_the_one_that_is_named_nearest(given: dict[str, str], url: str | None, found: str) -> None:
    assert locate(config.load(given, env={}), url, "worker").database_url == found


def test_without_any_the_variable_is_named() -> None:
    with pytest.raises(config.InvalidConfig, match="JOBPLANE_DATABASE_URL"):
        locate(config.load({}, env={}), None, "worker")
