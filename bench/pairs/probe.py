"""Measures the jobplane that PYTHONPATH names: python -m bench.pairs.probe NAME SECONDS.

It prints an empty line when it has warmed up. Then, for each line that it reads, it works for so many seconds and
prints as JSON what it has spent. It runs on old checkouts too, so it uses only what they share: the SQL functions,
`Jobplane` and `JobManager`.
"""

from __future__ import annotations

import json
import os
import sys
import tempfile
from collections.abc import Callable, Generator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import asdict
from typing import Final

import psycopg

from bench.pairs import programs, statements
from bench.pairs.clocks import Step, spend
from bench.pairs.statements import Connection

Opens = Callable[[str], AbstractContextManager[Step]]

ON_POSTGRES: Final[dict[str, Opens]] = {
    "enqueue": statements.enqueue,
    "enqueue-many": statements.enqueue_many,
    "typed": programs.typed,
    "typed-async": programs.typed_async,
    "typed-many": programs.typed_many,
    "claim": statements.claim_and_settle,
    "manager": programs.life,
}
ON_SQLITE: Final[dict[str, Opens]] = {
    "sqlite-enqueue": programs.typed,
    "sqlite-many": programs.typed_many,
    "sqlite-drain": programs.drain,
}
WORKERS: Final = ("claim",)  # what is done with a worker's login


@contextmanager
def _opened(name: str) -> Generator[tuple[Step, Connection | None]]:
    """The step of a measure, and a connection to its server."""
    if name in ON_SQLITE:
        with tempfile.TemporaryDirectory() as place, ON_SQLITE[name](f"sqlite:///{place}/jobs.db") as step:
            yield step, None
        return
    url = os.environ["JOBPLANE_DATABASE_URL_WORKER" if name in WORKERS else "JOBPLANE_DATABASE_URL_APP"]
    with ON_POSTGRES[name](url) as step, psycopg.connect(url, autocommit=True) as conn:
        yield step, conn


def main() -> None:
    name, seconds = sys.argv[1:]
    with _opened(name) as (step, server):
        spend(step, float(seconds), server)
        print(flush=True)
        for _ in sys.stdin:
            print(json.dumps(asdict(spend(step, float(seconds), server))), flush=True)


if __name__ == "__main__":
    main()
