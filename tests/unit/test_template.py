"""Templates: what they render, with which types, and that nothing in them is ever evaluated (S12)."""

from __future__ import annotations

import copy
import json
import time
from typing import Any, NoReturn

import jinja2
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from jobplane.core.errors import InvalidTemplate, TemplateRefused
from jobplane.core.template import Template
from tests.unit.hostile_templates import CORPUS

ROOTS = {"event": None, "tenant": {"id", "slug"}}
VALUES: dict[str, Any] = {
    "event": {
        "name": "Ada",
        "padded": "  Ada ",
        "count": 3,
        "ratio": 2.5,
        "whole": 3.0,
        "on": True,
        "nothing": None,
        "digits": "42",
        "decimal": "1.5e3",
        "items": [{"sku": "a-1"}, {"sku": "b-2"}],
        "a key/with~signs": "odd",
        "text": "{0.__class__} %s {{ 7*7 }}",
    },
    "tenant": {"id": "7", "slug": "acme"},
}

scalars = (
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text("ab{}%|")
)
json_values = st.recursive(
    scalars, lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text("abc", max_size=3), inner, max_size=4)
)


def rendered(text: str) -> Any:
    return Template({"it": text}, ROOTS).render(VALUES)["it"]


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("{{ event.name }}", "Ada"),
        ("{{ event.count }}", 3),
        ("{{ event.ratio }}", 2.5),
        ("{{ event.on }}", True),
        ("{{ event.nothing }}", None),
        ("{{ event.nothing | default('x') }}", None),
        ("{{ event['items'] }}", [{"sku": "a-1"}, {"sku": "b-2"}]),
        ("{{ event['items'][1].sku }}", "b-2"),
        ("{{ event['items'].0.sku }}", "a-1"),
        ("{{ event['a key/with~signs'] }}", "odd"),
        ("{{ tenant }}", {"id": "7", "slug": "acme"}),
        ("Hello {{ event.name }}!", "Hello Ada!"),
        ("{{ event.count }}{{ event.on }}", "3true"),
        (" {{ event.count }}", " 3"),
        ("{{ event.nothing }}.", "null."),
        ("{{ tenant }}.", '{"id":"7","slug":"acme"}.'),
        ("{{ event.missing | default('x') }}", "x"),
        ("{{ event.missing.deep[3] | default(-1) }}", -1),
        ("{{ event.name.deep | default(none) }}", None),
        ("{{ event.missing | default([1, {'a': true}]) }}", [1, {"a": True}]),
        ("{{ event.missing | default(' X ') | trim | lower }}", "x"),
        ("{{ event.padded | trim }}", "Ada"),
        ("{{ event.name | upper }}{{ event.name | lower }}", "ADAada"),
        ("{{ event.digits | int }}", 42),
        ("{{ event.whole | int }}", 3),
        ("{{ event.count | float }}", 3.0),
        ("{{ event.decimal | float }}", 1500.0),
        ("{{ event.count | string }}", "3"),
        ("{{ event.name | string }}", "Ada"),
        ("{{ event.name | tojson }}", '"Ada"'),
        ("{{ tenant | tojson }}", '{"id":"7","slug":"acme"}'),
        ("{{ event.text }}", "{0.__class__} %s {{ 7*7 }}"),  # a value is no template
        ("{{ '{{' }} {{ \"}}\" }}", "{{ }}"),
        ("a\r\n{{ event.name }}\r\n", "a\r\nAda\r\n"),
        ("a \n {{- event.name -}} \n b", "aAdab"),
        ("{# {{ event.name }} #}", "{# Ada #}"),
        ("no expression }} here", "no expression }} here"),
    ],
)
def test_a_template_renders(text: str, value: Any) -> None:
    found = rendered(text)

    assert found == value
    assert type(found) is type(value)


def test_texts_are_rendered_at_any_depth_and_keys_are_not() -> None:
    template = Template({"{{ event.name }}": [{"a": ["{{ event.count }}", 1, None]}, True]}, ROOTS)

    assert template.render(VALUES) == {"{{ event.name }}": [{"a": [3, 1, None]}, True]}


def test_a_template_can_be_used_again_and_keeps_nothing_of_its_document() -> None:
    document: dict[str, Any] = {"a": ["{{ event.count }}"], "b": {"c": [1]}, "d": "{{ event.x | default([1]) }}"}
    template = Template(document, ROOTS)
    document["a"].append("later")
    document["b"]["c"].append(2)

    first = template.render(VALUES)
    first["b"]["c"].append(3)
    first["d"].append(3)

    assert template.render(VALUES) == {"a": [3], "b": {"c": [1]}, "d": [1]}


@given(json_values)
def test_a_value_keeps_its_type_and_shares_nothing(value: Any) -> None:
    values = {"event": {"value": value}}
    before = copy.deepcopy(values)
    template = Template({"it": "{{ event.value }}", "again": "{{ event.value }}"}, ROOTS)

    found = template.render(values)

    assert json.dumps(found) == json.dumps({"it": value, "again": value})
    assert values == before
    assert not containers(found["it"]) & (containers(value) | containers(found["again"]))


