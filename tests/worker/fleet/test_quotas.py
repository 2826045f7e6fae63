"""How much of what runs alone is claimed, on a clock that the test holds."""

from typing import Literal

from jobplane.worker.fleet import Catalog
from jobplane.worker.fleet.quotas import TRY, Quotas
from jobplane.worker.frames import Known


def known(queue: str, *, process: bool = False, lasting: bool = False) -> Known:
    isolation: Literal["shared", "process"] = "process" if process else "shared"
    contact: Literal["stop", "continue"] = "continue" if lasting else "stop"
    return Known(queue=queue, isolation=isolation, on_lost_contact=contact, document={}, app="", version="")


def test_a_queue_is_one_of_lone_jobs_where_all_its_definitions_run_alone() -> None:
    quotas = Quotas()
    definitions = {
        "a": known("heavy", process=True),
        "b": known("heavy", lasting=True),
        "c": known("mixed", process=True),
        "d": known("mixed"),
    }
    quotas.know(Catalog(definitions, "1", None))

    assert [quotas.of("heavy", wanted, now=0) for wanted in (-3, 0, 5)] == [0, 0, 5]
    assert quotas.of("mixed", 0, now=0) > 500


def test_claims_found_nothing_are_tried_with_few_and_less_and_less_often() -> None:
    quotas = Quotas()
    now, pauses = 100.0, list[float]()
    for _ in range(6):
        quotas.learn("q", TRY, now, found_nothing=True)
        assert quotas.of("q", 0, now) == 0
        began = now
        while not quotas.of("q", 0, now):
            now += 0.125
        pauses.append(now - began)
        assert quotas.of("q", 0, now) == TRY

    assert pauses == [0.5, 1, 2, 4, 5, 5]


def test_a_place_that_is_free_is_asked_for_at_once_and_nothing_beyond_it() -> None:
    quotas = Quotas()
    quotas.learn("q", 10, 100, found_nothing=True)

    assert quotas.of("q", 3, now=100) == 3


def test_a_claim_that_brought_something_else_ends_it() -> None:
    quotas = Quotas()
    quotas.learn("q", 10, 100, found_nothing=True)

    quotas.learn("q", 1, 101, found_nothing=False)

    assert quotas.of("q", 0, now=101) > 500


def test_the_longer_it_is_found_nothing_the_longer_they_stay_away() -> None:
    quotas = Quotas()
    away = [quotas.learn("q", TRY, now, found_nothing=True)[0] for now in (100, 110, 130, 170, 300)]

    assert away == [1, 11, 31, 60, 60]


def test_what_is_put_off_comes_back_one_by_one() -> None:
    quotas = Quotas()

    assert quotas.learn("q", 3, 100, found_nothing=False) == [1, 2, 3]
    assert quotas.learn("other", 2, 101, found_nothing=False) == [3, 4]
    assert quotas.learn("q", 100, 101, found_nothing=False)[-1] == 60
