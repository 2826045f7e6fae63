from __future__ import annotations

import os
import socket

import pytest

from jobplane.core.ids import new_worker_id

POD = "payments-background-worker-with-a-very-long-name-7d9c5b6f48-x2kqz"


@pytest.mark.parametrize("name", ["", "inline", "n" * 100])
def test_the_end_of_a_host_name_stays_in_the_id_of_a_worker(monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    """The end is what tells the pods of a deployment apart."""
    monkeypatch.setattr(socket, "gethostname", lambda: POD)

    worker_id = new_worker_id(name)

    [*before, host, pid, _] = worker_id.split(":")
    assert (before, pid) == ([name] if name else [], str(os.getpid()))
    assert host.endswith("-7d9c5b6f48-x2kqz")
    assert len(worker_id) <= 200
    assert (host == POD) == (len(name) < 100)


def test_an_id_fits_whatever_the_host_is_called(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(socket, "gethostname", lambda: f"{'h' * 200}.example.org")

    assert [len(new_worker_id(name)) for name in ("", "inline", "n" * 100)] == [200, 200, 200]
    assert new_worker_id("inline").startswith("inline:hh")
