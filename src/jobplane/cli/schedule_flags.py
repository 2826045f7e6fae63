"""The flags that say what a schedule is, judged before anything is sent."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict
from functools import wraps
from typing import Any, Final

import click

from jobplane.cli.options import Command, Fields, document
from jobplane.cli.output.times import Duration, Moment
from jobplane.cli.param_type import ParamType
from jobplane.core.bounds import show
from jobplane.core.retry import PRESETS

MISSED: Final = ("latest", "skip", "all")
OVERLAP: Final = ("allow", "skip", "queue_one", "cancel_previous")
TIMES: Final = ("cron_expr", "interval_seconds", "once")
# What may be missing, by the name of its flag.
UNSET: Final[Mapping[str, str]] = {
    **{name: name for name in ("key", "timezone", "priority", "queue", "backoff")},
    "starts-at": "starts_at",
    "ends-at": "ends_at",
    "pause-after-failures": "pause_after_failures",
    "max-attempts": "max_attempts",
}


class _Switch(ParamType[bool]):
    """`true` or `false`, and nothing else."""

    name = "true|false"

    def convert(self, value: object, param: click.Parameter | None, ctx: click.Context | None) -> bool:
        if value not in ("true", "false", True, False):
            self.fail(f"{show(value)} is not true or false.", param, ctx)
        return value in ("true", True)


class _Object(ParamType[Fields]):
    """A JSON object: itself, `@file`, or `-` for stdin."""

    name = "json"

    def convert(self, value: object, param: click.Parameter | None, ctx: click.Context | None) -> Fields:
        return document(str(value))


class _Backoff(_Object):
    """The name of a preset, or a JSON object with the numbers of a policy."""

    name = "backoff"

    def convert(self, value: object, param: click.Parameter | None, ctx: click.Context | None) -> Fields:
        return (
            asdict(PRESETS[value])
            if isinstance(value, str) and value in PRESETS
            else super().convert(value, param, ctx)
        )


TIMETABLE: Final[Sequence[Callable[[Command], Command]]] = (
    click.option("--cron", "cron_expr", metavar="EXPR", help="When: five fields, or a name like @daily."),
    click.option("--interval", "interval_seconds", type=Duration(), metavar="15m", help="When: at this interval."),
    click.option("--timezone", "--tz", "timezone", metavar="ZONE", help="Like Europe/Berlin; default: the tenant's."),
)
_REST: Final[Sequence[Callable[[Command], Command]]] = (
    click.option("--once", type=Moment(is_past=False), metavar="TIME", help="When: once, at this time."),
    click.option("--starts-at", type=Moment(is_past=False), metavar="TIME", help="Not before this time."),
    click.option("--ends-at", type=Moment(is_past=False), metavar="TIME", help="Not after this time."),
    click.option(
        "--payload",
        "payload_template",
        type=_Object(),
        metavar="JSON|@FILE|-",
        help="The payload of its jobs; texts may have {{ … }}.",
    ),
    click.option(
        "--overlap", type=click.Choice(OVERLAP), help="What to do while an earlier job has not ended; default allow."
    ),
    click.option("--missed", type=click.Choice(MISSED), help="Which missed times to fire; default latest."),
    click.option(
        "--missed-limit",
        type=click.IntRange(1, 1000),
        metavar="N",
        help="The most missed times to fire with --missed all.",
    ),
    click.option(
        "--spread",
        "spread_seconds",
        type=Duration(),
        metavar="10m",
        help="Fire up to this much later, always by the same delay.",
    ),
    click.option(
        "--pause-after-failures",
        type=click.IntRange(1, 100),
        metavar="N",
        help="Disable it after this many failures in a row.",
    ),
    click.option("--queue", metavar="NAME", help="The queue of its jobs; default: that of the definition."),
    click.option(
        "--priority", type=click.IntRange(0, 1000), metavar="N", help="The priority of its jobs; 0 comes first."
    ),
    click.option(
        "--max-attempts", type=click.IntRange(1, 1000), metavar="N", help="The number of attempts of its jobs."
    ),
    click.option(
        "--backoff",
        type=_Backoff(),
        metavar="JSON|jobforge|ayb",
        help='The backoff of its jobs, like {"base": 5, "cap": 300}, or a preset.',
    ),
    click.option("--enabled", "is_enabled", type=_Switch(), metavar="true|false", help="Whether it fires."),
)


def describes(*, is_new: bool) -> Callable[[Command], Command]:
    """Give a command `body`: the schedule to make, or what to change in one."""
    named = (
        click.option("--label", metavar="TEXT", required=is_new, help="A readable name."),
        click.option(
            "--definition", "definition_key", metavar="KEY", required=is_new, help="The definition of its jobs."
        ),
        click.option("--key", metavar="NAME", help="A name for programs, unique in its tenant."),
    )
    unset = click.option(
        "--unset", "unset", type=click.Choice([*UNSET]), multiple=True, help="Remove a value; repeatable."
    )

    def decorate(command: Command) -> Command:
        @wraps(command)
        def wrapped(unset: tuple[str, ...] = (), **given: Any) -> int | None:
            ours = {name: given.pop(name, None) for name in _NAMES}
            return command(body=_body(ours, unset, is_new=is_new), **given)

        found: Command = wrapped
        for flag in reversed((*named, *TIMETABLE, *_REST, *(() if is_new else (unset,)))):
            found = flag(found)
        return found

    return decorate


def times(command: Command) -> Command:
    """Give a command `timetable`: the parameters of one that is not stored, unless it names a stored schedule."""

    @wraps(command)
    def wrapped(
        cron_expr: str | None,
        interval_seconds: float | None,
        timezone: str | None,
        expression: str | None = None,
        **given: Any,
    ) -> int | None:
        expressions = [text for text in (cron_expr, expression) if text is not None]
        if len(expressions) + (interval_seconds is not None) + (given.get("schedule") is not None) != 1:
            raise click.UsageError(f"Write exactly one of {_choices(command)}.")
        cron = expressions[0] if expressions else None
        found = _timetable({"cron_expr": cron, "interval_seconds": interval_seconds, "timezone": timezone})
        if given.get("schedule") is None:
            judge(found)
        elif timezone is not None:
            raise click.UsageError("A stored schedule has its own time zone. Leave --timezone out.")
        return command(timetable=found, **given)

    decorated: Command = wrapped
    for flag in reversed(TIMETABLE):
        decorated = flag(decorated)
    return decorated


def _choices(command: Command) -> str:
    return "a schedule, --cron and --interval" if command.__name__ == "simulate" else "CRON, --cron and --interval"


_NAMES: Final = (
    *("label", "definition_key", "key", "cron_expr", "interval_seconds", "timezone", "once", "starts_at", "ends_at"),
    *("payload_template", "overlap", "missed", "missed_limit", "spread_seconds", "pause_after_failures", "queue"),
    *("priority", "max_attempts", "backoff", "is_enabled"),
)


def _body(given: Mapping[str, Any], unset: Sequence[str], *, is_new: bool) -> Fields:
    body = _timetable(given)
    if "spread_seconds" in body:
        body["spread_seconds"] = round(body["spread_seconds"])
    if "once" in body:
        if "starts_at" in body:
            raise click.UsageError("--once TIME and --starts-at exclude each other.")
        body |= {"once": True, "starts_at": body["once"]}
    kinds = [name for name in TIMES if name in body]
    if len(kinds) > 1 or (is_new and not kinds):
        raise click.UsageError("Write exactly one of --cron, --interval and --once.")
    if kinds:
        judge(body)
    if kinds and not is_new:  # instead of the one that it has
        body = {"cron_expr": None, "interval_seconds": None, "once": False, **body}
    body |= {UNSET[name]: None for name in unset}
    if not body:
        raise click.UsageError("Say what to change, like --cron '0 3 * * *'.")
    return body


def _timetable(given: Mapping[str, Any]) -> Fields:
    found = {name: value for name, value in given.items() if value is not None}
    if "interval_seconds" in found:
        found["interval_seconds"] = round(found["interval_seconds"])
    return found


def judge(timetable: Mapping[str, Any]) -> None:
    """Raise InvalidTimetable where no server would take it. The tenant's zone is not known here: UTC stands for it."""
    from datetime import datetime

    from jobplane.core.timetable import Timetable

    starts_at, ends_at = (
        None if timetable.get(name) is None else datetime.fromisoformat(timetable[name])
        for name in ("starts_at", "ends_at")
    )
    Timetable(
        timezone=timetable.get("timezone") or "UTC",
        cron_expr=timetable.get("cron_expr"),
        interval_seconds=timetable.get("interval_seconds"),
        once=bool(timetable.get("once")),
        starts_at=starts_at,
        ends_at=ends_at,
    )
