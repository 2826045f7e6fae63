"""What the rules of schedules choose from: short intervals and few of each, so that they meet."""

from __future__ import annotations

from typing import Any, Final

from hypothesis import strategies as st

from jobplane.core.timetable import TZDATA_VERSION

picks: Final = st.integers(0, 4)
steps: Final = st.sampled_from([1, 2, 2, 30, 61, 300, 300, 600, 1000, 4000, 86_500])
tables: Final = st.sampled_from(
    [
        {"interval_seconds": 300},
        {"interval_seconds": 300},
        {"interval_seconds": 3600},
        {"cron_expr": "*/10 * * * *"},
        {"cron_expr": "30 9 * * *"},
        {"once": True},
    ]
)
ends: Final = st.sampled_from([None, None, 900, 900, 4000])  # seconds from now
spreads: Final = st.sampled_from([0, 0, 60, 1200])
missed: Final = st.sampled_from(["latest", "skip", "all", "all"])
overlaps: Final = st.sampled_from(["allow", "skip", "queue_one", "queue_one", "cancel_previous"])
zones: Final = st.sampled_from([TZDATA_VERSION, "2020.1"])


@st.composite
def rules(draw: st.DrawFn) -> dict[str, Any]:
    """What a new schedule says besides its timetable."""
    return {
        "missed": draw(missed),
        "missed_limit": draw(st.sampled_from([1000, 1000, 2])),
        "overlap": draw(overlaps),
        "spread_seconds": draw(spreads),
        "pause_after_failures": draw(st.sampled_from([None, None, 1, 2])),
        "is_enabled": draw(st.sampled_from([True, True, True, False])),
    }


@st.composite
def changes(draw: st.DrawFn) -> dict[str, Any]:
    """What a person changes; seconds in `ends_at` count from now."""
    every: dict[str, Any] = {
        "label": "renamed",
        "missed": draw(missed),
        "overlap": draw(overlaps),
        "spread_seconds": draw(spreads),
        "pause_after_failures": draw(st.sampled_from([None, 1])),
        "ends_at": draw(ends),
    }
    names = draw(st.lists(st.sampled_from(sorted(every)), unique=True, min_size=1, max_size=2))
    return {name: every[name] for name in names}
