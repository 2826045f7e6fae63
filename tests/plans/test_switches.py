"""A function plans its statements once in a session, under the switches of the verb that calls it first. So every verb
that calls it has to set the same switches, or the function sets its own."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from tests.plans.statements import ROOT

SWITCH: Final = re.compile(r"\bset ((?:enable|plan)_\w+) = (\w+)")
CALL: Final = re.compile(r"\bjobplane\.(\w+)\s*\(")
STATEMENT: Final = re.compile(r"/\*statement:(\w+)\*/")
TABLE: Final = re.compile(r"\b(?:from|join|into|update) jobplane\.\w+\b(?!\s*\()|/\*statement:")
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
    return {path.stem: _function(path) for path in _files()}


def test_a_function_is_planned_the_same_whoever_calls_it() -> None:
    known = functions()
    found: dict[str, dict[Switches, str]] = {}
    for verb in known.values():
        for name, switches in _planned(verb, {}, known) if verb.is_verb else ():
            found.setdefault(name, {}).setdefault(switches, verb.name)

    assert {name: ways for name, ways in found.items() if len(ways) > 1 and name not in SAME_ANYWAY} == {}


def _files() -> Iterator[Path]:
    yield from (ROOT / "functions").glob("*.sql")
    yield from (ROOT / "verbs").glob("*.sql")


def _function(path: Path) -> Function:
    code = re.sub(r"--.*$", "", path.read_text("utf-8"), flags=re.MULTILINE)
    head, _, body = code.partition("$$")
    whole = body + "".join((ROOT / "statements" / f"{found}.sql").read_text() for found in STATEMENT.findall(body))
    return Function(
        path.stem,
        path.parent.name == "verbs",
        bool(TABLE.search(body)),
        dict(SWITCH.findall(head)),
        frozenset(CALL.findall(whole)) - {path.stem},
    )


def _planned(
    function: Function, above: Mapping[str, str], known: Mapping[str, Function]
) -> Iterator[tuple[str, Switches]]:
    """All that reads a table in a call of this function, with the switches that are not the default there."""
    switches = {**above, **function.switches}
    if function.reads:
        yield function.name, frozenset(pair for pair in switches.items() if pair[1] != DEFAULTS.get(pair[0], "on"))
    for name in function.calls & known.keys():
        yield from _planned(known[name], switches, known)
