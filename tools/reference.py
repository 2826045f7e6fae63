"""Writes docs/reference/sql.md from the SQL files of the verbs: `python -m tools.reference`."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from textwrap import fill
from typing import Final

from jobplane.store.postgres.errors import TYPED
from jobplane.store.postgres.source import CodeFile, load

PAGE: Final = Path(__file__).parents[1] / "docs/reference/sql.md"
_NAMES: Final = {state: kind.code for state, kind in TYPED.items()} | {"40001": "store_busy"}
_WIDTH: Final = 120
_UNBREAKABLE: Final = "\N{NO-BREAK SPACE}"

_FUNCTION = re.compile(r"^create or replace function (jobplane\.\w+\(.*?)\s*^language", re.MULTILINE | re.DOTALL)
_CALL = re.compile(r"jobplane\.(\w+)\(")
_STATE = re.compile(r"'(JP\d{3}|40001)'")
_PART = re.compile(r"(in|out|owner|for): +(.*)")

_HEAD: Final = """\
# SQL

Every verb of schema `jobplane`. This page is made from the files in `src/jobplane/store/sql/postgres/verbs` by
`.venv/bin/python -m tools.reference`.

A verb is one call. Where it takes arrays, they are the columns of one batch: the first elements belong together, then
the second ones. Arguments may be given by name (`p_queue => 'mail'`). A refusal is an exception with a SQLSTATE:
[Errors](errors.md) has them all. "May call" names the logins that may execute a verb, each without its prefix
`jobplane_`; so may their members. The outcomes of an attempt, and what each leads to, are in
[The life of a job](../explanation/life-of-a-job.md); what the tables hold is in [Tables](tables.md).
"""
_GROUPS: Final = {
    "A tenant's jobs": (
        "These see the tenant that is set in `jobplane.tenant_id`, and no other. Set it in the same transaction: "
        "[Enqueue inside your own transaction](../how-to/enqueue-in-your-transaction.md) shows how."
    ),
    "Leases, workers and upkeep": (
        "These serve all tenants, and are for who runs jobs. The last arguments of most have a default. "
        "[Upkeep without workers](../how-to/upkeep-without-workers.md) says which to call how often."
    ),
    "Tenants, definitions and queues": "What the operator sets. These serve all tenants.",
}


@dataclass(frozen=True, slots=True)
class Verb:
    """The header of a verb's file, taken apart, and how its functions are called."""

    name: str
    signatures: str
    parts: Mapping[str, str]
    example: str
    errors: tuple[str, ...]

    @property
    def group(self) -> str:
        tenants, leases, operator = _GROUPS
        if self.parts["owner"] == "doors" or "JP001" in self.errors:
            return tenants
        return operator if "admin" in self.parts["for"] and "worker" not in self.name else leases


@dataclass(slots=True)
class _Header:
    """Reads one comment line after the other. A line that is indented goes on with what came before."""

    parts: dict[str, str] = field(default_factory=dict[str, str])
    example: list[str] = field(default_factory=list[str])
    _last: str = "about"

    def read(self, line: str) -> None:
        part = _PART.match(line)
        if part:
            self._last = part[1]
            self.parts[part[1]] = part[2]
        elif line.startswith("  ") and self._last == "about":
            self.example.append(line.strip())
        else:
            self._last = self._last if line.startswith("  ") or self._last == "about" else "note"
            self.parts[self._last] = _joined(self.parts.get(self._last, ""), line.strip())


def _joined(text: str, more: str) -> str:
    """Two lines of a header: one sentence, or two if the second starts like one."""
    ends = text.endswith((".", ",", ":", ";", "|")) or not more[:1].isupper()
    return f"{text} {more}".strip() if ends else f"{text}. {more}".removeprefix(". ")


def page() -> str:
    """The whole page."""
    files = {name: file for file in load().code for name in file.routines}
    verbs = [_verb(file, files) for file in load().code if file.name.startswith("verbs/")]
    sections = [
        f"## {title}\n\n{sentence}\n\n" + "\n".join(_section(verb) for verb in verbs if verb.group == title)
        for title, sentence in _GROUPS.items()
    ]
    return "\n".join([_HEAD, *sections])


def _verb(file: CodeFile, files: Mapping[str, CodeFile]) -> Verb:
    header = _Header()
    name = Path(file.name).stem
    for line in file.sql.splitlines():
        if not line.startswith("--"):
            break
        header.read(line.removeprefix("--").removeprefix(" ").removeprefix(f"{name}: "))
    signatures = "\n\n".join(_laid_out(found) for found in _FUNCTION.findall(file.sql))
    return Verb(name, signatures, header.parts, "\n".join(header.example), tuple(sorted(_states(file, files))))


def _states(file: CodeFile, files: Mapping[str, CodeFile]) -> set[str]:
    """What the function raises, and what the functions that it calls raise."""
    seen: set[str] = set()
    waiting = list(file.routines)
    while waiting:
        name = waiting.pop()
        if name in files and name not in seen:
            seen.add(name)
            waiting += _CALL.findall(files[name].sql)
    return {state for name in seen for state in _STATE.findall(files[name].sql)}


def _section(verb: Verb) -> str:
    parts = verb.parts
    about = " ".join(part for part in (_sentence(parts["about"]), _sentence(parts.get("note", ""))) if part)
    example = [f"```\n{verb.example}\n```\n"] if verb.example else []
    facts = [f"- {key}: {parts[key]}" for key in ("in", "out") if key in parts]
    facts.append(f"- may call: {parts['for'].removesuffix(', engine')}")
    facts += [f"- errors: {_named(verb.errors)}"] if verb.errors else []
    return "\n".join([f"### {verb.name}\n", f"{about}\n", *example, f"```\n{verb.signatures}\n```\n", *facts, ""])


def _sentence(text: str) -> str:
    return text[:1].upper() + text[1:] + ("" if not text or text.endswith((".", ":", "?")) else ".")


def _named(states: Iterable[str]) -> str:
    return ", ".join(f"`{state}` {_NAMES[state]}" for state in states)


def _laid_out(signature: str) -> str:
    """In one line where it fits; else a line for each argument, and columns that keep their type beside them."""
    call, _, answer = " ".join(signature.split()).partition(" returns ")
    if len(call) > _WIDTH:
        call = re.sub(r"[(,] ?(?=p_)", lambda mark: mark[0].rstrip() + "\n  ", call)
    whole = re.sub(r"(?<!,) ", _UNBREAKABLE, f"returns {answer}")
    return f"{call}\n{fill(whole, _WIDTH, subsequent_indent='  ').replace(_UNBREAKABLE, ' ')}"


def main() -> None:
    PAGE.write_text(page(), "utf-8")


if __name__ == "__main__":
    main()
