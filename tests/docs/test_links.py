import re
from pathlib import Path

import pytest

from tests.docs.page import PAGES, ROOT, name

_LINK = re.compile(r"\[[^\]]+\]\((?!https:)([^)\s]+)\)")


@pytest.mark.parametrize("page", PAGES, ids=name)
def test_every_link_leads_somewhere(page: Path) -> None:
    for target in _LINK.findall(page.read_text()):
        path, _, anchor = target.partition("#")
        linked = (page.parent / path).resolve() if path else page
        assert linked.exists(), target
        assert not anchor or anchor in anchors(linked), target


def anchors(page: Path) -> set[str]:
    """The headings as a link names them: small letters, digits and dashes."""
    headings = re.findall(r"^#+ (.*)$", page.read_text(), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


def test_the_index_lists_every_page() -> None:
    index = ROOT / "docs/index.md"
    listed = {(index.parent / target.partition("#")[0]).resolve() for target in _LINK.findall(index.read_text())}

    assert {page for page in PAGES if page.is_relative_to(ROOT / "docs")} - {index} <= listed
