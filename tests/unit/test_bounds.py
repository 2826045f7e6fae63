"""What is out of bounds is refused in words, whatever it is."""

from __future__ import annotations

import pytest

from jobplane.api.manager import request
from jobplane.core import bounds
from jobplane.core.errors import Invalid
from jobplane.core.logtext import levels_from
from tests.conformance.hostile import Evil

BIG = 10**5000  # Python refuses to write it out


def test_a_number_is_shown_as_it_is_and_a_huge_one_by_its_size() -> None:
    assert bounds.show(-(2**63)) == "a number of 64 bits"
    assert bounds.show(2**63 - 1) == "9223372036854775807"
    assert bounds.show("x" * 100) == '"' + "x" * 40 + '…"'
    assert bounds.show("a\n\ud800") == '"a\\n\\ud800"'
    assert [bounds.show(value) for value in (None, True, 0.5, "é")] == ["null", "true", "0.5", '"é"']
    assert bounds.show(Evil()) == "Evil, which cannot be shown"


@pytest.mark.parametrize("value", [BIG, -BIG, [BIG]], ids=["big", "small", "inside"])
def test_what_cannot_be_shown_is_refused_all_the_same(value: object) -> None:
    with pytest.raises(Invalid, match="factor must be a number between 1 and 100, not "):
        bounds.number("factor", value, 1, 100)
    with pytest.raises(Invalid, match="n must be"):
        bounds.whole("n", value)
    with pytest.raises(Invalid, match="level must be debug, info, warning or error, not "):
        levels_from(value)
    with pytest.raises(Invalid, match="id of a job must be a UUID, not "):
        request.identity(value)
    with pytest.raises(Invalid, match="status must be one of"):
        request.status(value)
