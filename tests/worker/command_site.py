"""Commands on a stage: their definitions, the policy of the machine, and workers that run them."""

from __future__ import annotations

import os
import pwd
from collections.abc import Mapping
from hashlib import sha256
from pathlib import Path
from typing import Any, Final

from jobplane import Job, JobHandle
from jobplane.core.command import content_hash
from jobplane.core.model import Definition
from tests.client import BlockingStore
from tests.worker.stage import Stage, Worker

IS_ROOT: Final = os.geteuid() == 0
USER: Final = "nobody" if IS_ROOT else pwd.getpwuid(os.geteuid()).pw_name
SHELL: Final = os.path.realpath("/bin/sh")
TEXT: Final[dict[str, Any]] = {
    "type": "object",
    "properties": {"text": {"type": "string"}},
    "additionalProperties": False,
}


class CommandSite:
    """`directory` has the policy file, and the parent of the working directories."""

    def __init__(self, stage: Stage, store: BlockingStore, directory: Path) -> None:
        self.stage = stage
        self.store = store
        self.directory = directory
        self.policy = directory / "policy.toml"
        self._entries: dict[str, str] = {}
        self.head = ""

    def define(self, key: str, executable: str, *argv: Any, schema: Any = TEXT, **more: Any) -> Definition:
        """Make a definition, and allow it as it is."""
        options = {name: more.pop(name) for name in ("environment", "files", "stdin", "exit_codes") if name in more}
        command = {"executable": executable, "argv": list(argv), **options}
        document = {"key": key, "arg_schema": schema, "command": command, "max_attempts": 1, **more}
        return self.store.create_definition(document)

    def shell(self, key: str, script: str, **more: Any) -> Definition:
        """A fixed script of the shell; the payload's `text` is its first argument."""
        literal = script.replace("{", "{{").replace("}", "}}")
        return self.define(key, SHELL, "-c", literal, "sh", {"value": "{text}", "may_start_with_dash": True}, **more)

    def allow(self, *definitions: Definition, lines: str = "", limits: Mapping[str, int] | None = None) -> None:
        """Name these commands in the policy, as they are now."""
        for definition in definitions:
            limited = "\n".join(f"{name} = {value}" for name, value in (limits or {}).items())
            table = f'[commands.{definition.key}]\nhash = "{self.hash_of(definition)}"\n{lines}\n'
            self._entries[definition.key] = table + (
                f"[commands.{definition.key}.limits]\n{limited}\n" if limits else ""
            )
        self.write()

    def allow_hash(self, key: str, found: str) -> None:
        """Name a command with this hash."""
        self._entries[key] = f'[commands.{key}]\nhash = "{found}"\n'
        self.write()

    def forget(self, key: str) -> None:
        """Take a command out of the policy."""
        del self._entries[key]
        self.write()

    def write(self) -> None:
        work_dir = self.directory / "work"
        text = f'{self.head}\nuser = "{USER}"\nwork_dir = "{work_dir}"\n' + "\n".join(self._entries.values())
        draft = self.policy.with_suffix(".new")
        draft.write_text(text)
        draft.chmod(0o600)
        draft.replace(self.policy)

    def hash_of(self, definition: Definition) -> str:
        command: Any = definition.command
        digest = sha256(Path(command["executable"]).read_bytes()).hexdigest()
        return content_hash(command, definition.arg_schema, digest)

    def started(self, **settings: str) -> Worker:
        """A worker that runs commands only."""
        if not self.policy.exists():
            self.write()
        return self.stage.started(**{"worker_imports": "", "worker_policy": str(self.policy), **settings})

    def run(self, key: str, **payload: Any) -> Job:
        return self.stage.ended(self.enqueue(key, **payload))

    def enqueue(self, key: str, **payload: Any) -> JobHandle:
        return self.stage.jp.enqueue(key, payload)

    def lines(self, job: JobHandle | Job) -> list[str]:
        """The messages of its log."""
        return [line.message for line in self.stage.jp.logs(job.id)]
