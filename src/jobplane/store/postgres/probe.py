"""The first look at a login, past the pool, which would only say after its whole patience that it was in vain."""

from __future__ import annotations

import logging

from jobplane.store.postgres import startup
from jobplane.store.postgres.errors import translate_errors
from jobplane.store.postgres.link import connect
from jobplane.store.postgres.settings import Settings

log = logging.getLogger("jobplane.store")


def probe(settings: Settings, url: str) -> None:
    """Refuse at once, with the reason, what cannot be reached or may not be used; log what each start has to say."""
    with translate_errors(), connect(url, options=settings.options) as conn:
        for sentence in startup.check(conn, **settings.checks()):
            log.warning(sentence)
