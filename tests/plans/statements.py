"""The hot statements as the functions include them, made ready to be prepared and explained."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import jobplane

ROOT: Final = Path(jobplane.__file__).parent / "store" / "sql" / "postgres"
_SETTING = re.compile(r"\bset ((?:enable_\w+|plan_cache_mode) = \w+)")
_OWNER = re.compile(r"^-- owner: (\w+)$", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Statement:
    """One statement with $1, $2 … for the variables of its function."""

    name: str
    sql: str
    parameters: tuple[str, ...]
    types: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Setting:
    """Who runs a statement, and what its function tells the planner."""

    verb: str
    role: str
    planner: tuple[str, ...]


def load(name: str) -> Statement:
    """Read a statement; its header says which variables it uses and into which ones it selects."""
    text = (ROOT / "statements" / f"{name}.sql").read_text("utf-8")
    header = dict(re.findall(r"^-- (params|into): (.*)$", text, re.MULTILINE))
    pairs = [pair.strip().split(" ", 1) for pair in header["params"].split(",")]
    body = re.sub(r"^--.*\n", "", text, flags=re.MULTILINE).strip().removesuffix(";")
    if "into" in header:
        target = r"\s*,\s*".join(re.escape(word.strip()) for word in header["into"].split(","))
        body, found = re.subn(rf"\binto\s+{target}\b", "", body)
        assert found == 1, f"{name}: `into {header['into']}` is there {found} times"
    for number, (parameter, _) in enumerate(pairs, start=1):
        body = re.sub(rf"\b{parameter}\b", f"${number}", body)
    return Statement(name, body, tuple(pair[0] for pair in pairs), tuple(pair[1] for pair in pairs))


def setting(verb: str, statement: str) -> Setting:
    """The role that owns a verb, and the settings of its function and of the one in between that has the statement."""
    text = (ROOT / "verbs" / f"{verb}.sql").read_text("utf-8")
    inner = [path.read_text("utf-8") for path in (ROOT / "functions").glob("*.sql")]
    files = [text, *(file for file in inner if f"/*statement:{statement}*/" in file)]
    planner = tuple(found for file in files for found in _SETTING.findall(file.partition("$$")[0]))
    return Setting(verb, f"jobplane_{_OWNER.findall(text)[0]}", planner)
