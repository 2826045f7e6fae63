"""Documents are judged before any store sees them."""

from __future__ import annotations

from typing import Any

import pytest

from jobplane.control.documents import judge
from jobplane.control.queues import QueueModel
from jobplane.core.errors import Invalid


def test_a_document_keeps_what_it_names_and_nothing_more() -> None:
    given = ["a", {"name": "b", "description": ""}]

    assert judge(QueueModel, given) == [{"name": "a"}, {"name": "b", "description": ""}]


@pytest.mark.parametrize(
    ("document", "pointer"),
    [
        ("Mail", "name"),
        ("mail\n", "name"),
        ("a" * 101, "name"),
        ({"name": "mail", "description": "x" * 1001}, "description"),
        ({"name": "mail", "description": 5}, "description"),
        ({"name": "mail", "description": None}, "description"),
        ({"name": "mail", "description": "\x00"}, "description"),
        ({"name": "mail", "description": "\ud800"}, "description"),
        ({"name": "mail", "paused_at": "now"}, "paused_at"),
    ],
)
def test_a_bad_value_is_refused_with_its_place(document: Any, pointer: str) -> None:
    with pytest.raises(Invalid, match=f"^Invalid {pointer} in the document of name ") as caught:
        judge(QueueModel, ["good", document])

    assert caught.value.facts["pointer"] == f"/{pointer}"
    assert "Value error" not in caught.value.message
