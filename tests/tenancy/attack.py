"""A call of any function with arguments that are aimed at somebody's things, and what came of it."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final, LiteralString, cast
from uuid import UUID

import psycopg

from tests.tenancy.catalog import Function
from tests.tenancy.town import FINGERPRINT, HUSH, KEY, Connection, Target, Town

DENIED: Final = "42501"
NO_TENANT: Final = "JP001"
GARBAGE: Final = "22P02"
# What a connection may say of its tenant; None: it says nothing.
SETTINGS: Final[dict[str, str | None]] = {
    "none": None,
    "empty": "",
    "blank": " ",
    "garbage": "not-a-uuid",
    "sql": "' or true --",
    "two": "00000000-0000-7000-8000-000000000001,00000000-0000-7000-8000-000000000002",
    "null": "null",
    "stranger": "00000000-0000-7000-8000-00000000dead",
}
_UUID: Final = re.compile(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}")
_STATUSES: Final = ("queued", "running", "succeeded", "failed", "dead_letter", "canceled")
_WORDS: Final = {
    "p_definition": "d", "p_definitions": "d", "p_keys": "d", "p_queue": "default", "p_queues": "default",
    "p_names": "default",
    "p_on_duplicate": "return", "p_on_duplicates": "return", "p_source": "manual", "p_sources": "manual",
    "p_after": "", "p_worker_id": "worker-1", "p_outcomes": "succeeded", "p_reason": "shutdown", "p_kind": "manual",
}  # fmt: skip
_NUMBERS: Final = {"p_before": None, "p_status": "201"}
_DOCUMENTS: Final = {
    ("edit", "p_changes"): '{"priority": 7}', ("set_tenant", "p_changes"): '{"name": "other"}',
    ("enqueue_many", "p_tags"): "[]", ("put_definitions", "p_definitions"): '{"key": "d", "kind": "python"}',
    ("sync_definitions", "p_definitions"): '{"key": "d", "kind": "python"}',
    ("create_trigger", "p_document"): (
        f'{{"label": "x", "key": "{KEY}", "definition_key": "d", "cron_expr": "5 0 * * *",'
        ' "next_run_at": "2100-01-01T00:05:00Z", "due_at": "2100-01-01T00:05:00Z"}'
    ),
    ("change_trigger", "p_changes"): '{"label": "x"}',
    ("create_definition", "p_document"): '{"key": "other"}', ("change_definition", "p_changes"): '{"priority": 7}',
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Answer:
    """The rows as text, or the error."""

    rows: tuple[str, ...] = ()
    sqlstate: str = ""
    message: str = ""

    def about(self, target: Target) -> Answer:
        """The same with the target's ids and keys under common names, and all other ids under one."""
        return Answer(tuple(_masked(row, target) for row in self.rows), self.sqlstate, _masked(self.message, target))


def attack(conn: Connection, function: Function, target: Target, tenant: str | None, *, brief: bool = False) -> Answer:
    """Call it in a transaction of its own, which is taken back; brief: with its defaults where it has some."""
    try:
        with conn.transaction(force_rollback=True):
            if tenant is not None:
                conn.execute("select set_config('jobplane.tenant_id', %s, true)", [tenant])
            rows = conn.execute(cast("LiteralString", call(function, target, brief=brief))).fetchall()
    except psycopg.Error as error:
        return Answer((), error.sqlstate or "", str(error))
    return Answer(tuple(row[0] for row in rows))


def call(function: Function, target: Target, *, brief: bool) -> str:
    given = len(function.names) - (function.defaults if brief else 0)
    pairs = list(zip(function.names, function.types, strict=True))[:given]
    values = (_quoted(_argument(function.name, name, kind, target)) + f"::{kind}" for name, kind in pairs)
    return f"select f::text from jobplane.{function.name}({', '.join(values)}) f"


def shows(answer: Answer | Iterable[str], words: Iterable[object]) -> bool:
    """Whether one of these words is in what came back."""
    text = "\n".join((*answer.rows, answer.message) if isinstance(answer, Answer) else answer)
    return any(str(word) in text for word in words)


def hers(town: Town) -> list[object]:
    """What would give alice away in a row."""
    return [town.alice, *town.target.ids, HUSH, KEY]


def _argument(function: str, name: str, kind: str, target: Target) -> str | None:
    if kind.endswith("[]"):
        return _array(function, name, kind.removesuffix("[]"), target)
    return _one(function, name, kind, target)


def _array(function: str, name: str, kind: str, target: Target) -> str | None:
    n = len(target.ids)
    values: Iterable[object] = [_one(function, name, kind, target)] * n
    match name:
        case "p_ids":
            values = target.ids
        case "p_seqs":
            values = target.seqs
        case "p_attempt_nos":
            values = [1] * n
        case "p_planned":
            values = ["2026-01-01 12:00Z"] * n
        case "p_statuses":
            values = _STATUSES
        case _ if kind not in {"uuid", "text", "jsonb", "integer", "real", "jobplane.attempt_outcome"}:
            return None
        case _:
            pass
    return "{" + ",".join('"' + str(value).replace('"', '\\"') + '"' for value in values) + "}"


def _one(function: str, name: str, kind: str, target: Target) -> str | None:
    if name in _NUMBERS:
        return _NUMBERS[name]
    match kind:
        case "uuid":
            return str(_uuid(name, target))
        case "text":
            return target.slug if "slug" in name else _WORDS.get(name, target.key)
        case "jsonb":
            return _DOCUMENTS.get((function, name), "{}").replace(KEY, target.key)
        case "jobplane.attempt_outcome":
            return "succeeded"
        case "integer" | "smallint" | "bigint" | "double precision":
            return "30"
        case "real":
            return "0.5"
        case "boolean":
            return "true"
        case "bytea":
            return FINGERPRINT
        case _:
            return None


def _uuid(name: str, target: Target) -> UUID:
    if "tenant" in name:
        return target.tenant
    return target.token if "token" in name else target.ids[0]


def _quoted(value: str | None) -> str:
    return "null" if value is None else "'" + value.replace("'", "''") + "'"


def _masked(text: str, target: Target) -> str:
    for number, id_ in enumerate(target.ids):
        text = text.replace(str(id_), f"<id {number}>")
    text = text.replace(str(target.tenant), "<tenant>").replace(target.key, "<key>")
    return _UUID.sub("<another>", text)
