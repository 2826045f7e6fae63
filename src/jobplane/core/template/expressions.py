"""One `{{ path | filter }}`: Jinja's syntax tree, judged node by node. What is not named here is refused."""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from itertools import islice
from typing import Any, Final, NoReturn, cast

from jinja2 import Environment, TemplateSyntaxError, nodes
from jinja2.parser import Parser

from jobplane.core.template.filters import FILTERS, Misfit

Roots = Mapping[str, Collection[str] | None]
Step = str | int

LONGEST: Final = 4096  # bytes of a text with expressions
MOST_TOKENS: Final = 1000
MOST_STEPS: Final = 32
MOST_FILTERS: Final = 8
_DEEPEST: Final = 8  # of a default
_SYNTAX: Final = ("{{", "{%")
# Its syntax alone is used. Comments would be lost from the text: they begin with NUL, which no document has.
_ENVIRONMENT: Final = Environment(
    autoescape=True, keep_trailing_newline=True, comment_start_string="\0{#", comment_end_string="#}\0"
)
_STATEMENTS: Final = frozenset({"block_begin", "raw_begin"})
_MISSING: Final = object()
_INFINITE: Final = (math.inf, -math.inf)
_HINTS: Final[Mapping[type[nodes.Node], str]] = {
    nodes.Call: "A template calls nothing.",
    nodes.CondExpr: "A template has no conditions; | default(…) is for missing values.",
    nodes.Test: "A template has no tests; | default(…) is for missing values.",
    nodes.Filter: "Filters come at the end of an expression.",
}
_NO_OTHERS: Final = "A template has no operators, slices or literals other than texts."


class Refusal(Exception):
    """Why a text cannot be a template, or be rendered."""

    def __init__(self, reason: str, path: str | None = None) -> None:
        super().__init__(reason)
        self.reason = reason
        self.path = path


@dataclass(frozen=True, slots=True)
class Expression:
    """A path with filters; `steps` begins with a root. Without steps it is a text, which `default` holds."""

    steps: tuple[Step, ...]
    filters: tuple[str, ...]
    default: Any = _MISSING

    def value(self, values: Mapping[str, Any]) -> Any:
        """The value itself, not a copy; raises Refusal where it is missing or a filter cannot convert it."""
        found = _look_up(self.steps, values) if self.steps else _MISSING
        if found is _MISSING:
            found = self.default
        if found is _MISSING:
            path = shown(self.steps)
            raise Refusal(f"{path} is missing. Send it, or write {{{{ {path} | default(…) }}}}.", path)
        for name in self.filters:
            try:
                found = FILTERS[name](found)
            except Misfit as misfit:
                raise Refusal(f"{shown(self.steps)} | {name}: {misfit}", shown(self.steps)) from None
        return found


def shown(steps: Sequence[Step]) -> str:
    """A path as people write it: `event.items[0].name`."""
    first, *others = steps or ("the text",)
    plain = "".join(f".{step}" if str(step).isidentifier() else f"[{step!r}]" for step in others)
    return f"{first}{plain}"


def has_syntax(text: str) -> bool:
    return any(mark in text for mark in _SYNTAX)


def parse(text: str, roots: Roots) -> list[str | Expression]:
    """The parts of a text, in order; raises Refusal."""
    if len(text.encode("utf-8", "replace")) > LONGEST:
        raise Refusal(f"A text with expressions has {LONGEST} bytes at most.")
    stand_in = _stand_in(text)
    source = text.replace("\r", stand_in)
    try:
        _judge_tokens(source)
        body = Parser(_ENVIRONMENT, source).parse().body
    except TemplateSyntaxError as error:
        raise Refusal(f"It is not a template: {(error.message or '').rstrip('.')}.") from None
    except RecursionError:
        raise Refusal("It is nested too deeply.") from None
    outputs = [node for node in body if isinstance(node, nodes.Output)]
    parts = [_part(child, roots) for output in outputs for child in output.nodes]
    return [_restored(part, stand_in) for part in parts]


def _judge_tokens(source: str) -> None:
    """Refuse what the parser should not see: statements, and more than it reads in a few milliseconds."""
    kinds = [kind for _, kind, _ in islice(_ENVIRONMENT.lexer.tokeniter(source, None), MOST_TOKENS + 1)]
    if not _STATEMENTS.isdisjoint(kinds):
        raise Refusal("A template has no statements. Write {{ path | filter }}.")
    if len(kinds) > MOST_TOKENS:
        raise Refusal(f"A text with expressions has {MOST_TOKENS} tokens at most.")


def _stand_in(text: str) -> str:
    """A character in the place of carriage returns, which Jinja would turn into line feeds."""
    return next(mark for mark in map(chr, range(0xE000, 0xF8FF)) if mark not in text) if "\r" in text else "\r"


