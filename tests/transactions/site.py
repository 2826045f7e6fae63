"""A Django site in the test's own process, with the test's database as its default one."""

from __future__ import annotations

from collections.abc import Callable, Generator
from contextlib import AbstractContextManager, contextmanager
from typing import Any, Final, cast

import django
from django.conf import settings
from django.db import connections, transaction
from psycopg.conninfo import conninfo_to_dict

# Django has no types of its own.
atomic: Final = cast("Callable[[], AbstractContextManager[object]]", cast("Any", transaction).atomic)
set_rollback: Final = cast("Callable[[bool], None]", cast("Any", transaction).set_rollback)


@contextmanager
def serve(url: str, **options: object) -> Generator[None]:
    """A site whose default database is this one; `sqlite:` is a file."""
    if not settings.configured:
        cast("Any", settings).configure(USE_TZ=True)
        cast("Any", django).setup()
    handler = cast("Any", connections)
    handler.settings = handler.configure_settings({"default": {**_database(url), "OPTIONS": options}})
    try:
        yield
    finally:
        handler["default"].close()
        del handler["default"]


def _database(url: str) -> dict[str, object]:
    if url.startswith("sqlite:"):
        return {"ENGINE": "django.db.backends.sqlite3", "NAME": url.removeprefix("sqlite:///")}
    parts = conninfo_to_dict(url)
    return {
        "ENGINE": "django.db.backends.postgresql",
        "NAME": parts["dbname"],
        "USER": parts["user"],
        "HOST": parts["host"],
        "PORT": parts.get("port", ""),
    }
