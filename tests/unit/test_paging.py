from __future__ import annotations

from operator import itemgetter

from jobplane.core.paging import MOST, Page, page_of


def names(count: int, limit: int) -> Page[str, str]:
    rows = [(f"n{n}", n) for n in range(count)]
    return page_of(rows, limit, itemgetter(0), itemgetter(0))


def test_a_full_page_says_where_the_next_one_begins() -> None:
    assert names(2, 2) == Page(["n0", "n1"], "n1")


def test_a_page_that_is_not_full_is_the_last_one() -> None:
    assert names(1, 2) == Page(["n0"])
    assert names(0, 2) == Page([])


def test_a_limit_that_no_query_keeps_to_ends_no_list_early() -> None:
    assert names(MOST, 5 * MOST).next_cursor == f"n{MOST - 1}"
    assert names(1, 0).next_cursor == "n0"
