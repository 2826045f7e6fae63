"""Mask records of `logging` before they are written to the log of a process."""

from __future__ import annotations

import logging
from copy import copy
from typing import Final, cast

import orjson

from jobplane.core.masking import Masker
from jobplane.execution.output import encode_fields
from jobplane.telemetry.logging import TRACEBACK, fields, message_of

_PLAIN: Final = frozenset(vars(logging.makeLogRecord({})))
_FORM: Final = logging.Formatter()


def mask_record(record: logging.LogRecord, masker: Masker) -> logging.LogRecord:
    """A copy that says the same without secrets. Its fields are JSON, its traceback is one of them."""
    masked = copy(record)
    masked.name = masker.mask(record.name)
    masked.msg, masked.args = masker.mask(message_of(record)), None
    masked.exc_info = masked.exc_text = None
    for name in vars(record).keys() - _PLAIN:
        delattr(masked, name)
    facts = cast("dict[str, object]", orjson.loads(encode_fields(fields(record), masker)))
    if record.exc_info:
        facts[TRACEBACK] = masker.mask(_FORM.formatException(record.exc_info))
    masked.facts = facts
    return masked
