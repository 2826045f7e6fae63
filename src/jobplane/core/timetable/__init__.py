"""When a schedule fires: cron expressions, intervals and single times, in any time zone. Pure: no clock, no I/O."""

from __future__ import annotations

from jobplane.core.timetable.phrases import in_words
from jobplane.core.timetable.preview import Note, PlannedTime, preview
from jobplane.core.timetable.simulation import ChangedDay, Simulation, simulate
from jobplane.core.timetable.spreading import spread
from jobplane.core.timetable.timetable import Timetable
from jobplane.core.timetable.zones import TZDATA_VERSION, zone, zone_names

__all__ = [
    "TZDATA_VERSION",
    "ChangedDay",
    "Note",
    "PlannedTime",
    "Simulation",
    "Timetable",
    "in_words",
    "preview",
    "simulate",
    "spread",
    "zone",
    "zone_names",
]
