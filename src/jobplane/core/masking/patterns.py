"""Search texts and bytes for the forms of secrets, and for the beginning of one at their end."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from typing import AnyStr, Final, Generic, TypeAlias, cast

from jobplane.core.masking.forms import SHORT, forms_of, words_of

Span: TypeAlias = tuple[int, int]
_HEAD: Final = 4  # of a form: where these stand, the form may have begun
_MOST: Final = 4 * SHORT  # bytes of a word
_WHOLE: Final = r"(?<![0-9A-Za-z_])(?:{})(?![0-9A-Za-z_])"


class Patterns(Generic[AnyStr]):
    """The forms of some values. `str.find` for each form is faster than one regular expression for all: 600 MB/s."""

    def __init__(self, forms: Sequence[AnyStr], words: Sequence[AnyStr], whole: re.Pattern[AnyStr] | None) -> None:
        self._forms = forms
        self._whole = whole
        self._heads: list[tuple[AnyStr, AnyStr]] = [(form, form[:_HEAD]) for form in forms]
        # A begin that is as long as a head ends so. Most chunks end otherwise, so that no form has to be looked at.
        self._ends = frozenset[AnyStr]().union(*map(_ends, forms))
        # The shorter begins of forms, and those of words. A whole word too: the next letter tells whether it is one.
        self._begins = frozenset[AnyStr]((*_begins(forms, _HEAD - 1), *_begins(words, _MOST)))
        self._most = max(map(len, self._begins), default=0)

    def __bool__(self) -> bool:
        return bool(self._forms or self._whole)

    def spans(self, text: AnyStr, before: AnyStr | None = None) -> list[Span]:
        """The spans of forms, in order; they may overlap. `before` is the letter in front of the text."""
        found: list[Span] = []
        for form in self._forms:
            at = text.find(form) if form in text else -1  # `in` is the faster one
            while at >= 0:
                # A value such as "aaaa" stands at each letter of a run. The last place that overlaps this one ends it.
                last = text.rfind(form, at, at + 2 * len(form) - 1)
                found.append((at, last + len(form)))
                at = text.find(form, last + 1)
        if self._whole is not None:
            known = text if before is None else before + text
            first = len(known) - len(text)
            found += [(word.start() - first, word.end() - first) for word in self._whole.finditer(known, first)]
        found.sort()
        return found

    def open_at(self, text: AnyStr) -> int:
        """The index of a form that the next text may continue; the length of the text if there is none."""
        size = best = len(text)
        if text[-2:] in self._ends:
            best = min(_find_begin(text, form, head) for form, head in self._heads)
        for length in range(min(self._most, size), 0, -1):
            if text[-length:] in self._begins:
                return min(best, size - length)
        return best


def text_patterns(values: Iterable[str]) -> Patterns[str]:
    """The patterns to find in texts."""
    known = [value for value in values if value.strip()]
    words = words_of(known)
    whole = re.compile(_WHOLE.format("|".join(map(re.escape, words)))) if words else None
    return Patterns(forms_of(known), words, whole)


def byte_patterns(values: Iterable[str]) -> Patterns[bytes]:
    """The patterns to find in bytes of UTF-8."""
    known = [value for value in values if value.strip()]
    forms = [form.encode("utf-8", "surrogatepass") for form in forms_of(known)]
    words = [word.encode("utf-8", "surrogatepass") for word in words_of(known)]
    whole = re.compile(_WHOLE.encode().replace(b"{}", b"|".join(map(re.escape, words)))) if words else None
    return Patterns(forms, words, whole)


@lru_cache(4096)  # 0.2 µs a letter
def _ends(form: AnyStr) -> frozenset[AnyStr]:
    return frozenset(form[at : at + 2] for at in range(_HEAD - 2, len(form) - 2))


def _begins(texts: Iterable[AnyStr], most: int) -> Iterator[AnyStr]:
    for text in texts:
        for length in range(min(most, len(text)), 0, -1):
            yield text[:length]


def _find_begin(text: AnyStr, form: AnyStr, head: AnyStr) -> int:
    """The index of the longest end of the text that is a beginning of the form, and begins with the head."""
    at = text.find(head, max(0, len(text) - len(form) + 1))
    while at >= 0:
        if form.startswith(cast("AnyStr", text[at:])):
            return at
        at = text.find(head, at + 1)
    return len(text)
