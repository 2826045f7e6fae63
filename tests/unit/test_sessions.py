from __future__ import annotations

from hashlib import sha256

import pytest

from jobplane.core.redaction import redact_text
from jobplane.core.sessions import Token, new_token, read_token


@pytest.mark.parametrize("kind", ["jps", "jpl"])
def test_a_token_has_32_random_bytes_and_is_read_again(kind: str) -> None:
    tokens = [new_token("jps" if kind == "jps" else "jpl") for _ in range(100)]

    assert len({token.text for token in tokens}) == 100
    assert {len(token.text) for token in tokens} == {4 + 43}
    for token in tokens:
        assert read_token("jps", token.text) == (token if kind == "jps" else None)
        assert read_token("jpl", token.text) == (token if kind == "jpl" else None)
        assert token.digest == sha256(token.text.encode()).digest()


@pytest.mark.parametrize(
    "text", ["", "jps_", "jps_" + "x" * 42, "jps_" + "x" * 44, "jps_" + "x" * 42 + "\n", "jps_" + "é" * 43]
)
def test_another_shape_is_no_token(text: str) -> None:
    assert read_token("jps", text) is None


def test_a_token_does_not_show() -> None:
    token, link = new_token("jps"), new_token("jpl")

    assert token.text not in repr(token)
    assert redact_text(f"Cookie: jobplane={token.text}; x") == "Cookie: jobplane=jps_***; x"
    assert redact_text(f"/sign-in#link={link.text}") == "/sign-in#link=jpl_***"
    assert redact_text(Token("jps_short").text) == "jps_short"
