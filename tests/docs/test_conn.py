"""Examples lend a connection where it is taken: by `options`, or by a verb of the Jobplane itself."""

import re
from pathlib import Path

import pytest

from tests.docs.page import PAGES, name

_CODE = re.compile(r"^```(?:py|python)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
_TAKES_IT = re.compile(
    r"(?:\.options|jp\.(?:enqueue|enqueue_many|get|cancel|retry))(?:_async)?\((?:[^()]|\([^()]*\))*\bconn="
)


@pytest.mark.parametrize("page", PAGES, ids=name)
def test_an_example_lends_a_connection_where_it_is_taken(page: Path) -> None:
    """In comments too: `job.enqueue` would take `conn` for an argument of the function."""
    lines = [line for block in _CODE.findall(page.read_text()) for line in block.splitlines() if "conn=" in line]

    assert [line for line in lines if len(_TAKES_IT.findall(line)) != line.count("conn=")] == []
