"""The definitions of one program."""

from __future__ import annotations

import inspect
from pathlib import Path

from jobplane.core.errors import AlreadyExists
from jobplane.core.model import Json
from jobplane.execution.definition import CodeDefinition


class Registry:
    """Definitions by key; `version` grows with each."""

    def __init__(self) -> None:
        self._definitions: dict[str, CodeDefinition] = {}
        self.version = 0

    @property
    def keys(self) -> tuple[str, ...]:
        return tuple(self._definitions)

    @property
    def queues(self) -> set[str]:
        return {definition.policy.queue for definition in self._definitions.values()}

    def add(self, definition: CodeDefinition) -> None:
        known = self._definitions.get(definition.key)
        if known is not None and not _is_run_again(known, definition):
            message = (
                f"Job {definition.key} is defined twice: by {_place(known)} and by {_place(definition)}. Rename one."
            )
            raise AlreadyExists(message, key=definition.key)
        self._definitions[definition.key] = definition
        self.version += 1

    def get(self, key: str) -> CodeDefinition | None:
        return self._definitions.get(key)

    def documents(self) -> list[dict[str, Json]]:
        return [definition.document() for definition in self._definitions.values()]


def _is_run_again(known: CodeDefinition, definition: CodeDefinition) -> bool:
    """Whether a notebook cell or an interactive prompt defines its own function again; such code is in no file."""
    file = inspect.unwrap(definition.function).__code__.co_filename
    return _place(known) == _place(definition) and not Path(file).exists()


def _place(definition: CodeDefinition) -> str:
    return f"{definition.function.__module__}.{definition.function.__qualname__}"
