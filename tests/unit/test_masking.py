"""Secrets never come out of a masker, however they are encoded and cut; other text passes unchanged."""

from __future__ import annotations

import base64
import json
import re
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from urllib.parse import quote, quote_plus

import orjson
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from jobplane.core.masking import MASK, NO_SECRETS, Masker, StreamMasker, mask_headers
from jobplane.core.model import Json

TEXT = st.text(st.characters(codec="utf-8", exclude_characters="\x00"), max_size=200)
SECRET = st.text(st.characters(codec="utf-8", exclude_characters="\x00"), min_size=4, max_size=60).filter(str.strip)
# Made of few letters, so that values overlap themselves and each other.
TANGLED = st.text("ab", min_size=1, max_size=6)

ENCODINGS: dict[str, Callable[[str], str]] = {
    "plain": str,
    "json": lambda text: json.dumps(text)[1:-1],
    "json in UTF-8": lambda text: json.dumps(text, ensure_ascii=False)[1:-1],
    "orjson": lambda text: orjson.dumps(text).decode()[1:-1],
    "json of Go": lambda text: re.sub("[&<>]", lambda found: f"\\u{ord(found[0]):04x}", json.dumps(text)[1:-1]),
    "repr": lambda text: repr(text)[1:-1],
    "repr of bytes": lambda text: repr(text.encode())[2:-1],
    "quote": quote,
    "quote all": lambda text: quote(text, safe=""),
    "quote_plus": quote_plus,
    "form of a browser": lambda text: quote_plus(text, safe="*").replace("~", "%7E"),
    "quote in lower case": lambda text: re.sub("%..", lambda found: found[0].lower(), quote(text, safe="")),
}


def cut(data: bytes, sizes: Sequence[int]) -> list[bytes]:
    """Chunks of these sizes, again and again."""
    chunks, at, number = list[bytes](), 0, 0
    while at < len(data):
        size = sizes[number % len(sizes)]
        chunks.append(data[at : at + size])
        at, number = at + size, number + 1
    return chunks


def stream(values: Sequence[str], chunks: Sequence[bytes]) -> bytes:
    masker = StreamMasker(values)
    return b"".join([*map(masker.feed, chunks), masker.close()])


@pytest.mark.parametrize("encoding", ENCODINGS)
@given(secret=SECRET, before=TEXT, after=TEXT)
def test_a_secret_never_comes_out_however_it_is_encoded(encoding: str, secret: str, before: str, after: str) -> None:
    inside = ENCODINGS[encoding](secret)

    shown = Masker([secret]).mask(f"{before}{inside}{after}")

    assert MASK in shown
    assert inside not in shown.replace(MASK, "\x00")
    assert stream([secret], [f"{before}{inside}{after}".encode()]) == shown.encode()


@given(secret=SECRET, before=st.binary(max_size=7), after=st.binary(max_size=7), url_safe=st.booleans())
def test_a_secret_inside_base64_never_comes_out(secret: str, before: bytes, after: bytes, *, url_safe: bool) -> None:
    encode = base64.urlsafe_b64encode if url_safe else base64.b64encode

    shown = Masker([secret]).mask(encode(before + secret.encode() + after).decode())

    assert MASK in shown
    kept = shown.replace(MASK, "").rstrip("=")
    assert len(kept) <= (len(before) + len(after)) * 4 / 3 + 6


@given(values=st.lists(SECRET | TANGLED, min_size=1, max_size=4), data=st.data())
def test_a_stream_in_any_chunks_is_masked_like_the_whole_text(values: list[str], data: st.DataObject) -> None:
    assume(any(value.strip() for value in values))
    pieces = data.draw(st.lists(st.sampled_from(values) | st.sampled_from(values).map(quote) | TEXT | TANGLED))
    text = "".join(pieces)
    sizes = data.draw(st.lists(st.integers(1, 40), min_size=1, max_size=5))

    shown = stream(values, cut(text.encode(), sizes))

    assert shown == Masker(values).mask(text).encode()


@given(text=TEXT, sizes=st.lists(st.integers(1, 40), min_size=1))
def test_text_without_secrets_is_unchanged(text: str, sizes: list[int]) -> None:
    values = ["correct-horse-battery", "zq9-unlikely/+value"]
    assume("uthoriz" not in text.lower())

    assert Masker(values).mask(text) == text
    assert stream(values, cut(text.encode(), sizes)) == text.encode()
    assert stream([], cut(text.encode(), sizes)) == text.encode()


