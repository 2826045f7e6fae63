"""What an executor says about its jobs."""

from uuid import UUID

import orjson
import pytest

from jobplane.core.leases import Lease
from jobplane.worker.fleet.holdings import Holdings
from jobplane.worker.fleet.pace import Pace
from jobplane.worker.frames import Kind
from tests.worker.fleet.stage import Recorder


def test_an_end_that_cannot_be_read_takes_no_other_with_it() -> None:
    recorder = Recorder()
    holdings = Holdings(recorder, Pace(4, 0), lambda: None)
    holdings.leases.update((seq, Lease(seq, 1, UUID(int=1))) for seq in (1, 2, 3))
    rows = [
        [seq, outcome, None, None, None, None, None, None, None, 0]
        for seq, outcome in ((1, "failed"), (2, "?"), (3, "failed"))
    ]

    with pytest.raises(ValueError, match="is not a valid"):
        holdings.hear(Kind.ENDED, orjson.dumps(rows))

    assert recorder.said(1, 3) == [("failed", None)] * 2
    assert holdings.leases.keys() == {2}, "its process is about to be ended, and then it comes back"