def containers(value: Any) -> set[int]:
    """The ids of all objects and lists in a value."""
    if isinstance(value, dict):
        return {id(value)}.union(*(containers(child) for child in value.values()))  # pyright: ignore[reportUnknownArgumentType, reportUnknownVariableType]
    if isinstance(value, list):
        return {id(value)}.union(*(containers(child) for child in value))  # pyright: ignore[reportUnknownArgumentType, reportUnknownVariableType]
    return set()


@given(st.text("ab{}\r\n#% ").filter(lambda text: "{{" not in text and "{%" not in text))
def test_a_text_without_expressions_stays_as_it_is(text: str) -> None:
    assert rendered(text) == text
    assert rendered(f"{text}.{{{{event.name}}}}") == f"{text}.Ada"


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("{{ evnt.name }}", "Unknown name evnt. Did you mean event?"),
        ("{{ tenant.slgu }}", "tenant has no slgu. Did you mean slug?"),
        ("{{ tenant[0] }}", "tenant has no 0. Use one of id, slug."),
        ("{{ event.name | uper }}", "Unknown filter uper. Did you mean upper?"),
        ("{{ event.name | upper('x') }}", "The filter upper takes no arguments."),
        ("{{ event.name | upper | default('x') }}", "Write default first"),
        ("{{ event.name | default }}", "Write default first, and with one value"),
        ("{{ event.name | default(event.x) }}", "The value of default must be a JSON value"),
        ("{{ event.name | default(1e999) }}", "The value of default must be a JSON value"),
        ("{{ event.name() }}", "A template calls nothing."),
        ("{{ event.a + 1 }}", "A template has no operators"),
        ("{{ event.a if event.b }}", "A template has no conditions"),
        ("{% if event %}{% endif %}", "A template has no statements."),
        ("{{ event.name", "It is not a template: unexpected end of template"),
        ("{{ " + "(" * 300 + " }}", "It is n"),
        ("{{ event" + ".a" * 40 + " }}", "A path has 32 parts at most."),
        ("{{ event.a" + " | trim" * 9 + " }}", "An expression has 8 filters at most."),
        ("{{ event.a }}" + "ä" * 2048, "A text with expressions has 4096 bytes at most."),
        ("{{ a " * 700, "1000 tokens at most"),
    ],
)
def test_what_is_no_template_is_refused_with_its_place_and_a_reason(text: str, says: str) -> None:
    with pytest.raises(InvalidTemplate) as refused:
        Template({"a/b": [1, {"c~": text}]}, ROOTS)

    assert refused.value.facts["pointer"] == "/a~1b/1/c~0"
    assert says in refused.value.message


def test_a_template_is_a_json_object_with_200_expressions_at_most() -> None:
    Template({"it": ["{{ event.name }}"] * 200}, ROOTS)
    with pytest.raises(InvalidTemplate, match="200 expressions"):
        Template({"it": ["{{ event.name }}"] * 201}, ROOTS)
    with pytest.raises(InvalidTemplate, match="JSON object"):
        Template(["{{ event.name }}"], ROOTS)  # pyright: ignore[reportArgumentType]
    with pytest.raises(InvalidTemplate, match="65536"):
        Template({"it": "x" * 70_000}, ROOTS)


@pytest.mark.parametrize(
    ("text", "path", "says"),
    [
        ("{{ event.user.name }}", "event.user.name", "event.user.name is missing. Send it, or write"),
        ("{{ event['items'][2].sku }}", "event.items[2].sku", "is missing"),
        ("{{ event.items.sku }}", "event.items.sku", "is missing"),
        ("{{ event['no such'] }}", "event['no such']", "is missing"),
        ("{{ event.name.upper }}", "event.name.upper", "is missing"),
        ("{{ event.name | int }}", "event.name", "This text is not a whole number."),
        ("{{ event.ratio | int }}", "event.ratio", "This number is not a whole number."),
        ("{{ event.on | int }}", "event.on", "true or false is not a whole number."),
        ("{{ event.nothing | float }}", "event.nothing", "null is not a number."),
        ("{{ event.count | upper }}", "event.count", "This number is not a text. Write | string before it."),
        ("{{ event['items'] | trim }}", "event.items", "A list is not a text."),
        ("{{ tenant | lower }}", "tenant", "An object is not a text."),
    ],
)
def test_a_value_that_is_missing_or_does_not_fit_is_named(text: str, path: str, says: str) -> None:
    with pytest.raises(TemplateRefused) as refused:
        Template({"a": [text]}, ROOTS).render(VALUES)

    assert refused.value.facts == {"pointer": "/a/0", "path": path}
    assert says in refused.value.message


