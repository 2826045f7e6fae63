"""Change the hashes in the text of a policy, and nothing that a person has written."""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, Literal, cast

from jobplane.execution.policy_file import InvalidPolicy, parse_policy, read_policy_text
from jobplane.worker.policy.head import HEAD
from jobplane.worker.policy.tables import name_key, read_tables
from jobplane.worker.policy.users import find_user

_HASH: Final = re.compile(r"""(\s*(?:hash|"hash"|'hash')\s*=\s*)("[^"\n]*"|'[^'\n]*')(.*)""", re.DOTALL)
_LINE: Final = re.compile(r"[^\n]*\n|[^\n]+")


@dataclass(frozen=True, slots=True)
class Change:
    """What became of the hash of one command."""

    key: str
    outcome: Literal["added", "changed", "unchanged"]
    old: str | None
    new: str


class Draft:
    """The text of a policy file that is there, or of a new one."""

    def __init__(self, path: Path, text: str, *, is_new: bool) -> None:
        self.path = path
        self.original = text
        self.text = text
        self.is_new = is_new

    @classmethod
    def of(cls, path: Path, user: str | None = None) -> Draft:
        """The file, or a new one whose commands run as this user.

        Raises InvalidPolicy where a file is there that cannot be read, that others may change, or that may have
        another user, and where this worker cannot run anything as this user.
        """
        is_new = not path.exists() and not path.is_symlink()
        if is_new:
            return cls(path, _head(user, path), is_new=True)
        if user is not None:
            message = f"The policy file {path} is there already. Write user = {_quoted(user)} into it yourself."
            raise InvalidPolicy(message, file=str(path))
        return cls(path, read_policy_text(path), is_new=False)

    @property
    def keys(self) -> list[str]:
        """The commands that it names."""
        return list(_commands(self._table()))

    def put(self, hashes: Mapping[str, str]) -> list[Change]:
        """Set the hashes of these commands. Raises InvalidPolicy where the whole would be no valid policy."""
        before = self._table()
        changes = [_change(key, _commands(before).get(key), new) for key, new in sorted(hashes.items())]
        missing = dict(hashes)
        text = "".join([_with_hash(line, key, missing) for line, key in _lines(self.text)])
        text += "\n" if text and not text.endswith("\n") else ""
        text = "".join([_with_first_hash(line, missing) for line, _ in _lines(text)])
        text += "".join(_new_table(key, new) for key, new in sorted(missing.items()))
        self._adopt(text, before, hashes)
        return changes

    def _adopt(self, text: str, before: Mapping[str, Any], hashes: Mapping[str, str]) -> None:
        """Take the new text if it differs from the old one in these hashes alone."""
        wanted = {**before, "commands": {**_commands(before)}}
        for key, new in hashes.items():
            wanted["commands"][key] = {**_commands(before).get(key, {}), "hash": new}
        try:
            is_right = tomllib.loads(text) == (wanted if hashes else before)
        except tomllib.TOMLDecodeError:
            is_right = False
        if not is_right:
            lines = "".join(_new_table(key, new) for key, new in sorted(hashes.items()))
            message = (
                f"The policy file {self.path} is written in a way that cannot be changed here. The hashes are:\n"
                f"{lines}\nWrite a table [commands.KEY] for each command, or set the hashes by hand."
            )
            raise InvalidPolicy(message, file=str(self.path))
        read_tables(wanted if hashes else before, self.path)
        self.text = text

    def _table(self) -> Mapping[str, Any]:
        return parse_policy(self.text, self.path)


def _head(user: str | None, path: Path) -> str:
    if user is None:
        return HEAD
    try:
        find_user(user, None)
    except ValueError as error:
        raise InvalidPolicy(f"{error} Nothing was written.", file=str(path), key="user") from None
    return HEAD.replace('#user = "jobs"', f"user = {_quoted(user)}", 1)


def _quoted(text: str) -> str:
    """The text as a string of TOML."""
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")


def _commands(table: Mapping[str, Any]) -> Mapping[str, Any]:
    found = table.get("commands", {})
    return cast("Mapping[str, Any]", found) if isinstance(found, Mapping) else {}


def _change(key: str, entry: object, new: str) -> Change:
    old = cast("Mapping[str, Any]", entry).get("hash") if isinstance(entry, Mapping) else None
    return Change(key, "unchanged" if old == new else "added" if old is None else "changed", old, new)


def _lines(text: str) -> Iterator[tuple[str, str | None]]:
    """Each line, with the key of the command whose table it is in. The line with the name of the table is in it."""
    key = None
    for line in _LINE.findall(text):
        if line.lstrip().startswith("["):
            key = _table_key(line)
        yield line, key


def _table_key(line: str) -> str | None:
    """The key of a command whose table begins with this line; None for any other table."""
    try:
        found = _commands(tomllib.loads(line))
    except tomllib.TOMLDecodeError:
        return None
    return next((key for key, inner in found.items() if inner == {}), None)


def _with_hash(line: str, key: str | None, missing: dict[str, str]) -> str:
    found = _HASH.fullmatch(line)
    if key is None or found is None or key not in missing:
        return line
    return f'{found[1]}"{missing.pop(key)}"{found[3]}'


def _with_first_hash(line: str, missing: dict[str, str]) -> str:
    """The line, and a hash below it where it begins the table of a command that has none."""
    key = _table_key(line) if line.lstrip().startswith("[") else None
    if key is None or key not in missing:
        return line
    return f'{line}hash = "{missing.pop(key)}"\n'


def _new_table(key: str, new: str) -> str:
    return f'\n[{name_key(("commands", key))}]\nhash = "{new}"\n'
