"""No tenant waits for another's backlog: the bound of design.md, section 6, tenant by tenant.

With T tenants of equal weight waiting in a lane, a newcomer's first job is among the next T that are taken from it, so
each of the others gets one turn before it. One of double weight gets two; one that had nothing left and comes again
while the newcomer waits is a newcomer beside it, with turns of its own.

Where a tenant's jobs are not a step apart in its line, the bound does not speak of them, and they are not counted:

- a job that came back to a slot keeps its old place, and so does one that a claim passed over because its worker does
  not know the definition: they stand before every newcomer;
- a line out of which a job was taken otherwise than by a claim (canceled, put off, edited, held) has a gap, and
  PostgreSQL, which counts a line instead of remembering its end, fills the gap with the tenant's next jobs.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from uuid import UUID

from tests.model.claims import Asked, may_run
from tests.model.life import Life, Place
from tests.model.specification import Specification

Line = tuple[UUID, str, int]  # a tenant's line in one queue and priority


@dataclass
class Wait:
    """A newcomer's first jobs, and how many turns each other tenant has had and may have before one of them."""

    firsts: set[int]
    turns: Counter[UUID] = field(default_factory=Counter[UUID])
    allowed: Counter[UUID] = field(default_factory=Counter[UUID])


@dataclass
class Fairness:
    """Jobs are known here by their identity, because a job is edited and comes back."""

    waits: dict[Line, Wait] = field(default_factory=dict[Line, Wait])
    lines: dict[Line, set[int]] = field(default_factory=dict[Line, set[int]])
    uneven: set[Line] = field(default_factory=set[Line])
    belated: set[int] = field(default_factory=set[int])

    def look(self, spec: Specification) -> None:
        """See who came and who went since the last look."""
        lines = _lines(spec)
        self.uneven = {line for line in lines if line in self.uneven or self.lines.get(line, set()) - lines[line]}
        self.belated &= set().union(*lines.values())
        self.waits = {line: wait for line, wait in self.waits.items() if wait.firsts <= lines.get(line, set())}
        come = [line for line in lines if line not in self.lines]
        for line, wait in self.waits.items():
            _share(spec, wait, line, come)
        for line in come:
            if not lines[line] & self.belated:
                self.waits[line] = Wait(lines[line])
                _share(spec, self.waits[line], line, lines)
        self.lines = lines

    def back(self, lives: Iterable[Life]) -> None:
        """They came back from a gate, and have their old places."""
        self.belated |= set(map(id, lives))

    def before(self, spec: Specification, asked: Asked) -> None:
        """Whom a gate stops in this claim waits for that gate, not for a turn."""
        self.look(spec)
        self._drop_the_stopped(spec, asked)

    def _drop_the_stopped(self, spec: Specification, asked: Asked) -> None:
        lines = _lines(spec)
        stopped = {_line(life) for life in spec.at(Place.READY) if not may_run(spec, asked, life)}
        self.waits = {
            line: wait
            for line, wait in self.waits.items()
            if line not in stopped and wait.firsts <= lines.get(line, set())
        }

    def after(self, spec: Specification, asked: Asked, chosen: list[Life]) -> None:
        """Count the turns that this claim gave."""
        even = [life for life in chosen if id(life) not in self.belated and _line(life) not in self.uneven]
        for life in chosen:
            self.waits.pop(_line(life), None)
            self._leave(life)
        self._drop_the_stopped(spec, asked)  # a limit may have become full by this claim itself
        for line, wait in self.waits.items():
            wait.turns.update(life.tenant_id for life in even if _line(life)[1:] == line[1:])
            assert wait.turns <= wait.allowed, f"a newcomer was passed over: {wait.turns}, not {wait.allowed}"
        self.back(life for life in spec.at(Place.READY) if spec.shut(life, asked.worker_id))

    def _leave(self, life: Life) -> None:
        self.lines[_line(life)].discard(id(life))
        if not self.lines[_line(life)]:
            del self.lines[_line(life)]


def _share(spec: Specification, wait: Wait, line: Line, others: Iterable[Line]) -> None:
    """Each of the others in this lane may have as many turns as its weight is to the newcomer's."""
    mine = spec.tenants[line[0]].weight
    for tenant, *lane in others:
        if (*lane,) == line[1:] and tenant != line[0]:
            wait.allowed[tenant] += -(-spec.tenants[tenant].weight // mine)


def _lines(spec: Specification) -> dict[Line, set[int]]:
    lines: dict[Line, set[int]] = {}
    for life in spec.at(Place.READY):
        lines.setdefault(_line(life), set()).add(id(life))
    return lines


def _line(life: Life) -> Line:
    return life.tenant_id, life.queue, life.priority
