"""A function plans its statements once in a session, under the switches of the verb that calls it first. So every verb
that calls it has to set the same switches, or the function sets its own."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Final

from jobplane.store.postgres.source import CodeFile, load

SWITCH: Final = re.compile(r"\bset ((?:enable|plan)_\w+) = (\w+)")
CALL: Final = re.compile(r"\bjobplane\.(\w+)\s*\(")
TABLE: Final = re.compile(r"\b(?:from|join|into|update) jobplane\.\w+\b(?!\s*\()")
DEFAULTS: Final = {"plan_cache_mode": "auto"}
# One probe of a primary key, which no switch changes.
SAME_ANYWAY: Final = {"ending_of"}

Switches = frozenset[tuple[str, str]]


@dataclass(frozen=True, slots=True)
class Function:
    name: str
    is_verb: bool
    reads: bool
    switches: Mapping[str, str]
    calls: frozenset[str]


def functions() -> dict[str, Function]:
    found = [_function(file) for file in load().code]
    return {function.name: function for function in found}


def test_a_function_is_planned_the_same_whoever_calls_it() -> None:
    known = functions()
    found: dict[str, dict[Switches, str]] = {}
    for verb in known.values():
        for name, switches in _planned(verb, {}, known) if verb.is_verb else ():
            found.setdefault(name, {}).setdefault(switches, verb.name)

    assert {name: ways for name, ways in found.items() if len(ways) > 1 and name not in SAME_ANYWAY} == {}


def _function(file: CodeFile) -> Function:
    folder, _, name = file.name.removesuffix(".sql").partition("/")
    head, _, body = re.sub(r"--.*$", "", file.sql, flags=re.MULTILINE).partition("$$")
    calls = frozenset(CALL.findall(body)) - {name}
    return Function(name, folder == "verbs", bool(TABLE.search(body)), dict(SWITCH.findall(head)), calls)


def _planned(
    function: Function, above: Mapping[str, str], known: Mapping[str, Function]
) -> Iterator[tuple[str, Switches]]:
    """All that reads a table in a call of this function, with the switches that are not the default there."""
    switches = {**above, **function.switches}
    if function.reads:
        yield function.name, frozenset(pair for pair in switches.items() if pair[1] != DEFAULTS.get(pair[0], "on"))
    for name in function.calls & known.keys():
        yield from _planned(known[name], switches, known)
