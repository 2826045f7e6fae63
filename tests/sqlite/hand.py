"""A process that uses one SQLite file with others. Arguments: the file, and what to do."""

from __future__ import annotations

import os
import random
import subprocess
import sys
import time
from pathlib import Path
from typing import Final

from jobplane.core.model import DEFAULT_TENANT, NewJob, Outcome
from tests import programs
from tests.client import BlockingSqliteStore
from tests.leases import settlement

ROOT: Final = Path(__file__).parents[2]


def start(path: Path, task: str) -> subprocess.Popen[str]:
    """A new process of this module that has opened the file."""
    command = [sys.executable, "-m", "tests.sqlite.hand", str(path), task]
    process = programs.start(command, cwd=ROOT, stdout=subprocess.PIPE)
    assert process.stdout
    assert process.stdout.readline() == "started\n"
    return process


def say(line: object) -> None:
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()


def drain(store: BlockingSqliteStore) -> None:
    """Claim and settle until nothing is left, and say what was claimed."""
    while leases := store.claim("default", str(os.getpid()), limit=7).leases:
        store.settle([settlement(lease=lease, outcome=Outcome.SUCCEEDED) for lease in leases])
        say(" ".join(str(lease.seq) for lease in leases))


def churn(store: BlockingSqliteStore) -> None:
    """Work in every way until it is killed, and say when a turn is over."""
    chance = random.Random()
    while True:
        store.enqueue(DEFAULT_TENANT, [NewJob(definition="d", dedupe_key=str(chance.randrange(50)))] * 3)
        leases = store.claim("default", str(os.getpid()), limit=5, lease_seconds=5).leases
        outcomes = [chance.choice(list(Outcome)) for _ in leases]
        store.settle([settlement(lease=x, outcome=outcome) for x, outcome in zip(leases, outcomes, strict=True)])
        store.promote()
        say("turn")


def enqueue(store: BlockingSqliteStore) -> None:
    """Enqueue until it is killed, and say what was acknowledged."""
    while True:
        [answer] = store.enqueue(DEFAULT_TENANT, [NewJob(definition="d")])
        say(answer.job_id)


def work(store: BlockingSqliteStore) -> None:
    """The whole life of jobs until it is killed; say which attempt was accepted as ended, how, and where it led."""
    chance = random.Random()
    while True:
        store.enqueue(DEFAULT_TENANT, [NewJob(definition="d")] * 3)
        leases = store.claim("default", str(os.getpid()), limit=5, lease_seconds=5).leases
        store.renew(leases[:2])
        ended = [settlement(lease=lease, outcome=chance.choice(list(Outcome))) for lease in leases]
        for said, answer in zip(ended, store.settle(ended), strict=True):
            if answer.accepted:
                say(f"{answer.seq} {answer.attempt_no} {said.ending.outcome.value} {answer.status}")
        store.promote()
        store.reap()


def hold(store: BlockingSqliteStore) -> None:
    """Keep the whole file for two seconds, as a transaction that an application left open would."""
    from jobplane.store.sqlite.drivers import ApswLink

    link = ApswLink(store.path)
    link.rows("begin immediate")
    say("held")
    time.sleep(2)
    link.rows("rollback")


TASKS: Final = {"drain": drain, "churn": churn, "enqueue": enqueue, "work": work, "hold": hold}


def main(path: str, task: str) -> None:
    with BlockingSqliteStore(path, busy_seconds=60) as store:
        store.check()
        say("started")
        TASKS[task](store)


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2])
