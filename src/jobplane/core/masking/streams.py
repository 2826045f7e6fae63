"""Mask the values of secrets in a stream of bytes, also where a value is split between chunks."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from jobplane.core.masking.headers import MASK, HeaderStream
from jobplane.core.masking.patterns import Span, byte_patterns

_MASK: Final = MASK.encode()


class StreamMasker:
    """Masks a stream as `Masker` masks a text. What may be the begin of a secret waits for the next chunk."""

    def __init__(self, values: Iterable[str] = ()) -> None:
        self._values = _ValueStream(values)
        self._headers = HeaderStream()

    def feed(self, data: bytes) -> bytes:
        """The bytes that are certain now."""
        return self._headers.feed(self._values.feed(data))

    def close(self) -> bytes:
        """The rest. The stream has ended."""
        return self._headers.feed(self._values.close()) + self._headers.close()


class _ValueStream:
    def __init__(self, values: Iterable[str]) -> None:
        self._patterns = byte_patterns(values)
        self._held = b""
        self._masked = 0  # bytes at the begin of what is held that a mask stands for already
        self._before = b""  # the byte before, which tells whether a word begins

    def feed(self, data: bytes) -> bytes:
        if not self._patterns:
            return data
        data = self._held + data if self._held else data
        return self._pass_on(data, self._patterns.open_at(data))

    def close(self) -> bytes:
        return self._pass_on(self._held, len(self._held))

    def _pass_on(self, data: bytes, at: int) -> bytes:
        """Mask the bytes up to a place, and hold the others."""
        spans, masked = self._patterns.spans(data, self._before), self._masked
        shown = data[:at]
        if spans or masked:
            shown = self._cover(data, spans, at)
        self._held = data[at:]
        self._before = data[at - 1 : at] if at else self._before
        return shown

    def _cover(self, data: bytes, spans: list[Span], at: int) -> bytes:
        """The bytes up to a place, with a mask for each span that begins there. Spans that overlap are one."""
        parts, done = list[bytes](), self._masked
        for start, end in spans:
            if start >= at:
                break
            if start >= done:
                parts += (data[done:start], _MASK)
            done = max(done, end)
        self._masked = max(0, done - at)
        return b"".join((*parts, data[done:at]))
