"""The first check of a login, without the pool, which would report a failure only after its whole timeout."""

from __future__ import annotations

import logging

from jobplane.store.postgres import startup
from jobplane.store.postgres.errors import translate_errors
from jobplane.store.postgres.link import connect
from jobplane.store.postgres.settings import Settings

log = logging.getLogger("jobplane.store")


def probe(settings: Settings, url: str) -> None:
    """Raise at once if the server cannot be reached or may not be used; log the warnings of each start."""
    with translate_errors(), connect(url, options=settings.options) as conn:
        for sentence in startup.check(conn, **settings.checks()):
            log.warning(sentence)
