"""Whatever bytes an executor sends, the supervisor goes on, and settles the jobs of that executor alone."""

import random
import socket
import struct
from collections.abc import Callable
from typing import Any, Final, cast
from uuid import UUID

import orjson
import pytest

from jobplane.core.leases import Lease
from jobplane.core.model import Outcome
from jobplane.worker.channel import Channel
from jobplane.worker.fleet.holdings import Holdings
from jobplane.worker.fleet.pace import Pace
from jobplane.worker.frames import HEAD, HEAD_MARK, SPENT, Kind, frame
from tests.worker.fleet.stage import Recorder

pytestmark = pytest.mark.anyio
ROUNDS: Final = 3000
SEQS: Final = (1, 2, 3)
ATOMS: Final[tuple[Any, ...]] = (
    *(None, True, 0, 1, 2, -1, 1.5, 1e300, 2**63 - 1, "", "succeeded", "failed", "info", "\0", "x" * 2000, [], {}),
)
FRAMES: Final[tuple[tuple[Kind, Any], ...]] = (
    (Kind.DONE, [1]),
    (Kind.ENDED, [[1, "succeeded", None, None, None, None, "42", None, None, 3]]),
    (Kind.LOGS, [[1, 1, 1_700_000_000_000_000, "info", "a line", {"a": 1}]]),
    (Kind.SHARE, [[1, 0.5, "half"]]),
    (Kind.RETURNED, [1]),
    (Kind.OVERDUE, [1]),
)


def junk(dice: random.Random, depth: int = 3) -> Any:
    if depth == 0 or dice.random() < 0.4:
        return dice.choice(ATOMS)
    return [junk(dice, depth - 1) for _ in range(dice.randrange(5))]


def spoilt(dice: random.Random, value: Any) -> Any:
    """A value like this one, with something else in one place."""
    if not isinstance(value, list) or not value or dice.random() < 0.3:
        return junk(dice)
    values = cast("list[Any]", value)
    spot = dice.randrange(len(values))
    return [*values[:spot], spoilt(dice, values[spot]), *values[spot + 1 :]]


def spoilt_frame(dice: random.Random) -> bytes:
    kind, body = dice.choice(FRAMES)
    return frame(kind, orjson.dumps(spoilt(dice, body)))


def cut_frame(dice: random.Random) -> bytes:
    kind, body = dice.choice(FRAMES)
    data = bytearray(frame(kind, orjson.dumps(body)))
    data[dice.randrange(len(data))] = dice.randrange(256)
    return bytes(data)


def odd_numbers(dice: random.Random) -> bytes:
    return frame(Kind.SPENT, SPENT.pack(dice.randrange(2**32), struct.unpack("<d", dice.randbytes(8))[0]))


def odd_kind(dice: random.Random) -> bytes:
    body = orjson.dumps(junk(dice))
    return HEAD.pack(len(body), dice.randrange(256), HEAD_MARK) + body


def noise(dice: random.Random) -> bytes:
    return dice.randbytes(dice.randrange(1, 40))


WAYS: Final[tuple[Callable[[random.Random], bytes], ...]] = (spoilt_frame, cut_frame, odd_numbers, odd_kind, noise)


async def test_garbage_never_raises_and_settles_no_job_of_another_executor() -> None:
    dice = random.Random(15)
    for number in range(ROUNDS):
        data = b"".join(dice.choice(WAYS)(dice) for _ in range(dice.randrange(1, 4)))
        recorder = Recorder()
        pace = Pace(4, 10)
        holdings = Holdings(recorder, pace, lambda: None)
        holdings.leases.update((seq, Lease(seq, 1, UUID(int=1))) for seq in SEQS)
        faults: list[str | None] = []

        hear_all(data, holdings, faults)
        pace.look(float(number), waiting=True)

        assert recorder.ends.keys() <= {*SEQS}, data
        assert recorder.ends.keys().isdisjoint(holdings.leases), data
        assert all(is_sound(end.ending) for end in recorder.ends.values()), data
        assert all(is_sound_line(line) for line in recorder.lines), data
        assert len(faults) <= 1


def hear_all(data: bytes, holdings: Holdings, faults: list[str | None]) -> None:
    ours, theirs = socket.socketpair()
    channel = Channel(ours, holdings.hear, faults.append)
    theirs.sendall(data)
    channel.drain()
    channel.close()
    theirs.close()


def is_sound(ending: Any) -> bool:
    texts = (ending.reason, ending.error, ending.result, ending.message)
    return isinstance(ending.outcome, Outcome) and all(text is None or isinstance(text, str) for text in texts)


def is_sound_line(line: Any) -> bool:
    return isinstance(line.message, str) and 0 < line.line < 2**31 and 1900 < line.at.year < 2300
