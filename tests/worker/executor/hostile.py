"""Handlers whose results and errors are as bad as they get."""

from __future__ import annotations

import random
from collections.abc import Callable, Generator
from typing import Final

from jobplane import Fail, Jobplane, Retry, Snooze

jp = Jobplane()


class Unspeakable(Exception):
    """An object, and an exception, that raises whenever it is looked at."""

    def __str__(self) -> str:
        raise RuntimeError("no")

    __repr__ = __str__


class Forgetful(Fail):
    def __init__(self, account: str) -> None:
        self.account = account


class ForgetfulRetry(Retry):
    def __init__(self, account: str) -> None:
        self.account = account


class ForgetfulSnooze(Snooze):
    def __init__(self, account: str) -> None:
        self.account = account


class Exits(Fail):
    def __str__(self) -> str:
        raise SystemExit(3)


def _cycle() -> object:
    found: list[object] = []
    found.append({"again": found})
    return found


def _deep(levels: int) -> object:
    found: object = 1
    for _ in range(levels):
        found = [found]
    return found


def _breaks() -> Generator[int]:
    yield 1
    raise ZeroDivisionError


BAD: Final[dict[str, Callable[[], object]]] = {
    "nul": lambda: "a\x00b",
    "surrogate": lambda: "\ud800",
    "nan": lambda: float("nan"),
    "infinity": lambda: float("-inf"),
    "huge": lambda: 10**400,
    "cycle": _cycle,
    "deep": lambda: _deep(70),
    "very deep": lambda: _deep(100_000),
    "bytes": lambda: b"\xff\xfe",
    "object": object,
    "unspeakable": Unspeakable,
    "long": lambda: "é" * 300_000,
    "wide": lambda: list(range(20_000)),
}
GOOD: Final[dict[str, Callable[[], object]]] = {
    "text of bytes": lambda: b"text",
    "set": lambda: {1},
    "tuple": lambda: (1, None),
    "key": lambda: {1: 2},
    "odd text": lambda: "\u202e\x1b[2J\ufffe",
}
FAULTS: Final[dict[str, Callable[[], BaseException]]] = {
    "nul": lambda: ValueError("a\x00b"),
    "surrogate": lambda: ValueError("\ud800"),
    "unspeakable": Unspeakable,
    "long": lambda: ValueError("x" * 1_000_000),
    "group": lambda: BaseExceptionGroup("many\x00", [Unspeakable(), KeyboardInterrupt()]),
    "retry": lambda: Retry("\ud800\x00"),
    "fail": lambda: Fail("\ud800\x00"),
    "forgetful": lambda: Forgetful("a"),
    "forgetful retry": lambda: ForgetfulRetry("a"),
    "forgetful snooze": lambda: ForgetfulSnooze("a"),
    "exits": Exits,
}


def _wrapped(value: object, dice: random.Random) -> object:
    """Somewhere inside of something."""
    for _ in range(dice.randrange(4)):
        value = dice.choice([[value], {"key": value}, {"a": 1, "b": [2, value]}, (0, value)])
    return value


def _act(kind: str, name: str, seed: int) -> object:
    if kind == "breaks":
        return _breaks()
    if kind == "raise":
        fault = FAULTS[name]()
        raise fault
    return _wrapped((BAD | GOOD)[name](), random.Random(seed))


@jp.job("act")
def act(kind: str, name: str, seed: int) -> object:
    return _act(kind, name, seed)


@jp.job("act-async")
async def act_async(kind: str, name: str, seed: int) -> object:
    return _act(kind, name, seed)


@jp.job("enormous")
def enormous() -> str:
    return "x" * 100_000_000
