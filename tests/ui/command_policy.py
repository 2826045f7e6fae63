"""The policy file of the worker in the UI's tests: which commands it may run."""

from __future__ import annotations

import os
import pwd
from hashlib import sha256
from pathlib import Path
from typing import Any, Final

from jobplane.core.command import content_hash

USER: Final = "nobody" if os.geteuid() == 0 else pwd.getpwuid(os.geteuid()).pw_name
SHELL: Final = os.path.realpath("/bin/sh")
TEXT: Final[dict[str, Any]] = {
    "type": "object",
    "properties": {"text": {"type": "string"}},
    "additionalProperties": False,
}


class CommandPolicy:
    """A file that names no command at first."""

    def __init__(self, directory: Path) -> None:
        directory.mkdir()
        self.file = directory / "policy.toml"
        self._work = directory / "work"
        self._hashes: dict[str, str] = {}
        self._write()

    def allow(self, definition: Any) -> None:
        """Name this command as it is now; it is a definition as the API shows it."""
        executable = Path(definition["command"]["executable"])
        digest = sha256(executable.read_bytes()).hexdigest()
        self._hashes[definition["key"]] = content_hash(definition["command"], definition["arg_schema"], digest)
        self._write()

    def _write(self) -> None:
        tables = "".join(f'[commands.{key}]\nhash = "{value}"\n' for key, value in self._hashes.items())
        draft = self.file.with_suffix(".new")
        draft.write_text(f'user = "{USER}"\nwork_dir = "{self._work}"\nsecrets = ["env:UI_"]\n{tables}')
        draft.chmod(0o600)
        draft.replace(self.file)
