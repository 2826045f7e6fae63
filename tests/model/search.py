"""How far the histories reach."""

from __future__ import annotations

from typing import Final

from hypothesis import HealthCheck, Phase, settings

# Fifty steps to a history, the same ones each time, however slow the machine is.
SHORT: Final = settings(
    stateful_step_count=50,
    derandomize=True,
    deadline=None,
    database=None,
    phases=[Phase.generate],  # to shrink takes longer than the test may; the deep run does it
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large, HealthCheck.filter_too_much],
)
