"""A text in what people are shown of a job. What is masked there is not found: a search must not tell what it is."""

from __future__ import annotations

import json
import re
from typing import Final

from jobplane.core.errors import Invalid
from jobplane.core.model import Job, JobFilter, Json
from jobplane.core.redaction import redact
from jobplane.core.texts import require_text, require_texts

MOST: Final = 200  # characters of a text
_HEX: Final = re.compile(r"[0-9a-f]{6,32}")


def hex_of(text: str) -> str | None:
    """The text as a part of an id: 6 to 32 hex digits, without the dashes."""
    found = _HEX.fullmatch(text.lower().replace("-", ""))
    return found and found[0]


def is_end(part: str | None, job_id: object) -> bool:
    """Whether an id begins or ends with a part."""
    digits = str(job_id).lower().replace("-", "")
    return part is not None and (digits.startswith(part) or digits.endswith(part))


def written(value: Json) -> str:
    """A JSON value as PostgreSQL writes a jsonb, but for the order of names."""
    return json.dumps(value, ensure_ascii=False)


def shows(job: Job, text: str) -> bool:
    """Whether id, payload, error, result, tags or correlation id of a job show this text, in any case."""
    wanted = text.lower()
    texts = [job.correlation_id or "", *(job.tags or ()), written(redact(job.payload)), str(redact(job.error) or "")]
    if job.result is not None:
        texts.append(written(redact(job.result)))
    return is_end(hex_of(text), job.id) or any(wanted in each.lower() for each in texts)


def judge_filter(where: JobFilter) -> None:
    """Raise Invalid for a text that cannot be stored, so that no job has it."""
    for name, values in (("definition key", where.definitions), ("queue name", where.queues), ("tag", where.tags)):
        if values is not None:
            require_texts(name, values)
    for name in ("correlation_id", "source", "source_ref", "worker_id", "triggered_by"):
        if (value := getattr(where, name)) is not None:
            require_text(name, value)
    if where.text is not None:
        require_text("text", where.text, 1, MOST)


def require_countable(where: JobFilter) -> None:
    """Refuse to count jobs with a text: a store also finds it in masked values, and the count would tell about them."""
    if where.text is not None:
        raise Invalid("A total cannot be counted together with q. Leave out one of them.", pointer="query include")
