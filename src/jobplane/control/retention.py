"""Retention: removes what is past its time, in small steps with pauses. Any process may do it, several at once."""

from __future__ import annotations

import asyncio
import os
import time
from collections import Counter
from collections.abc import Awaitable, Callable, Iterator, Mapping
from pathlib import Path
from typing import Final, TypeVar
from uuid import UUID, uuid4

from jobplane.control.pruned import Pruned
from jobplane.control.upkeep import StopFlag
from jobplane.core.artifacts import is_digest, path_of
from jobplane.core.errors import StoreBusy
from jobplane.core.retention import JobsStep
from jobplane.store.base import EngineStore
from jobplane.store.verbs.retention import (
    MOST_JOBS,
    DropLogBlock,
    FindArtifacts,
    PruneJobs,
    PruneLogs,
    PruneReceipts,
)
from jobplane.store.verbs.verb import EngineVerb

Answer = TypeVar("Answer")

SLOW_SECONDS: Final = 1.0  # a step that takes longer is followed by smaller ones
QUICK_SECONDS: Final = 0.2  # a step that takes less is followed by larger ones
# The retention takes no more than a quarter of the time.
REST: Final = 3
LONGEST_PAUSE: Final = 5.0
# A file in artifacts_dir is written before the result that names it.
YOUNG_SECONDS: Final = 86_400.0
FILES_AT_ONCE: Final = 1000
BLOCK_TRIES: Final = 50  # steps after which a block is tried again that somebody was reading


