"""What the rules choose from: few of each, so that they meet."""

from __future__ import annotations

from typing import Final

from hypothesis import strategies as st

from jobplane.core.model import Document, NewJob, OnDuplicate, Outcome
from tests.model.cast import DEFINITIONS, QUEUES, TENANTS

# A choice among what a world has now: two stores may have claimed different jobs, so each finds its own.
picks: Final = st.integers(0, 40)
tenants: Final = st.integers(0, len(TENANTS) - 1)
definitions: Final = st.sampled_from(list(DEFINITIONS))
queues: Final = st.sampled_from(["default", "default", *QUEUES])
workers: Final = st.sampled_from(["anybody", "anybody", "mailer", "generalist"])
rarely: Final = st.sampled_from([False, False, True])
reasons: Final = st.sampled_from([None, "shutdown", "snooze", "suspect", "stuck", "disk full"])
releases: Final = st.sampled_from(["shutdown", "snooze", "suspect", "neighbour", "lost_contact", "unstarted"])
outcomes: Final = st.sampled_from(list(Outcome))
limits: Final = st.sampled_from([None, 2, 1, 3, 2, 0])
soon: Final = st.sampled_from([0.0, 0.5, 1.0, 7.0, 31.0, 60.0])


@st.composite
def rows(draw: st.DrawFn) -> NewJob:
    """A request. Few keys and payloads, so that they meet."""
    return NewJob(
        definition=draw(definitions),
        payload={"n": draw(st.integers(0, 1))},
        queue=draw(st.none() | queues),
        priority=draw(st.none() | st.sampled_from([0, 100, 500])),
        delay_seconds=draw(st.none() | soon),
        dedupe_key=draw(st.none() | st.sampled_from("ab")),
        on_duplicate=draw(st.none() | st.sampled_from(list(OnDuplicate))),
        idempotency_key=draw(st.none() | st.sampled_from("xyz")),
        max_attempts=draw(st.none() | st.integers(1, 3)),
    )


@st.composite
def changes(draw: st.DrawFn) -> Document:
    """What an edit changes."""
    every: Document = {
        "payload": {"n": 7},
        "priority": draw(st.sampled_from([0, 100])),
        "max_attempts": draw(st.integers(1, 4)),
        "queue": draw(queues),
    }
    names = draw(st.lists(st.sampled_from(sorted(every)), unique=True, max_size=3))
    return {name: every[name] for name in names}
