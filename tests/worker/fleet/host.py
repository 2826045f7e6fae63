"""A process that hosts a fleet, to be stopped and killed: python -m tests.worker.fleet.host DIRECTORY LEASE_SECONDS

It runs a handler in C with the GIL, one on the loop and one alone that goes on without contact, renews like a healthy
supervisor, and prints how each ended.
"""

import asyncio
import sys
from pathlib import Path

from jobplane.worker.watchdog import boot_time
from tests.worker.fleet.stage import Stage, staged


async def main(directory: Path, lease_seconds: float) -> None:
    async with staged(directory, lease_seconds=lease_seconds) as stage:
        in_c, waits, lasting = (stage.job(key, signs=True) for key in ("hold-the-gil", "long", "long-alone"))
        async with asyncio.TaskGroup() as tasks:
            tasks.create_task(renew(stage, lease_seconds / 10))
            tasks.create_task(say_ends(stage, 2))
            stage.deal(waits, alone=[lasting], lasting=[lasting])
            await stage.signed(waits)  # with the GIL gone nobody else in its process could
            stage.deal(in_c)


async def renew(stage: Stage, seconds: float) -> None:
    while True:
        stage.fleet.confirm(boot_time())
        await asyncio.sleep(seconds)


async def say_ends(stage: Stage, count: int) -> None:
    await stage.recorder.until(lambda: len(stage.recorder.ends) == count, seconds=60)
    sys.stdout.write(" ".join(str(reason) for _, reason in stage.recorder.said(*stage.recorder.ends)) + "\n")
    sys.stdout.flush()


if __name__ == "__main__":
    asyncio.run(main(Path(sys.argv[1]), float(sys.argv[2])))