class Retention:
    """Removes ended jobs, log lines and files. Each call goes on to the end, or until `stopping` is set.

    The days and the count are for definitions that have none of their own. `pause` waits between the steps; no
    transaction is open then.
    """

    def __init__(
        self,
        store: EngineStore,
        *,
        retention_days: int = 30,
        retention_days_logs: int = 7,
        retention_count: int | None = None,
        stopping: StopFlag | None = None,
        pause: Callable[[float], Awaitable[object]] = asyncio.sleep,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._store = store
        self._days = retention_days
        self._days_logs = retention_days_logs
        self._count = retention_count
        self._stopping = stopping
        self._pause = pause
        self._clock = clock
        self._limit = MOST_JOBS
        self._rest_seconds = 0.0

    async def prune_jobs(self, *, dry_run: bool = False) -> Pruned:
        """Remove ended jobs that are past their days, or beyond the newest so many of their tenant and definition.

        Their attempts, results, keys and log lines go with them.
        """
        done = Pruned(dry_run)
        before: int | None = None
        met, named = Counter[tuple[UUID, str]](), dict[tuple[UUID, str], int]()
        while await self._may_go_on():
            step = await self._step(self._make_jobs_step(before, named, dry_run=dry_run))
            done.add_jobs(step)
            named = _count(met, step)
            before = step.before
            if before is None:
                done.is_complete = dry_run or await self._prune_receipts()
                break
        return done

    def _make_jobs_step(
        self, before: int | None, counted: Mapping[tuple[UUID, str], int], *, dry_run: bool
    ) -> Callable[[int], PruneJobs]:
        return lambda limit: PruneJobs(before, limit, self._days, self._count, counted, dry_run)

    async def _prune_receipts(self) -> bool:
        """Remove idempotency keys of jobs that have gone under another key. False: it was stopped."""
        after = None
        while await self._may_go_on():
            at = after
            step = await self._step(lambda limit, at=at: PruneReceipts(at, limit))
            after = step.after
            if after is None:
                return True
        return False

    async def prune_logs(self, *, dry_run: bool = False) -> Pruned:
        """Remove lines of ended jobs that are past their days, and lines whose job is gone."""
        done, after, steps = Pruned(dry_run), 0, 0
        while await self._may_go_on():
            if not dry_run and steps % BLOCK_TRIES == 0:
                await self._drop_blocks(done)
            at, steps = after, steps + 1
            step = await self._step(lambda limit, at=at: PruneLogs(at, limit, self._days_logs, dry_run))
            done.add_lines(step)
            if step.after is None:
                done.is_complete = True
                break
            after = step.after
        return done

    async def _drop_blocks(self, done: Pruned) -> None:
        while await self._store.run(DropLogBlock(self._days_logs)):
            done.blocks += 1

    async def prune_artifacts(self, directory: Path, *, dry_run: bool = False) -> Pruned:
        """Remove files that no result names and that are older than a day, and what a crash left of others."""
        done, until = Pruned(dry_run), time.time() - YOUNG_SECONDS
        old = dict(_find_old(directory, until))
        named_by_none = {path.stem: path for path in old if path.suffix == ".json"}
        if named_by_none and not await self._forget_named(named_by_none):
            return done
        going = [path for path in old if path.suffix == ".part" or path.stem in named_by_none]
        for first in range(0, len(going), FILES_AT_ONCE):
            if not await self._may_go_on():
                return done
            for path in going[first : first + FILES_AT_ONCE]:
                if dry_run or _remove(path, until):
                    done.files += 1
                    done.bytes += old[path]
        done.is_complete = True
        return done

    async def _forget_named(self, digests: dict[str, Path]) -> bool:
        """Take out of these the digests that a result names. False: it was stopped."""
        after = 0
        while await self._may_go_on():
            at = after
            step = await self._step(lambda limit, at=at: FindArtifacts(at, limit))
            for digest in step.digests:
                digests.pop(digest, None)
            if step.after is None:
                return True
            after = step.after
        return False

    async def _may_go_on(self) -> bool:
        """Pause after the step before; False where the run is to stop."""
        if self._is_stopped():
            return False
        if self._rest_seconds:
            seconds, self._rest_seconds = self._rest_seconds, 0.0
            await self._pause(seconds)
        return not self._is_stopped()

    def _is_stopped(self) -> bool:
        return self._stopping is not None and self._stopping.is_set()

    async def _step(self, make: Callable[[int], EngineVerb[Answer]]) -> Answer:
        """Run one step. One that is too slow, or that the database gives up, is followed by a smaller one."""
        while True:
            began = self._clock()
            try:
                answer = await self._store.run(make(self._limit))
            except StoreBusy:
                if self._limit == 1 or self._is_stopped():
                    raise
                self._limit //= 2
                await self._pause(min(REST * (self._clock() - began), LONGEST_PAUSE))
                continue
            self._adapt(self._clock() - began)
            return answer

    def _adapt(self, took: float) -> None:
        if took > SLOW_SECONDS:
            self._limit = max(1, self._limit // 2)
        elif took < QUICK_SECONDS:
            self._limit = min(MOST_JOBS, self._limit * 2)
        self._rest_seconds = min(REST * took, LONGEST_PAUSE)


def _count(met: Counter[tuple[UUID, str]], step: JobsStep) -> dict[tuple[UUID, str], int]:
    """Add what a step has met; what the next one has to know of it."""
    named = [(found.tenant_id, found.definition_key, found.counted) for found in step.pruned]
    met.update({(tenant, key): counted for tenant, key, counted in named if counted})
    return {(tenant, key): met[tenant, key] for tenant, key, counted in named if counted is not None}


def _find_old(directory: Path, until: float) -> Iterator[tuple[Path, int]]:
    """Artifacts and unfinished files that nobody has touched since then, with their sizes."""
    for folder in _list(directory):
        if len(folder.name) != 2 or not folder.is_dir(follow_symlinks=False):
            continue
        for entry in _list(Path(folder.path)):
            path = Path(entry.path)
            is_ours = path.suffix == ".part" or (is_digest(path.stem) and path == path_of(directory, path.stem))
            if is_ours and entry.is_file(follow_symlinks=False) and (size := _size_if_old(path, until)) is not None:
                yield path, size


def _list(directory: Path) -> list[os.DirEntry[str]]:
    try:
        with os.scandir(directory) as entries:
            return list(entries)
    except FileNotFoundError:
        return []


def _size_if_old(path: Path, until: float) -> int | None:
    try:
        found = path.stat()
    except FileNotFoundError:
        return None
    return found.st_size if found.st_mtime < until else None


def _remove(path: Path, until: float) -> bool:
    """Remove a file, unless a worker that found it there has touched it meanwhile.

    It gets another name first: a worker that comes later does not find it, and writes it again.
    """
    aside = path.with_name(f"{uuid4().hex}.part")
    try:
        path.rename(aside)
    except FileNotFoundError:
        return False
    if _size_if_old(aside, until) is None:
        aside.rename(path)
        return False
    aside.unlink(missing_ok=True)
    return True