@given(data=st.binary(max_size=300), sizes=st.lists(st.integers(1, 40), min_size=1))
def test_bytes_that_are_no_text_pass_a_stream(data: bytes, sizes: list[int]) -> None:
    assume(b"uthoriz" not in data.lower())

    assert stream(["correct-horse-battery"], cut(data, sizes)) == data


def test_a_secret_that_is_split_between_two_chunks_is_masked() -> None:
    masker = StreamMasker(["correct-horse"])

    assert masker.feed(b"token correct-") == b"token "
    assert masker.feed(b"horse, done\n") == b"***, done\n"
    assert masker.close() == b""


def test_what_only_looked_like_a_secret_comes_out_later() -> None:
    masker = StreamMasker(["correct-horse"])

    assert masker.feed(b"a correct-") == b"a "
    assert masker.feed(b"answer\n") == b"correct-answer\n"


def test_each_line_of_a_value_is_masked_alone_if_it_is_long_enough() -> None:
    masker = Masker(["-----BEGIN KEY-----\nMIIEvQIBADANBg\nshort\n"])

    assert masker.mask("got MIIEvQIBADANBg and short") == "got *** and short"


def test_a_value_is_found_without_the_space_around_it_and_a_blank_line_of_it_is_none() -> None:
    masker = Masker(["first-line\n            \n", "tok1234\n\n", "  padded-token "])

    assert masker.mask("a tok1234; padded-token%20") == "a ***; ***%20"
    assert masker.mask("def run():\n            first-line") == "def run():\n            ***"


def test_a_short_value_is_masked_as_a_whole_word_only() -> None:
    masker = Masker(["abc"])

    assert masker.mask("abc, abcd, xabc, (abc) abc_") == "***, abcd, xabc, (***) abc_"
    assert stream(["abc"], [b"x", b"abc ab", b"c ab", b"cd"]) == b"xabc *** abcd"


def test_empty_and_blank_values_mask_nothing() -> None:
    masker = Masker(["", " ", "\n"])

    assert not masker
    assert masker.mask("a b\nc") == "a b\nc"


def test_overlapping_values_leave_nothing_of_either() -> None:
    assert Masker(["abcdef", "defghi"]).mask("abcdefghi.") == "***."
    assert stream(["abcdef", "defghi"], [b"abcdef", b"ghi."]) == b"***."
    assert stream(["abab"], [b"ab"] * 50) == b"***"


def test_json_is_masked_in_texts_names_and_numbers() -> None:
    masker = Masker(["12345678", "correct-horse"])
    value: Json = {"correct-horse": [12345678, 1.5, True, None], "text": "a correct-horse", "n": 912345678}

    assert masker.mask_json(value) == {MASK: [MASK, 1.5, True, None], "text": "a ***", "n": MASK}


def test_a_text_is_not_divided_within_a_secret_that_overlaps_itself() -> None:
    masker = Masker(["abab"])

    assert masker.divide("ababab") == ("ababab", "")
    assert masker.divide("x ababab") == ("x ", "ababab")


@pytest.mark.parametrize("size", [4, 4096])
def test_a_value_of_one_letter_costs_no_more_in_a_long_run_of_it(size: int) -> None:
    started = time.process_time()

    assert Masker(["a" * size]).mask("a" * 500_000) == MASK
    assert stream(["a" * size], cut(b"a" * 500_000, [65_536])) == MASK.encode()

    assert time.process_time() - started < 2  # 0.3 s; it was 10 s


def test_known_values_are_not_encoded_again_when_one_is_new() -> None:
    values = [f"/{number}" * 2000 for number in range(1000, 1010)]
    began = time.process_time()
    Masker(values)
    at_first = time.process_time() - began

    began = time.process_time()
    assert Masker([*values, "the newest"]).mask(f"{values[3]} of the newest") == "*** of ***"

    assert time.process_time() - began < at_first / 2


@given(st.lists(st.sampled_from(["correct-horse", "correct-", "horse", "x" * 20, "\n"]), max_size=30))
def test_a_divided_text_shows_no_part_of_a_secret(pieces: list[str]) -> None:
    masker, shown, held = Masker(["correct-horse"]), "", ""
    for piece in pieces:
        now, held = masker.divide(held + piece)
        shown += masker.mask(now)

    assert shown + masker.mask(held) == masker.mask("".join(pieces))


