"""A table of readings: medians, ratios to its base, and every reading."""

from __future__ import annotations

import statistics
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

    def add(self, name: str, reading: float, cpu_us: float | None = None) -> None:
        self.readings.setdefault(name, []).append(reading)
        if cpu_us is not None:
            self.cpu.setdefault(name, []).append(cpu_us)

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
        print(end="", flush=True)

    def _tail(self, name: str) -> str:
        ratios = " ".join(f"{ratio:.2f}" for ratio in self.ratios(name))
        cpu = f"{statistics.median(self.cpu[name]):.1f}" if name in self.cpu else ""
        readings = "  ".join(number(value) for value in self.readings[name])
        return f"{self.ratio(name):5.2f}  {ratios:<17} {cpu:>13}  {readings}"


def number(value: float) -> str:
    return f"{value:,.0f}" if value >= 100 else f"{value:.3g}"