def test_a_message_does_not_show_values() -> None:
    with pytest.raises(TemplateRefused) as refused:
        Template({"a": "{{ event.secret | int }}"}, ROOTS).render({"event": {"secret": "hunter2"}})

    assert "hunter2" not in str(refused.value)


@pytest.mark.parametrize("digits", ["9" * 400, "1e999", "inf", "nan", "0x10", "1_000", "٣", "", "1e", "- 1"])
def test_only_numbers_become_numbers(digits: str) -> None:
    for name in ("int", "float"):
        with pytest.raises(TemplateRefused):
            Template({"a": f"{{{{ event.a | {name} }}}}"}, ROOTS).render({"event": {"a": digits}})


BOMBS = {
    "many copies of a large text": ({"it": ["{{ event.big }}"] * 200}, {"big": "x" * 60_000}),
    "one text of many": ({"it": "{{event.big}}" * 100}, {"big": "x" * 60_000}),
    "many values": ({"it": ["{{ event.big }}"] * 3}, {"big": [1] * 4_000}),
    "deep": ({"it": "{{ event.big }}"}, {"big": json.loads("[" * 500 + "]" * 500)}),
    "three bytes for each character": ({"it": ["{{ event.big }}"] * 2}, {"big": "€" * 20_000}),
    "a text that grows": ({"it": ["{{ event.big | upper }}"] * 3}, {"big": "ŉ" * 30_000}),
    "much that is trimmed": ({"it": ["{{ event.big | trim }}"] * 200}, {"big": " " * 65_000}),
    "long digits": ({"it": "{{ event.big | int }}"}, {"big": "1" * 60_000}),
    "a text too long for a filter": ({"it": "{{ event.big | trim }}"}, {"big": " " * 1_000_000}),
    "a number that is not finite": ({"it": "{{ event.big }}"}, {"big": float("inf")}),
    "a lone surrogate": ({"it": "{{ event.big }}"}, {"big": "\ud800"}),
    "no JSON": ({"it": "{{ event.big }}"}, {"big": object()}),
    "a key that is no text": ({"it": "{{ event.big }}"}, {"big": {1: 2}}),
}


FULL = {str(number): number for number in range(5_500)}
BOMBS["as many values as a payload may have"] = ({"it": "{{ event.big }}"}, {"big": FULL})
HARMLESS = {"as many values as a payload may have": {"it": FULL}, "much that is trimmed": {"it": [""] * 200}}


@pytest.mark.parametrize("name", BOMBS)
def test_a_bomb_does_not_go_off(name: str) -> None:
    document, event = BOMBS[name]
    template = Template(document, ROOTS)
    began = time.process_time()

    if name in HARMLESS:
        assert template.render({"event": event}) == HARMLESS[name]
    else:
        with pytest.raises(TemplateRefused):
            template.render({"event": event})

    assert time.process_time() - began < 0.05  # 0.01 on a machine of one's own


class Trap:
    """A value that notices each attempt to do something with it."""

    def __getattribute__(self, name: str) -> object:
        if name == "__class__":  # isinstance() asks for it
            return object.__getattribute__(self, name)
        raise AssertionError(f"somebody asked for {name}")

    def __call__(self) -> NoReturn:
        raise AssertionError("somebody called it")

    def __getitem__(self, key: object) -> NoReturn:
        raise AssertionError(f"somebody asked for [{key}]")


def no_evaluation(*_: object, **__: object) -> NoReturn:
    raise AssertionError("Jinja evaluated something")


def test_the_corpus_has_300_texts() -> None:
    assert len(set(CORPUS)) >= 300


@pytest.mark.parametrize("text", CORPUS)
def test_nothing_hostile_is_evaluated(text: str, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("compile", "_generate", "_compile", "from_string", "compile_expression"):
        monkeypatch.setattr(jinja2.Environment, name, no_evaluation)
    values = {"event": {"data": Trap(), "text": "{0.__class__}"}, "tenant": {"id": "7"}}
    began = time.process_time()

    try:
        found = Template({"it": text}, ROOTS).render(values)
    except (InvalidTemplate, TemplateRefused):
        pass
    else:
        assert found == {"it": text}

    assert time.process_time() - began < 0.05


# Words of the language and of attacks, in any order.
WORDS = st.sampled_from(
    [
        *"{}()[]|.,:'\"%~*-+0a_ \\",
        "{{",
        "}}",
        "{%",
        "%}",
        "event",
        "tenant",
        "default",
        "upper",
        "__class__",
        "if",
        "for",
    ]
)


@settings(max_examples=300, deadline=None)
@given(st.lists(WORDS, max_size=40).map("".join))
def test_any_text_is_refused_or_gives_values_and_its_own_words(text: str) -> None:
    try:
        template = Template({"it": "{{" + text}, ROOTS)
        found = template.render({"event": {"a": 1}, "tenant": {"id": "7"}})["it"]
    except (InvalidTemplate, TemplateRefused):
        return
    assert json.dumps(found)
