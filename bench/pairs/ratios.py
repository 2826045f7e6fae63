"""The readings of one measure on both sides, and the ratios of their pairs."""

from __future__ import annotations

import statistics
from dataclasses import dataclass, field
from typing import Final

RATE: Final = "jobs/s"  # the one figure of which more is better
HEAD: Final = (
    f"  {'':<34} {'':<18} {'before':>10} {'after':>10}  {'ratio':>6} {'smallest':>9} {'largest':>8}  better is"
)

Reading = dict[str, float]  # figures by name, such as "jobs/s" or "client µs/job"


@dataclass
class Pairs:
    """The readings of one measure. Those of one pair were taken one after the other."""

    title: str
    before: list[Reading] = field(default_factory=list[Reading])
    after: list[Reading] = field(default_factory=list[Reading])

    def add(self, before: Reading, after: Reading) -> None:
        self.before.append(before)
        self.after.append(after)

    @property
    def figures(self) -> list[str]:
        """Those that every reading has. CPU time is zero where the kernel does not tell it, and is left out."""
        readings = [*self.before, *self.after]
        return [name for name in readings[0] if all(reading.get(name) for reading in readings)]

    def ratios(self, figure: str) -> list[float]:
        """After over before, one for each pair."""
        return [after[figure] / before[figure] for before, after in zip(self.before, self.after, strict=True)]

    def lines(self) -> list[str]:
        titles = [self.title, *[""] * len(self.figures)]
        return [self._line(title, figure) for title, figure in zip(titles, self.figures, strict=False)]

    def _line(self, title: str, figure: str) -> str:
        ratios = self.ratios(figure)
        sides = [statistics.median(reading[figure] for reading in side) for side in (self.before, self.after)]
        values = " ".join(f"{_number(value):>10}" for value in sides)
        middle, spread = statistics.median(ratios), f"{min(ratios):9.3f} {max(ratios):8.3f}"
        return f"  {title:<34} {figure:<18} {values}  {middle:6.3f} {spread}  {_better(figure)}"


def _better(figure: str) -> str:
    return "larger" if figure == RATE else "smaller"


def _number(value: float) -> str:
    return f"{value:,.0f}" if value >= 100 else f"{value:.3g}"
