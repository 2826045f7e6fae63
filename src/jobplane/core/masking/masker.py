"""Mask the values of secrets in texts and in JSON."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Final

from jobplane.core.masking.headers import MASK, TEXT_HEADERS, mask_headers
from jobplane.core.masking.patterns import text_patterns

if TYPE_CHECKING:
    from jobplane.core.model import Json


class Masker:
    """Masks values and the credentials of `Authorization` headers. True where it has values."""

    def __init__(self, values: Iterable[str] = ()) -> None:
        self.values: frozenset[str] = frozenset(values)
        self._patterns = text_patterns(self.values)

    def __bool__(self) -> bool:
        return bool(self._patterns)

    def mask(self, text: str) -> str:
        """The text with `***` for each secret. Those that overlap are one."""
        return mask_headers(self._mask_values(text) if self._patterns else text)

    def mask_json(self, value: Json) -> Json:
        """The same for the texts, names and numbers of a JSON value. A number with a secret in it becomes `***`."""
        if isinstance(value, str):
            return self.mask(value)
        if isinstance(value, Mapping):
            return {self.mask(name): self.mask_json(item) for name, item in value.items()}
        if isinstance(value, Sequence):
            return [self.mask_json(item) for item in value]
        if value is None or isinstance(value, bool):
            return value
        return MASK if self._patterns.spans(json.dumps(value)) else value

    def divide(self, text: str) -> tuple[str, str]:
        """A text that goes on: the part that may be masked and shown now, and the rest, which waits for more."""
        at = min(self._patterns.open_at(text), TEXT_HEADERS.open_at(text))
        begin = done = 0
        for start, end in self._patterns.spans(text):
            begin, done = start if start >= done else begin, max(done, end)
            if begin < at < done:
                at = begin or done
        return text[:at], text[at:]

    def _mask_values(self, text: str) -> str:
        parts, done = list[str](), 0
        for start, end in self._patterns.spans(text):
            if start >= done:
                parts += (text[done:start], MASK)
            done = max(done, end)
        return "".join((*parts, text[done:])) if parts else text


NO_SECRETS: Final = Masker()
