"""Mistakes with schedules, in each store and in what the scheduler decides, that the state machine has to find."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from tests.model.slips import Slip

_FIRE, _FIRES = "verbs/fire.sql", "fires.py"
POSTGRES: Final[Mapping[str, Slip]] = {
    "a stale decision counts": Slip(_FIRE, "and t.next_run_at is not distinct from u.observed", ""),
    "a planned time fires twice": Slip(_FIRE, "'refuse') and exists (", "'refuse') and false and exists ("),
    "skip lets jobs overlap": Slip(
        "functions/judge_overlap.sql", "case when v_active = '{}' then 'fired' else 'skipped' end", "'fired'"
    ),
    "the end drops what waits": Slip(_FIRE, "x.over is null or x.waiting is not null as", "x.over is null as"),
    "a change delays what waits": Slip("verbs/change_trigger.sql", "least(v_new.due_at, ", "greatest(v_new.due_at, "),
}
SQLITE: Final[Mapping[str, Slip]] = {
    "a stale decision counts": Slip(
        _FIRES, "(now.version, now.next_run_at) == (read.version, read.next_run_at)", "now.version == read.version"
    ),
    "a planned time fires twice": Slip(_FIRES, "if made and made[0][0] is not None:", "if made and False:"),
    "skip lets jobs overlap": Slip(_FIRES, 'return "skipped" if active else "fired"', 'return "fired"'),
    "the end drops what waits": Slip(_FIRES, "decision.over is None or waiting is not None", "decision.over is None"),
    "a change delays what waits": Slip("triggers.py", 'soon(moment, new["due_at"])', 'new["due_at"]'),
}
# These break a promise on the specification alone.
DECISIONS: Final[Mapping[str, Slip]] = {
    "missed times are not counted": Slip("firing.py", "missed=older + 1) if newest", "missed=older) if newest"),
    "all passes over times": Slip("firing.py", "kept[0] if older else first", "kept[-1]"),
    "new zones pass over a time": Slip("firing.py", "min(self._now, planned - _TICK)", "self._now"),
}
# A seed by which each is found within a few histories. With another it is found too, but it may take longer.
SEEDS: Final[Mapping[str, int]] = {
    "a stale decision counts": 1,
    "a planned time fires twice": 2,
    "skip lets jobs overlap": 2,
    "the end drops what waits": 1,
    "a change delays what waits": 1,
    "missed times are not counted": 1,
    "all passes over times": 1,
    "new zones pass over a time": 12,
}
