"""An application whose shutdown hook takes its time, and says when it is done."""

from __future__ import annotations

import os
import time
from pathlib import Path

from jobplane import Context, Jobplane

jp = Jobplane()


@jp.job("linger")
def linger(ctx: Context) -> None:
    """Brings the definition."""


@jp.shutdown
def bow() -> None:
    Path(os.environ["JOBPLANE_TEST_BOWS"], f"began-{os.getpid()}").touch()
    time.sleep(float(os.environ["JOBPLANE_TEST_BOW_SECONDS"]))
    Path(os.environ["JOBPLANE_TEST_BOWS"], f"ended-{os.getpid()}").touch()
