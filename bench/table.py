"""A table of readings: medians, ratios to its base, and every reading."""

from __future__ import annotations

import statistics
from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass
class Table:
    """Readings of several cases, higher being better; a ratio is taken within each round."""

    key: str
    title: str
    base: str
    unit: str = "jobs/s"
    readings: dict[str, list[float]] = field(default_factory=dict[str, list[float]])
    cpu: dict[str, list[float]] = field(default_factory=dict[str, list[float]])
    spent: dict[str, dict[str, list[float]]] = field(default_factory=dict[str, dict[str, list[float]]])

    def add(self, name: str, reading: float, cpu_us: float | None = None) -> None:
        self.readings.setdefault(name, []).append(reading)
        if cpu_us is not None:
            self.cpu.setdefault(name, []).append(cpu_us)

    def add_spent(self, name: str, cpu_us: Mapping[str, float]) -> None:
        """What a job cost by kind of process, the server's among them."""
        for kind, value in cpu_us.items():
            self.spent.setdefault(name, {}).setdefault(kind, []).append(value)

    def median(self, name: str) -> float:
        return statistics.median(self.readings[name])

    def ratios(self, name: str, base: str | None = None) -> list[float]:
        return [mine / other for mine, other in zip(self.readings[name], self.readings[base or self.base], strict=True)]

    def ratio(self, name: str, base: str | None = None) -> float:
        return statistics.median(self.ratios(name, base))

    def show(self, *, with_ratios: bool = True) -> None:
        """Print it; some tables are only looked at, and have nothing to be divided by."""
        print(f"\n{self.title}")
        heads = (
            f"ratio  {'of each round':<17} {'server µs/job' if self.cpu else '':>13}  readings" if with_ratios else ""
        )
        print(f"  {'':<46} {self.unit:>9}  {heads}".rstrip())
        for name in self.readings:
            tail = self._tail(name) if with_ratios else ""
            print(f"  {name:<46} {number(self.median(name)):>9}  {tail}".rstrip())
        if self.spent:
            self._show_spent()
        print(end="", flush=True)

    def _show_spent(self) -> None:
        kinds = list(dict.fromkeys(kind for parts in self.spent.values() for kind in parts))
        print(f"  {'µs of CPU a job':<46} " + " ".join(f"{kind:>9}" for kind in [*kinds, "together"]))
        for name, parts in self.spent.items():
            medians = {kind: statistics.median(values) for kind, values in parts.items()}
            cells = [number(medians[kind]) if kind in medians else "" for kind in kinds]
            print(f"  {name:<46} " + " ".join(f"{cell:>9}" for cell in [*cells, number(sum(medians.values()))]))

    def _tail(self, name: str) -> str:
        ratios = " ".join(f"{ratio:.2f}" for ratio in self.ratios(name))
        cpu = f"{statistics.median(self.cpu[name]):.1f}" if name in self.cpu else ""
        readings = "  ".join(number(value) for value in self.readings[name])
        return f"{self.ratio(name):5.2f}  {ratios:<17} {cpu:>13}  {readings}"


def number(value: float) -> str:
    return f"{value:,.0f}" if value >= 100 else f"{value:.3g}"
