"""Handlers that enqueue."""

from __future__ import annotations

from jobplane import Jobplane

jp = Jobplane()


@jp.job("nothing")
def nothing() -> None: ...


@jp.job("pass-on", max_attempts=1)
def pass_on() -> None:
    nothing.enqueue()


@jp.job("pass-on-async", max_attempts=1)
async def pass_on_async() -> None:
    await nothing.enqueue_async()


@jp.job("pass-on-by-key", max_attempts=1)
def pass_on_by_key() -> None:
    jp.enqueue("nothing")
