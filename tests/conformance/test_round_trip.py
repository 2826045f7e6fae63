from __future__ import annotations

from typing import cast

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from jobplane.core.model import Document, Json, Outcome
from tests.client import Store
from tests.conformance.factory import Factory, new

texts = st.text(st.characters(codec="utf-8", exclude_characters="\x00"), max_size=20)
numbers = st.integers() | st.integers(-(10**309) + 1, 10**309 - 1) | st.floats(allow_nan=False, allow_infinity=False)
scalars = st.none() | st.booleans() | texts | numbers
values = st.recursive(
    scalars, lambda inner: st.lists(inner, max_size=5) | st.dictionaries(texts, inner, max_size=5), max_leaves=30
)
documents = st.dictionaries(texts, values, max_size=5)
# What no store can keep, anywhere in a document.
unkeepable = st.sampled_from(["nul\x00", "\ud800", float("nan"), float("inf"), 10**309, -(10**400), b"", object()])


def same(one: Json, other: Json) -> bool:
    """Equal as JSON: a number may have become another of the same value, a truth value may not have become a number."""
    if isinstance(one, dict) and isinstance(other, dict):
        return one.keys() == other.keys() and all(same(value, other[key]) for key, value in one.items())
    if isinstance(one, list) and isinstance(other, list):
        return len(one) == len(other) and all(map(same, one, other))
    if isinstance(one, bool) or isinstance(other, bool):
        return one is other
    return one == other


@settings(max_examples=300, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(document=documents)
async def test_what_is_accepted_reads_back_equal(store: Store, make: Factory, document: dict[str, Json]) -> None:
    job_id = await make.job(payload=document)

    assert same((await make.get(job_id)).payload, document)


@settings(max_examples=50, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(result=values)
async def test_a_result_reads_back_equal(store: Store, make: Factory, result: Json) -> None:
    lease = await make.lease()
    await make.settle(lease, Outcome.SUCCEEDED, result=result)

    assert same(await store.result(make.alice, lease.job_id), result)


@settings(max_examples=100, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(document=documents, key=texts, bad=unkeepable, depth=st.integers(0, 5))
async def test_what_cannot_be_kept_is_refused_wherever_it_hides(
    make: Factory, document: dict[str, Json], key: str, bad: object, depth: int
) -> None:
    hidden = bad
    for _ in range(depth):
        hidden = [hidden]

    [answer] = await make.enqueue(new(payload=cast("Document", {**document, key: hidden})))

    assert (answer.outcome, answer.error_code) == ("refused", "invalid_payload")