def _restored(part: str | Expression, stand_in: str) -> str | Expression:
    if isinstance(part, str):
        return part.replace(stand_in, "\r")
    if isinstance(part.default, str):
        return Expression(part.steps, part.filters, part.default.replace(stand_in, "\r"))
    return part


def _part(node: nodes.Expr, roots: Roots) -> str | Expression:
    if isinstance(node, nodes.TemplateData):
        return node.data
    filters: list[nodes.Filter] = []
    inner: nodes.Expr | None = node
    while isinstance(inner, nodes.Filter):
        filters.insert(0, inner)
        inner = inner.node
    if len(filters) > MOST_FILTERS:
        raise Refusal(f"An expression has {MOST_FILTERS} filters at most.")
    text = inner.value if isinstance(inner, nodes.Const) and isinstance(inner.value, str) else None
    steps = () if text is not None else _path(inner, roots)
    names, default = _filters(filters)
    return Expression(steps, names, default if text is None else text)


def _path(node: nodes.Expr | None, roots: Roots) -> tuple[Step, ...]:
    steps: list[Step] = []
    while not isinstance(node, nodes.Name):
        match node:
            case nodes.Getattr(node=inner, attr=str() as name):
                step: Step = name
            case nodes.Getitem(node=inner, arg=nodes.Const(value=str() | int() as key)) if not isinstance(key, bool):
                step = key
            case _:
                _refuse(node)
        steps.insert(0, step)
        node = inner
        if len(steps) >= MOST_STEPS:
            raise Refusal(f"A path has {MOST_STEPS} parts at most.")
    _judge_names(node.name, steps, roots)
    return (node.name, *steps)


def _judge_names(root: str, steps: Sequence[Step], roots: Roots) -> None:
    if root not in roots:
        raise Refusal(f"Unknown name {root[:100]}. {_hint(root, roots)}")
    members = roots[root]
    if members is not None and steps and steps[0] not in members:
        raise Refusal(f"{root} has no {str(steps[0])[:100]}. {_hint(str(steps[0]), members)}")


def _hint(name: str, known: Collection[str]) -> str:
    close = get_close_matches(name[:100], known, n=1)
    return f"Did you mean {close[0]}?" if close else f"Use one of {', '.join(sorted(known))}."


def _filters(filters: Sequence[nodes.Filter]) -> tuple[tuple[str, ...], Any]:
    names: list[str] = []
    default: Any = _MISSING
    for number, node in enumerate(filters):
        plain = not (node.kwargs or node.dyn_args or node.dyn_kwargs)
        if node.name == "default":
            if number or len(node.args) != 1 or not plain:
                raise Refusal("Write default first, and with one value: {{ event.name | default(…) }}.")
            default = _literal(node.args[0], _DEEPEST)
        elif node.name not in FILTERS:
            raise Refusal(f"Unknown filter {node.name[:100]}. {_hint(node.name, ('default', *FILTERS))}")
        elif node.args or not plain:
            raise Refusal(f"The filter {node.name} takes no arguments.")
        else:
            names.append(node.name)
    return tuple(names), default


def _literal(node: nodes.Node, depth: int) -> Any:
    """A JSON value that is written out."""
    match node:
        case nodes.Const(value=None | bool() | str() | int() | float() as value) if value not in _INFINITE:
            return value
        case nodes.Neg(node=nodes.Const(value=int() | float() as number)) if (
            not isinstance(number, bool) and number not in _INFINITE
        ):
            return -number
        case nodes.List(items=items) if depth:
            return [_literal(item, depth - 1) for item in items]
        case nodes.Dict(items=pairs) if depth:
            return {_key(pair.key): _literal(pair.value, depth - 1) for pair in pairs}
        case _:
            raise Refusal("The value of default must be a JSON value that is written out.")


def _key(node: nodes.Node) -> str:
    if isinstance(node, nodes.Const) and isinstance(node.value, str):
        return node.value
    raise Refusal("The keys of an object must be texts.")


def _look_up(steps: Sequence[Step], values: Mapping[str, Any]) -> Any:
    """Through the keys of objects and the indexes of lists alone."""
    found: Any = values.get(cast("str", steps[0]), _MISSING)
    for step in steps[1:]:
        if isinstance(found, dict) and isinstance(step, str):
            found = cast("dict[str, Any]", found).get(step, _MISSING)
        elif isinstance(found, list | tuple) and isinstance(step, int):
            items = cast("Sequence[Any]", found)
            found = items[step] if step < len(items) else _MISSING
        else:
            return _MISSING
    return found


def _refuse(node: nodes.Node | None) -> NoReturn:
    hint = _HINTS.get(type(node), _NO_OTHERS) if node else _NO_OTHERS
    raise Refusal(f"{hint} Write a path with filters, such as {{{{ event.data.name | upper }}}}.")
