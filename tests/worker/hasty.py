"""A worker with less patience, for tests that would wait for it: python -m tests.worker.hasty worker …"""

from __future__ import annotations

from typing import Final

from jobplane.cli.main import main
from jobplane.process import contact
from jobplane.worker import registration
from jobplane.worker.fleet import listening

HASTE: Final = (
    (contact, "PATIENCE_SECONDS", 3.0),
    (listening, "DEAF_SECONDS", 1.5),
    (listening, "STOP_SECONDS", 0.5),
    (registration, "SEEN_SECONDS", 1.0),
)

if __name__ == "__main__":
    for module, name, seconds in HASTE:
        assert getattr(module, name) > seconds, "it has been given another name, or is in a hurry already"
        setattr(module, name, seconds)
    main()
