"""The texts of the source that people read: messages of errors, help of commands, events of logs."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final

_VALUE: Final = "\x00"  # stands for a value that is put into a text
_REPR: Final = "\x01"  # for one that is put there as Python writes it
_LOGS: Final = frozenset({"debug", "info", "warning", "error", "exception", "critical"})
_LOGGERS: Final = frozenset({"log", "_log", "logger"})
_CLICK: Final = frozenset({"UsageError", "BadParameter", "ClickException", "BadArgumentUsage", "BadOptionUsage"})
# Python's own errors, which users see where they come from these packages.
PYTHON: Final = frozenset({"ValueError", "TypeError", "AssertionError", "RuntimeError"})
SHOWING: Final = frozenset({"api", "cli", "embedded", "execution", "server", "testing", "config.py"})
_COMMANDS: Final = frozenset({"command", "group"})
_FORMATS: Final = re.compile(r"%[-0-9.]*[sdfg]")
_SQL: Final = re.compile(r"raise exception\s+'((?:[^']|'')*)'", re.IGNORECASE)
_SQL_USING: Final = re.compile(
    r"raise exception using [^;]*?message = ((?:'(?:[^']|'')*'|[^;'])*?)(?:, (?:errcode|hint|detail) =|;)",
    re.IGNORECASE,
)
_SQL_TEXT: Final = re.compile(r"'((?:[^']|'')*)'")
_SQL_FORMATS: Final = re.compile(r"%[sIL]")
_FIELDS: Final = re.compile(r"\{[^{}]*\}")
_BEGINS: Final = re.compile(rf"""[A-Z0-9"'`{_VALUE}-]""")
_ENDS: Final = re.compile(rf"""([.?!…]["')]?|:)$|[.?!:] {_VALUE}+$|: (jobplane|pip|psql|make) [^.]*$""")


@dataclass(frozen=True)
class Text:
    """One text, with a mark for each value in it."""

    line: int
    text: str

    @property
    def fault(self) -> str | None:
        """The rule that it breaks."""
        if _REPR in self.text:
            return "has a bare repr of a value"
        if not _BEGINS.match(self.text):
            return "does not start with a capital letter or a quoted value"
        return None if _ENDS.search(self.text.rstrip()) else "does not end with a full stop"

    def __str__(self) -> str:
        shown = self.text.replace(_VALUE, "{}").replace(_REPR, "{!r}")
        return f"{self.line}: {self.fault}: {shown}"


def find_errors(sources: Iterator[ast.Module]) -> frozenset[str]:
    """The names of all classes that are a JobplaneError, and of click's."""
    bases = {
        node.name: {_last_name(base) for base in node.bases}
        for tree in sources
        for node in ast.walk(tree)
        if isinstance(node, ast.ClassDef)
    }
    found = {"JobplaneError"}
    while more := {name for name, known in bases.items() if known & found} - found:
        found |= more
    return frozenset(found | _CLICK)


def read_sql(path: Path) -> Iterator[Text]:
    """The messages of exceptions in a file of SQL."""
    source = path.read_text()
    for found in _SQL.finditer(source):
        yield _sql_text(source, found.start(), found[1])
    for using in _SQL_USING.finditer(source):
        for found in _SQL_TEXT.finditer(using[1]):
            if " " in found[1]:  # a single word is a code or a name
                yield _sql_text(source, using.start(), found[1])


def _sql_text(source: str, start: int, text: str) -> Text:
    shown = _SQL_FORMATS.sub(_VALUE, text.replace("''", "'").replace("%%", "")).replace("%", _VALUE)
    return Text(source.count("\n", 0, start) + 1, shown)


def read_python(tree: ast.Module, errors: frozenset[str]) -> Iterator[Text]:
    """The texts of a module, as far as they are written in it."""
    scopes = [tree, *(node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef))]
    constants = _assigned(tree)
    for scope in scopes:
        named = constants | _assigned(scope)
        if isinstance(scope, ast.FunctionDef | ast.AsyncFunctionDef) and _is_command(scope):
            yield from _docstring(scope)
        for node in _own_nodes(scope):
            if isinstance(node, ast.Call):
                for given in _texts(node, errors):
                    yield from _resolve(given, named)


