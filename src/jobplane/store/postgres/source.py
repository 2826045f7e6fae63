"""The SQL files as one value: numbered migrations, functions, verbs, policies and roles."""

from __future__ import annotations

import re
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Final, Literal

from jobplane.store.postgres.refusals import InvalidSource

Owner = Literal["owner", "doors", "engine"]
OWNERS: Final[tuple[Owner, ...]] = ("owner", "doors", "engine")
LOGINS: Final = ("app", "worker", "scheduler", "admin", "maintenance")
CALLERS: Final = (*LOGINS, "engine")  # verbs of the engine call some of the tenants'
PACKAGED: Final = Path(__file__).parents[1] / "sql" / "postgres"

_NAME = re.compile(r"(\d{4})_[a-z0-9_]+\.sql")
_MARKER = re.compile(r"/\*statement:(\w+)\*/")
_ROUTINE = re.compile(
    r"create or replace (?:function|procedure)\s+jobplane\.(\w+)"
    r"(?:\s*\(((?:[^()]|\([^()]*\))*)\)(?:\s*returns\s+table\s*\(([^()]*)\))?)?",
    re.IGNORECASE,
)
_NESTED = re.compile(r"\([^()]*\)|\[[^][]*\]|'[^']*'")
_ARGUMENT = re.compile(r"(?:(?:in|inout|variadic)\s+)?(?!out\s)(\w+)", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Migration:
    number: int
    name: str
    sql: str
    checksum: str
    oldest_program: int
    transactional: bool


@dataclass(frozen=True, slots=True)
class FunctionSignature:
    """A function by the names of its arguments, and of the columns that it answers with where it returns a table."""

    name: str
    arguments: str
    columns: str


@dataclass(frozen=True, slots=True)
class CodeFile:
    """Rendered SQL of a file, the functions it creates, who owns them and who may execute them."""

    name: str
    about: str
    sql: str
    signatures: tuple[FunctionSignature, ...]
    owner: Owner
    grantees: tuple[str, ...]

    @property
    def routines(self) -> tuple[str, ...]:
        """The names of the functions, each once."""
        return tuple(dict.fromkeys(signature.name for signature in self.signatures))


@dataclass(frozen=True, slots=True)
class Source:
    migrations: tuple[Migration, ...]
    code: tuple[CodeFile, ...]
    policies: str
    roles: str

    @property
    def number(self) -> int:
        """The schema number: the highest migration, 0 if there is none."""
        return len(self.migrations)


def load(root: Path | None = None) -> Source:
    """Read the tree below `root` (default: the one in the package) and refuse what does not fit together."""
    root = root or PACKAGED
    statements = {path.stem: _statement(path) for path in _files(root / "statements")}
    internal = [_function(path, statements) for path in _files(root / "functions")]
    verbs = [_verb(path, statements) for path in _files(root / "verbs")]
    return Source(
        migrations=_require_numbered([_migration(path) for path in _files(root / "migrations")]),
        code=(*internal, *verbs),
        policies=_optional(root / "policies.sql"),
        roles=_optional(root / "roles.sql"),
    )


def _files(folder: Path) -> list[Path]:
    return sorted(folder.glob("*.sql"))


def _optional(path: Path) -> str:
    return path.read_text("utf-8") if path.exists() else ""


def _migration(path: Path) -> Migration:
    name, content = path.name, path.read_bytes()
    numbered = _NAME.fullmatch(name)
    if numbered is None:
        raise InvalidSource(f"{name}: a migration is named like 0001_what_it_does.sql.", step=name)
    sql = content.decode("utf-8")
    return Migration(
        number=int(numbered[1]),
        name=name,
        sql=sql,
        checksum=sha256(content).hexdigest(),
        oldest_program=_oldest_program(name, sql),
        transactional=not sql.startswith("-- jobplane:no-transaction"),
    )


def _oldest_program(name: str, sql: str) -> int:
    line = _header_line(name, sql, "oldest program")
    if not line.isdecimal() or int(line) < 1:
        raise InvalidSource(f'{name}: `-- oldest program:` needs a schema number, not "{line}".', step=name)
    return int(line)


def _require_numbered(migrations: list[Migration]) -> tuple[Migration, ...]:
    for expected, migration in enumerate(migrations, start=1):
        if migration.number != expected:
            raise InvalidSource(f"{migration.name}: the next number is {expected:04}.", step=migration.name)
    return tuple(migrations)


def _function(path: Path, statements: dict[str, str]) -> CodeFile:
    """The schema owner's, whom every policy keeps out, unless it says that it is the engine's."""
    sql = path.read_text("utf-8")
    owner: Owner = "engine" if "\n-- owner: engine\n" in sql else "owner"
    grantees = ("engine",) if "\n-- for: engine\n" in sql else ("doors", "engine")
    return _code_file(path, statements, owner=owner, grantees=grantees)


def _verb(path: Path, statements: dict[str, str]) -> CodeFile:
    sql = path.read_text("utf-8")
    grantees = tuple(_header_line(path.name, sql, "for").replace(",", " ").split())
    if unknown := set(grantees) - set(CALLERS):
        raise InvalidSource(f"{path.name}: `-- for:` may name {', '.join(CALLERS)}, not {', '.join(sorted(unknown))}.")
    match _header_line(path.name, sql, "owner"):
        case "doors" | "engine" as owner:
            return _code_file(path, statements, owner=owner, grantees=grantees)
        case other:
            raise InvalidSource(f'{path.name}: `-- owner:` is doors or engine, not "{other}".', step=path.name)


def _code_file(path: Path, statements: dict[str, str], *, owner: Owner, grantees: tuple[str, ...]) -> CodeFile:
    sql = _render(path, statements)
    signatures = _signatures(_without_comments(sql))
    if not signatures:
        raise InvalidSource(f"{path.name}: it has no `create or replace function jobplane.<name>`.", step=path.name)
    about = sql.partition("\n")[0].removeprefix("--").strip()
    return CodeFile(f"{path.parent.name}/{path.name}", about, sql, signatures, owner, grantees)


def _signatures(sql: str) -> tuple[FunctionSignature, ...]:
    """Each once: a function may be written in a way for each version of the server."""
    found: list[tuple[str, str, str]] = _ROUTINE.findall(sql)
    return tuple(
        dict.fromkeys(
            FunctionSignature(name.lower(), _names(arguments), _names(columns)) for name, arguments, columns in found
        )
    )


def _names(listed: str) -> str:
    """The names of input arguments or of columns, joined by spaces."""
    parts = (part.strip() for part in _NESTED.sub("", listed).split(","))
    return " ".join(name[1] for part in parts if (name := _ARGUMENT.match(part)))


def _render(path: Path, statements: dict[str, str]) -> str:
    """The text of a file with the statements that it includes, and those that they include."""

    def include(marker: re.Match[str]) -> str:
        if marker[1] not in statements:
            raise InvalidSource(f"{path.name}: there is no statements/{marker[1]}.sql.", step=path.name)
        return _MARKER.sub(include, statements[marker[1]])

    return _MARKER.sub(include, path.read_text("utf-8"))


def _statement(path: Path) -> str:
    lines = path.read_text("utf-8").splitlines()
    while lines and (lines[0].startswith("--") or not lines[0].strip()):
        lines.pop(0)
    return "\n".join(lines).rstrip().removesuffix(";").rstrip()


def _header_line(name: str, sql: str, key: str) -> str:
    for line in sql.splitlines():
        if not line.startswith("--"):
            break
        if line.startswith(f"-- {key}:"):
            return line.partition(":")[2].strip()
    raise InvalidSource(f"{name}: its leading comment has no line `-- {key}: …`.", step=name)


def _without_comments(sql: str) -> str:
    return re.sub(r"^\s*--.*$", "", sql, flags=re.MULTILINE)
