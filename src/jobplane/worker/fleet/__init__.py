"""The executor processes and the watchdog, seen from the supervisor."""

from jobplane.worker.fleet.fleet import Fleet
from jobplane.worker.fleet.settings import Catalog, FleetListener

__all__ = ["Catalog", "Fleet", "FleetListener"]