def _own_nodes(scope: ast.AST) -> Iterator[ast.AST]:
    """The nodes of a scope without those of the functions in it."""
    for node in ast.iter_child_nodes(scope):
        if not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            yield node
            yield from _own_nodes(node)
        else:
            for decorator in node.decorator_list:
                yield decorator
                yield from _own_nodes(decorator)


def _texts(call: ast.Call, errors: frozenset[str]) -> Iterator[ast.expr]:
    """The arguments of a call that people read."""
    name, owner = _last_name(call.func), _owner(call.func)
    keywords = {keyword.arg: keyword.value for keyword in call.keywords}
    if (
        name in errors
        or (name == "fail" and owner == "self")
        or (name in _LOGS and owner in _LOGGERS)
        or name in ("say", "Event")
    ):
        yield from call.args[:1]
    elif name == "log_event":
        yield from call.args[1:2]
    elif name == "Ending":
        yield from [*call.args[2:3], *(value for key, value in keywords.items() if key == "error")]
    elif name == "echo" and "err" in keywords:
        yield from call.args[:1]
    elif name in ("option", "Option") and "help" in keywords:
        yield keywords["help"]


def _resolve(given: ast.expr, named: dict[str, list[ast.expr]]) -> Iterator[Text]:
    """The texts that an argument may be, with what the names in it were given."""
    match given:
        case ast.Name(id=name):
            rest = {each: values for each, values in named.items() if each != name}
            for value in named.get(name, ()):
                yield from _resolve(value, rest)
        case ast.IfExp(body=body, orelse=orelse):
            yield from [*_resolve(body, named), *_resolve(orelse, named)]
        case ast.Subscript(value=ast.Name(id=name)):
            for value in named.get(name, ()):
                yield from (text for each in _values(value) for text in _resolve(each, {}))
        case ast.Call(func=ast.Attribute(value=template, attr="format")):
            for found in _resolve(template, named):
                yield Text(found.line, _FIELDS.sub(lambda field: _REPR if "!r" in field[0] else _VALUE, found.text))
        case ast.BinOp(left=left, op=ast.Mod()):
            yield from _resolve(left, named)
        case _:
            if (text := _text_of(given)) is not None:
                yield Text(given.lineno, text)


def _values(given: ast.expr) -> list[ast.expr]:
    return given.values if isinstance(given, ast.Dict) else []


def _text_of(node: ast.expr) -> str | None:
    match node:
        case ast.Constant(value=str(text)):
            return _FORMATS.sub(_VALUE, text.replace("%r", _REPR))
        case ast.JoinedStr(values=values):
            return "".join(_text_of(value) or "" for value in values)
        case ast.FormattedValue(conversion=114):
            return _REPR
        case ast.FormattedValue():
            return _VALUE
        case ast.BinOp(left=left, op=ast.Add(), right=right):
            parts = _text_of(left), _text_of(right)
            return None if parts == (None, None) else "".join(part or _VALUE for part in parts)
        case _:
            return None


def _docstring(scope: ast.FunctionDef | ast.AsyncFunctionDef) -> Iterator[Text]:
    if text := ast.get_docstring(scope):
        yield from (Text(scope.lineno, " ".join(part.split())) for part in text.split("\n\n") if part[0] not in " \b")


def _is_command(scope: ast.FunctionDef | ast.AsyncFunctionDef) -> bool:
    return any(_last_name(each) in _COMMANDS for each in scope.decorator_list)


def _assigned(scope: ast.AST) -> dict[str, list[ast.expr]]:
    found: dict[str, list[ast.expr]] = {}
    for node in _own_nodes(scope):
        if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name):
            found.setdefault(node.targets[0].id, []).append(node.value)
        elif isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name) and node.value is not None:
            found.setdefault(node.target.id, []).append(node.value)
    return found


def _last_name(node: ast.expr) -> str:
    match node:
        case ast.Call(func=func):
            return _last_name(func)
        case ast.Attribute(attr=name) | ast.Name(id=name):
            return name
        case ast.Subscript(value=value):
            return _last_name(value)
        case _:
            return ""


def _owner(node: ast.expr) -> str:
    return _last_name(node.value) if isinstance(node, ast.Attribute) else ""
