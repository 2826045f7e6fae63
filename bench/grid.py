"""A grid of times: what each verb takes at each stage, beside the first stage."""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass
class Grid:
    """Milliseconds of the server's CPU by stage and verb, lower being better."""

    title: str
    stages: dict[str, dict[str, float]] = field(default_factory=dict[str, dict[str, float]])

    def show(self) -> None:
        verbs = list(next(iter(self.stages.values())))
        print(f"\n{self.title}", flush=True)
        print(f"  {'ms of CPU a call, and times the first line':<44}" + "".join(f" {verb:>16}" for verb in verbs))
        for stage in self.stages:
            print(f"  {stage:<44}" + "".join(f" {self._cell(stage, verb):>16}" for verb in verbs), flush=True)

    def _cell(self, stage: str, verb: str) -> str:
        first = next(iter(self.stages.values()))[verb]
        return f"{self.stages[stage][verb]:.2f} ({self.stages[stage][verb] / first:.1f}x)"