HEADERS = [
    ("Authorization: Bearer abc.def/g=", "Authorization: Bearer ***"),
    ("authorization: token ghp_1, next", "authorization: token ***, next"),
    ("HTTP_AUTHORIZATION=abcdef", "HTTP_AUTHORIZATION=***"),
    ("Proxy-Authorization: s3cret\r\nHost: a", "Proxy-Authorization: ***\r\nHost: a"),
    ("Authorization: MyScheme abc", "Authorization: ***"),
    ('{"Authorization": "Basic eDp5", "n": 1}', '{"Authorization": "Basic ***", "n": 1}'),
    ("{b'authorization': b'Bearer k', 1: 2}", "{b'authorization': b'Bearer ***', 1: 2}"),
    ("[('Authorization', 'Bearer k')]", "[('Authorization', 'Bearer ***')]"),
    ('{\\"Authorization\\":\\"Bearer k\\"}', '{\\"Authorization\\":\\"Bearer ***\\"}'),
    ('Authorization: Digest username="x", response="y"\nnext', "Authorization: Digest ***\nnext"),
    ('Authorization: Token token="k", nonce="n"\nnext', "Authorization: ***\nnext"),
    ('Authorization: hmac username="bob", signature="k"', "Authorization: ***"),
    ('Authorization: Bearer "k"', 'Authorization: Bearer "***"'),
    ('{"Authorization": ["Bearer k"], "n": 1}', '{"Authorization": ["Bearer ***"], "n": 1}'),
    ('{"Authorization"=>"Bearer k", "n"=>1}', '{"Authorization"=>"Bearer ***", "n"=>1}'),
    ("    [Authorization] => Bearer k", "    [Authorization] => Bearer ***"),
    ('{"name":"Authorization","value":"Bearer k"}', '{"name":"Authorization","value":"Bearer ***"}'),
    ("['Authorization',           'Bearer k']", "['Authorization',           'Bearer ***']"),
    ("curl -H 'Authorization: Bearer k' https://a", "curl -H 'Authorization: Bearer ***' https://a"),
    ("authorization failed for bob", "authorization failed for bob"),
    ("Authorization:", "Authorization:"),
    ("Authorization: Bearer ***", "Authorization: Bearer ***"),
]


@pytest.mark.parametrize(("text", "shown"), HEADERS)
def test_the_credentials_of_headers_are_masked(text: str, shown: str) -> None:
    assert mask_headers(text) == shown
    assert NO_SECRETS.mask(text) == shown
    assert mask_headers(shown) == shown


@pytest.mark.parametrize(("text", "shown"), HEADERS)
@pytest.mark.parametrize("size", [1, 3, 7, 1000])
def test_the_credentials_of_headers_are_masked_in_a_stream(text: str, shown: str, size: int) -> None:
    assert stream([], cut(f"a\n{text}\nb".encode(), [size])) == f"a\n{shown}\nb".encode()


def test_credentials_longer_than_what_a_stream_holds_do_not_come_out() -> None:
    data = b"Authorization: Bearer " + b"k" * 30_000 + b" end\nAuthorization: x\n"

    shown = stream([], cut(data, [1000]))

    assert shown.startswith(b"Authorization: Bearer ***")
    assert b"kk" not in shown
    assert shown.endswith(b" end\nAuthorization: ***\n")


def test_a_line_without_an_end_is_not_held_for_ever() -> None:
    masker = StreamMasker()

    shown = b"".join(masker.feed(b"authorization failed " * 100) for _ in range(100))

    assert len(shown) > 200_000


def test_masking_imports_nothing_but_the_standard_library() -> None:
    program = (
        "import sys; import jobplane.core.masking; names = {name.partition('.')[0] for name in sys.modules};"
        "print(sorted(names - set(sys.stdlib_module_names) - {'__main__'}))"
    )
    found = subprocess.run(
        [sys.executable, "-S", "-c", f"import sys; sys.path[:0] = {sys.path!r}; {program}"],
        capture_output=True,
        text=True,
        check=True,
    )

    assert found.stdout.strip() == "['jobplane']"
