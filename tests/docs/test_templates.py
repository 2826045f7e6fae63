"""The page of the templates says what templates do."""

import json

import pytest

from jobplane.core import payload
from jobplane.core.errors import InvalidTemplate, TemplateRefused
from jobplane.core.model import Document
from jobplane.core.template import Template, expressions, filters, template
from tests.docs.page import ROOT
from tests.docs.table import Row, rows, words

PAGE = "docs/reference/templates.md"
ROOTS = {"event": None}
EVENT = json.loads((ROOT / PAGE).read_text().partition("With `event = ")[2].partition("`:\n")[0])


@pytest.mark.parametrize("row", rows(PAGE, "template"), ids=lambda row: row["template"])
def test_a_template_of_the_page_becomes_what_the_page_says(row: Row) -> None:
    text = row["template"].strip("`")
    wanted = row["becomes"]

    if wanted.startswith("invalid"):
        with pytest.raises(InvalidTemplate):
            Template({"it": text}, ROOTS)
    elif wanted.startswith("refused"):
        with pytest.raises(TemplateRefused):
            Template({"it": text}, ROOTS).render({"event": EVENT})
    else:
        assert Template({"it": text}, ROOTS).render({"event": EVENT}) == {"it": json.loads(wanted.strip("`"))}


def test_every_filter_is_on_the_page() -> None:
    named = [word.partition("(")[0] for row in rows(PAGE, "filter") for word in words(row["filter"])]

    assert named == sorted(["default", *filters.FILTERS])


def test_the_limits_are_those_of_the_code() -> None:
    limits = {row["what"]: row["at most"] for row in rows(PAGE, "what")}
    size = payload.PAYLOAD

    assert limits == {
        "a text with expressions": f"{expressions.LONGEST} bytes, {expressions.MOST_TOKENS} tokens",
        "a template": f"{size.bytes} bytes, {template.MOST_EXPRESSIONS} expressions",
        "a path": f"{expressions.MOST_STEPS} parts",
        "an expression": f"{expressions.MOST_FILTERS} filters",
        "the rendered payload": f"{size.bytes} bytes, {size.values} values, {size.depth} levels",
    }


def test_the_example_of_the_page_is_a_template() -> None:
    example = (ROOT / PAGE).read_text().partition("```json\n")[2].partition("```")[0]
    event: Document = {"data": {"order_id": 7, "lines": [1], "customer": {}}}

    found = Template(json.loads(example), ROOTS).render({"event": event})

    assert found == {"order": 7, "subject": "Order 7 for you", "lines": [1]}
