from __future__ import annotations

from typing import Any

import pytest

from jobplane.core.documents import documents
from jobplane.core.errors import Invalid


def test_a_text_alone_is_the_key_of_a_document() -> None:
    assert documents(["a", {"name": "b", "n": 1}]) == [{"name": "a"}, {"name": "b", "n": 1}]


def test_of_two_documents_of_a_key_the_later_one_counts_where_they_differ() -> None:
    assert documents([{"id": "a", "n": 1, "m": 1}, {"id": "a", "n": 2}, "a"], "id") == [{"id": "a", "n": 2, "m": 1}]


@pytest.mark.parametrize("given", ["a", [None], [5], [{}], [{"name": 5}], [["a"]]], ids=repr)
def test_what_is_no_list_of_documents_is_refused(given: Any) -> None:
    with pytest.raises(Invalid):
        documents(given)
