"""The trace that a job belongs to."""

from __future__ import annotations


def trace_id(job_id: str, trace_context: str | None) -> str:
    """The trace that a `traceparent` names; without one the job's own id in hex, the same in each attempt."""
    parts = (trace_context or "").split("-")  # as W3C has it: version, trace, span, flags
    named = len(parts) >= 4 and len(parts[1]) == 32
    return parts[1] if named else job_id.replace("-", "")
