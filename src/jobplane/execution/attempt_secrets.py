"""The secrets of one attempt: resolved when its handler asks for them, and masked in what it says."""

from __future__ import annotations

import re
import threading
from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from typing import Final, cast
from urllib.parse import unquote

import orjson

from jobplane.core.claimed import REST, ClaimedJob
from jobplane.core.errors import Invalid
from jobplane.core.masking import Masker
from jobplane.core.references import RULE, read_reference
from jobplane.execution.known_secrets import KNOWN
from jobplane.execution.secret_sources import SecretSource

_CODE: Final = re.compile(r"\\u([0-9a-fA-F]{4})")
_SPACE: Final = re.compile(r"[\s\\]+")
_SLASHES: Final = re.compile(r"/(?:\.?/)+")


class AttemptSecrets:
    """Any thread of the attempt may use it.

    A reference that is anywhere in the job's payload, or in what else its caller has written, is judged as the
    payload's, whoever wrote it into the handler as well: a tenant must not read the operator's secrets.
    """

    def __init__(self, source: SecretSource, job: ClaimedJob) -> None:
        self._source = source
        self._job = job
        self._lock = threading.Lock()
        self._held: list[tuple[str, bool]] = []
        self._has_ended = False
        self._own: frozenset[str] = frozenset()
        self._masker: tuple[Masker, Masker] = (KNOWN.shared, KNOWN.shared)

    def find(self, text: str) -> str:
        """The value that a reference names. Raises Invalid, SecretRefused and SecretMissing."""
        reference = read_reference(text)
        if reference is None:  # the text is not repeated: it may be the secret
            raise Invalid(f"The argument of ctx.secret must be a reference to a secret. {RULE}")
        in_payload = _fold(str(reference)) in self._said
        value = self._source.find(reference, self._job.tenant_id, in_payload=in_payload)
        self._hold(value, in_payload=in_payload)
        return value

    @property
    def masker(self) -> Masker:
        """Masks what this attempt says."""
        shared = KNOWN.shared
        if not self._own:
            return shared
        base, masker = self._masker
        if base is not shared or not self._own <= masker.values:
            masker = Masker(shared.values | self._own)
            self._masker = shared, masker
        return masker

    def release(self) -> None:
        """The attempt has ended, and all that it said is masked."""
        with self._lock:
            held, self._held, self._has_ended = self._held, [], True
        for value, in_payload in held:
            KNOWN.release(value, in_payload=in_payload)

    def _hold(self, value: str, *, in_payload: bool) -> None:
        KNOWN.hold(value, in_payload=in_payload)
        with self._lock:
            if in_payload:
                self._own |= {value}
            is_kept = not self._has_ended and (value, in_payload) not in self._held
            if is_kept:
                self._held.append((value, in_payload))
        if not is_kept:
            KNOWN.release(value, in_payload=in_payload)

    @cached_property
    def _said(self) -> str:
        """Every text and name that the job came with."""
        rest: object = orjson.loads(self._job.fields[REST]) if self._job.fields[REST] else None
        return "\0".join(_fold(text) for text in _texts([self._job.payload, rest]))


def _fold(text: str) -> str:
    """A text as it is compared: also where a handler strips it, decodes it or cleans its path, it is the same one."""
    text = _CODE.sub(lambda found: chr(int(found[1], 16)), unquote(text))
    return _SLASHES.sub("/", _SPACE.sub("", text).casefold())


def _texts(value: object) -> Iterator[str]:
    """The texts and names in a JSON value."""
    waiting = [value]
    while waiting:
        part = waiting.pop()
        if isinstance(part, str):
            yield part
        elif isinstance(part, Mapping):
            waiting += [each for item in cast("Mapping[str, object]", part).items() for each in item]
        elif isinstance(part, Sequence):
            waiting += cast("Sequence[object]", part)
