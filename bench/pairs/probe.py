"""One reading of the jobplane that PYTHONPATH names, printed as JSON: python -m bench.pairs.probe NAME SECONDS.

Runs on old checkouts too, so it uses only what they share: the SQL functions, `Jobplane` and `JobManager`.
"""

from __future__ import annotations

import json
import os
import sys
import tempfile
from collections.abc import Callable
from contextlib import AbstractContextManager
from typing import Final

from bench.pairs import programs, statements
from bench.pairs.clocks import Step, read
from bench.pairs.ratios import Reading

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


def _read(name: str, seconds: float) -> Reading:
    if name in ON_SQLITE:
        with tempfile.TemporaryDirectory() as place, ON_SQLITE[name](f"sqlite:///{place}/jobs.db") as step:
            return read(step, seconds)
    url = os.environ["JOBPLANE_DATABASE_URL_WORKER" if name in WORKERS else "JOBPLANE_DATABASE_URL_APP"]
    with ON_POSTGRES[name](url) as step:
        return read(step, seconds, url)


def main() -> None:
    name, seconds = sys.argv[1:]
    print(json.dumps(_read(name, float(seconds))))


if __name__ == "__main__":
    main()
