"""The placeholders of the store's statements in the way that a driver wants them."""

from __future__ import annotations

from functools import cache
from itertools import count


@cache
def number_placeholders(statement: str) -> str:
    """`$1`, `$2` and so on for each `%s`."""
    first, *others = statement.split("%s")
    numbers = count(1)
    return first + "".join(f"${next(numbers)}{other}" for other in others)
