"""The job manager, for programs that bring their own worker loop: the same store behind nine plain methods."""

from jobplane.api.manager.asynchronous import AsyncJobManager
from jobplane.api.manager.blocking import JobManager
from jobplane.api.manager.record import JobRecord, LeaseRecord

__all__ = ["AsyncJobManager", "JobManager", "JobRecord", "LeaseRecord"]
