"""How a mistake gets into a store: texts of a verb's source are replaced by others."""

from __future__ import annotations

import inspect
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from textwrap import dedent
from types import FunctionType, ModuleType

import pytest

from jobplane.store.postgres import source
from jobplane.store.sqlite import statements
from tests.database import Database


@dataclass(frozen=True)
class Slip:
    """What stands in a file, and what stands there by mistake."""

    file: str
    right: str
    wrong: str

    def into(self, text: str) -> str:
        assert self.right in text, f"{self.file} has no {self.right!r} any more"
        return text.replace(self.right, self.wrong)


def slip_in_postgres(database: Database, slips: Sequence[Slip]) -> None:
    """Replace the functions of the files, each with all its slips."""
    files = {file.name: file for file in source.load().code}
    for name in {slip.file for slip in slips}:
        text = files[name].sql
        for slip in slips:
            text = slip.into(text) if slip.file == name else text
        role = f"jobplane_{files[name].owner}"
        database.own(f"grant create on schema jobplane to {role}; set local role {role}; {text}")


def slip_in_sqlite(patch: pytest.MonkeyPatch, slips: Sequence[Slip]) -> None:
    """The same for the statements and the functions of a verb, until the patch is undone."""
    for slip in slips:
        if slip.file.endswith(".sql"):
            _slip_in_statement(patch, slip)
        else:
            slip_in_function(patch, slip, f"jobplane.store.sqlite.verbs.{Path(slip.file).stem}")


def _slip_in_statement(patch: pytest.MonkeyPatch, slip: Slip) -> None:
    path = Path(slip.file)
    loaded = (statements.load_verb if path.parent.name == "verbs" else statements.load_shared)(path.stem)
    [(name, text)] = [(name, text) for name, text in loaded.items() if slip.right in text]
    patch.setitem(loaded, name, slip.into(text))


def slip_in_function(patch: pytest.MonkeyPatch, slip: Slip, name: str) -> None:
    """Whoever has imported the function has the mistake too: it keeps its identity and gets other code."""
    module = import_module(name)
    [right] = [found for found in _functions(module) if slip.right in inspect.getsource(found)]
    made = dict(vars(module))
    exec(compile(slip.into(dedent(inspect.getsource(right))), slip.file, "exec"), made)
    patch.setattr(right, "__code__", made[right.__name__].__code__)


def _functions(module: ModuleType) -> Iterator[FunctionType]:
    """Those that are written in the module, methods too; what a dataclass makes for itself has no source."""
    for owner in (module, *(found for found in vars(module).values() if inspect.isclass(found))):
        for found in vars(owner).values():
            if inspect.isfunction(found) and found.__code__.co_filename == module.__file__:
                yield found
