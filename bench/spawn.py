"""spawn: bare processes, as fast as one process can start them: python -m bench.spawn PROGRAM AT_ONCE SECONDS."""

from __future__ import annotations

import os
import sys
import time


def main(program: str, at_once: int, seconds: float) -> None:
    """Start the next when one has ended; print how many ended in a second."""
    done, began = 0, time.perf_counter()
    for _ in range(at_once):
        os.posix_spawn(program, [program], {})
    while time.perf_counter() < began + seconds:
        os.wait()
        done += 1
        os.posix_spawn(program, [program], {})
    print(done / (time.perf_counter() - began))
    for _ in range(at_once):
        os.wait()


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]), float(sys.argv[3]))
