from __future__ import annotations

import hashlib
import re

import pytest

from jobplane.core.keys import PlainKey, mint, parse

KEY = PlainKey("abcdefghij01", "0" * 42 + "Z")


def test_a_key_has_a_shape_that_a_scanner_can_recognize() -> None:
    assert re.fullmatch(r"jp_[0-9a-z]{12}_[0-9A-Za-z]{49}", mint().text)


def test_the_checksum_never_changes() -> None:
    assert KEY.text == "jp_abcdefghij01_" + KEY.secret + "17HuLn"


def test_a_minted_key_is_read_again() -> None:
    minted = [mint() for _ in range(100)]

    assert [parse(key.text) for key in minted] == minted
    assert len({key.key_id for key in minted} | {key.secret for key in minted}) == 200


def test_any_wrong_character_is_noticed_without_a_store() -> None:
    text = KEY.text

    wrong = [text[:at] + ("x" if text[at] != "x" else "y") + text[at + 1 :] for at in range(len(text))]

    assert [parse(one) for one in wrong] == [None] * len(wrong)


@pytest.mark.parametrize("text", ["", "jp_", "jp__", KEY.text[:-1], KEY.text + "0", KEY.text + "\n", " " + KEY.text])
def test_what_is_no_key_is_none(text: str) -> None:
    assert parse(text) is None


def test_the_digest_is_that_of_the_secret() -> None:
    assert KEY.digest == hashlib.sha256(KEY.secret.encode()).digest()


def test_a_key_does_not_show_its_secret() -> None:
    assert KEY.secret not in repr(KEY)
    assert KEY.secret not in str(KEY)
