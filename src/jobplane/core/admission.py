"""Check a request to enqueue before any store sees it: its types, and that its texts can be stored."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import fields
from datetime import datetime
from operator import attrgetter
from typing import Final, cast
from uuid import UUID

from jobplane.core.errors import Invalid
from jobplane.core.model import NewJob, OnDuplicate
from jobplane.core.payload import encode, encode_document, fault_of

OPTIONS: Final = tuple(name for name in NewJob.__slots__ if name not in ("definition", "payload"))


def _options_typed_as(kind: str) -> tuple[str, ...]:
    """The options that NewJob declares with this type."""
    return tuple(field.name for field in fields(NewJob) if field.type == kind)


TEXTS: Final = _options_typed_as("str | None")
_NUMBERS: Final = _options_typed_as("int | None")
_TIMES: Final = _options_typed_as("datetime | None")
_INT: Final = range(-(2**31), 2**31)
_MAX_DELAY: Final = 3_153_600_000  # a hundred years
_options: Final = attrgetter(*OPTIONS)
_NOTHING: Final = {type(None)}


def admit(job: object) -> str:
    """Return the payload as JSON text, or raise Invalid with what is wrong with the request."""
    if not isinstance(job, NewJob):
        raise Invalid(f"A job must be a NewJob, not {type(job).__name__}.")
    if not (type(job.definition) is str and job.definition.isascii() and job.definition.isprintable()):
        _text("definition", job.definition, optional=False)
    if not is_plain(job):
        _facts(job)
    return encode(job.payload)


def is_plain(job: NewJob) -> bool:
    """Whether it has nothing but a definition and a payload."""
    return {*map(type, _options(job))} == _NOTHING


def _facts(job: NewJob) -> None:
    for name in TEXTS:
        _text(name, getattr(job, name), optional=True)
    for name in _NUMBERS:
        _number(name, getattr(job, name))
    for name in _TIMES:
        if getattr(job, name) is not None:
            require_instant(name, getattr(job, name))
    _rest(job)


def _text(name: str, value: object, *, optional: bool) -> None:
    if value is None and optional:
        return
    if not isinstance(value, str):
        raise Invalid(f"The {name} must be a string, not {type(value).__name__}.")
    if fault := fault_of(value):
        raise Invalid(f"The {name} has {fault}.")


def _number(name: str, value: object) -> None:
    if value is None:
        return
    if not isinstance(value, int) or isinstance(value, bool):
        raise Invalid(f"The {name} must be a whole number, not {type(value).__name__}.")
    if value not in _INT:
        raise Invalid(f"The {name} must be a number of up to 32 bits, not of {value.bit_length()} bits.")


def require_instant(name: str, value: object) -> None:
    """Raise Invalid for a value that is not a datetime, or has no time zone."""
    if not isinstance(value, datetime) or value.utcoffset() is None:
        raise Invalid(f"The {name} must be a datetime with a time zone.")


def require_uuid(name: str, value: object) -> None:
    if not isinstance(value, UUID):
        raise Invalid(f"The {name} must be a UUID, not {type(value).__name__}.")


def _rest(job: NewJob) -> None:
    _delay(job.delay_seconds)
    _identity(job.id)
    _tags(job.tags)
    if job.on_duplicate is not None and job.on_duplicate not in tuple(OnDuplicate):
        raise Invalid("The on_duplicate must be return, replace or postpone.")
    if job.metadata is not None:
        encode_document(job.metadata, "metadata")


def _delay(value: object) -> None:
    if value is None:
        return
    if not isinstance(value, int | float) or isinstance(value, bool) or not 0 <= value <= _MAX_DELAY:
        raise Invalid(f"The delay_seconds must be a number from 0 to {_MAX_DELAY}.")


def _identity(value: object) -> None:
    if not isinstance(value, UUID | None):
        raise Invalid(f"The id must be a UUID, not {type(value).__name__}.")


def _tags(value: object) -> None:
    if value is None:
        return
    if not isinstance(value, Sequence) or isinstance(value, str):
        raise Invalid("The tags must be a list of strings.")
    for tag in cast("Sequence[object]", value):
        _text("tag", tag, optional=False)
