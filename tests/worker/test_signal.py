"""A signal of the worker's loops: set once or a thousand times, whoever waits looks once."""

from __future__ import annotations

import asyncio

from jobplane.process.loop import Signal


async def test_what_was_set_before_is_not_waited_for_and_is_gone_then() -> None:
    signal = Signal()
    signal.set()
    signal.set()

    assert await signal.wait(60)
    assert not signal.is_set
    assert not await signal.wait(0)


async def test_all_who_wait_are_woken() -> None:
    signal = Signal()
    waiting = [asyncio.create_task(signal.wait(60)) for _ in range(3)]
    await asyncio.sleep(0)

    signal.set()

    assert any(await asyncio.wait_for(asyncio.gather(*waiting), 5))


async def test_who_gives_up_leaves_nothing_behind() -> None:
    signal = Signal()
    first, second = (asyncio.create_task(signal.wait(60)) for _ in range(2))
    await asyncio.sleep(0)
    first.cancel()
    await asyncio.gather(first, return_exceptions=True)

    signal.set()

    assert await asyncio.wait_for(second, 5)
    assert not await signal.wait(0)


async def test_the_loop_turns_while_nothing_is_waited_for() -> None:
    signal, turned = Signal(), asyncio.Event()
    asyncio.get_running_loop().call_soon(turned.set)

    await signal.wait(0)

    assert turned.is_set()
