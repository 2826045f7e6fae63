"""A worker process that is to be killed in the middle of its work. Arguments: the database's URL and a seed."""

from __future__ import annotations

import random
import sys
import time

import psycopg

from tests.races.hands import Worker


def turn(worker: Worker, chance: random.Random) -> None:
    """Claim, linger, settle; between any two of them, and inside a transaction too, it may die."""
    leases = worker.claim(chance.choice([1, 2, 5]), lease_seconds=5)
    time.sleep(chance.random() * 0.01)
    worker.commit()
    if leases:
        time.sleep(chance.random() * 0.01)
        worker.settle(leases, [chance.choice(["succeeded", "succeeded", "released"]) for _ in leases])
        time.sleep(chance.random() * 0.005)
        worker.commit()


def main(url: str, seed: int) -> None:
    chance = random.Random(seed)
    worker = Worker(psycopg.connect(url, autocommit=seed % 2 == 0))
    sys.stdout.write("started\n")
    sys.stdout.flush()
    while True:
        turn(worker, chance)


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]))
