from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from jobplane.api.manager.names import Names, is_named, key, lane, names

PARTS = st.from_regex(r"[a-z0-9]([a-z0-9_-]{0,20}[a-z0-9])?", fullmatch=True)
TYPES = st.from_regex(r"[A-Za-z0-9]([A-Za-z0-9._-]{0,20}[A-Za-z0-9])?", fullmatch=True)
TRIPLES = st.tuples(PARTS, PARTS, TYPES)


@given(TRIPLES)
def test_what_the_store_calls_a_job_type_gives_its_names_back(triple: tuple[str, str, str]) -> None:
    assert names(lane(*triple[:2]), key(*triple)) == Names(*triple)


@given(TRIPLES, TRIPLES)
def test_two_job_types_never_share_a_key(one: tuple[str, str, str], other: tuple[str, str, str]) -> None:
    assert (key(*one) == key(*other)) == (one == other)
    assert (lane(*one[:2]) == lane(*other[:2])) == (one[:2] == other[:2])


@given(TRIPLES, TRIPLES)
def test_a_definition_is_found_by_any_of_its_names(one: tuple[str, str, str], other: tuple[str, str, str]) -> None:
    assert is_named(key(*one), None, None, None)
    assert is_named(key(*one), *one)
    for place in range(3):
        asked = [other[place] if n == place else None for n in range(3)]
        assert is_named(key(*one), asked[0], asked[1], asked[2]) == (one[place] == other[place])


def test_a_key_that_no_manager_made_has_no_such_names() -> None:
    assert not is_named("resize", None, None, None)
    assert names("default", "a.b.c") == ("", "default", "a.b.c")
    assert names("rag.default", "chatbooks.default.export") == ("rag", "default", "chatbooks.default.export")
