"""Which secrets are masked in which output, and which references count as the payload's."""

from __future__ import annotations

import json
from uuid import UUID, uuid4

import orjson
import pytest

from jobplane.core.claimed import ClaimedJob, JobFacts, encode
from jobplane.core.errors import Invalid
from jobplane.core.masking import NO_SECRETS
from jobplane.core.model import DEFAULT_TENANT, Document
from jobplane.core.references import Reference
from jobplane.execution.attempt_secrets import AttemptSecrets
from jobplane.execution.known_secrets import KNOWN, MOST_LAST, KnownSecrets
from jobplane.execution.masked_values import mask_values

OURS = "env:OURS_TOKEN"
FILE = "file:/run/secrets/ours"


class Source:
    """Knows every secret, and whether it was asked for one of the payload."""

    def __init__(self) -> None:
        self.asked: list[bool] = []

    def find(self, reference: Reference, tenant_id: UUID, *, in_payload: bool) -> str:
        self.asked.append(in_payload)
        return f"value of {reference} {uuid4()}"


def job(payload: Document, *, correlation_id: str | None = None) -> ClaimedJob:
    facts = JobFacts(1, 1, "any", None, 2, uuid4(), DEFAULT_TENANT, None, "api", correlation_id=correlation_id)
    return ClaimedJob(encode(facts, orjson.dumps(payload)))


def is_of_payload(reference: str, payload: Document, **facts: str) -> bool:
    source = Source()
    secrets = AttemptSecrets(source, job(payload, **facts))
    secrets.find(reference)
    secrets.release()
    return source.asked == [True]


@pytest.mark.parametrize(
    ("reference", "value"),
    [
        (OURS, OURS),
        (OURS, f"  {OURS}\n"),
        (OURS, "ENV:ours_token"),
        (OURS, f"env:A,{OURS},env:B"),
        (OURS, ["x", {"y": [None, OURS]}]),
        (OURS, {OURS: 1}),
        (OURS, json.dumps({"token": OURS})),
        (OURS, r"{\"t\": \"\u0065nv:OURS_TOKEN\"}"),
        (OURS, "env%3AOURS_TOKEN"),
        (OURS, "env: OURS_TOKEN"),
        (FILE, "file:/run//secrets/./ours"),
        (FILE, r"file:\/run\/secrets\/ours"),
        (FILE, "file://run/secrets/ours?x"),
    ],
)
def test_a_reference_in_the_payload_is_the_payloads_however_it_is_written(reference: str, value: Document) -> None:
    assert is_of_payload(reference, {"given": value})


def test_a_reference_in_what_else_the_caller_writes_is_the_payloads() -> None:
    assert is_of_payload(OURS, {}, correlation_id=OURS)


@pytest.mark.parametrize(
    "payload", [{}, {"a": "env:OTHER"}, {"a": "OURS_TOKEN", "b": "env:"}, {"path": "/run/secrets"}]
)
def test_any_other_reference_is_the_handlers(payload: Document) -> None:
    assert not is_of_payload(OURS, payload)
    assert not is_of_payload(FILE, payload)


def test_a_text_that_is_no_reference_is_refused_and_not_repeated() -> None:
    with pytest.raises(Invalid) as caught:
        AttemptSecrets(Source(), job({})).find("sk-live-123")

    assert "sk-live-123" not in str(caught.value)


def test_a_secret_of_the_operator_is_masked_in_every_attempt_and_one_of_a_payload_in_its_own() -> None:
    ours, theirs, other = (AttemptSecrets(Source(), job({"a": "env:THEIRS"})) for _ in range(3))
    shared, own = ours.find(OURS), theirs.find("env:THEIRS")

    assert other.masker.mask(f"{shared} {own}") == f"*** {own}"
    assert theirs.masker.mask(f"{shared} {own}") == "*** ***"
    assert KNOWN.all.mask(f"{shared} {own}") == "*** ***"

    ours.release()
    theirs.release()
    assert other.masker.mask(shared) == "***"
    assert theirs.masker.mask(own) == "***"


def test_a_process_forgets_all_but_the_last_secrets_and_those_in_use() -> None:
    known = KnownSecrets()
    known.hold("held value", in_payload=True)
    for number in range(MOST_LAST + 10):
        known.hold(f"value {number}.", in_payload=True)
        known.release(f"value {number}.", in_payload=True)
    known.hold("newest", in_payload=True)

    assert known.all.mask("held value") == "***"
    assert known.all.mask(f"value {MOST_LAST + 9}.") == "***"
    assert known.all.mask("value 3.") == "value 3."
    assert known.shared is NO_SECRETS


def test_a_value_that_two_attempts_use_is_in_use_until_both_have_ended() -> None:
    known = KnownSecrets()
    known.hold("held value", in_payload=False)
    known.hold("held value", in_payload=False)
    known.release("held value", in_payload=False)
    for number in range(MOST_LAST + 10):
        known.hold(f"value {number}.", in_payload=False)
        known.release(f"value {number}.", in_payload=False)

    assert known.shared.mask("held value") == "***"


@pytest.mark.parametrize(
    ("value", "masked"),
    [
        ({"Authorization": "Bearer abc"}, {"Authorization": "Bearer ***"}),
        ({"deep": [{"HTTP_AUTHORIZATION": "abc"}]}, {"deep": [{"HTTP_AUTHORIZATION": "***"}]}),
        ({"proxy-authorization": ["Basic abc"]}, {"proxy-authorization": ["Basic ***"]}),
        ([["authorization", "Token abc"], ["accept", "x"]], [["authorization", "Token ***"], ["accept", "x"]]),
        ({"text": "authorization: Bearer abc"}, {"text": "authorization: Bearer ***"}),
        ({"authorization": "abc,def; ghi"}, {"authorization": "***"}),
        ([{"name": "Authorization", "value": "Bearer abc"}], [{"name": "Authorization", "value": "Bearer ***"}]),
        ({"key": "accept", "value": "abc"}, {"key": "accept", "value": "abc"}),
        ({"reauthorization": "yes", "authorization": None}, {"reauthorization": "yes", "authorization": None}),
    ],
)
def test_authorization_headers_are_masked_in_values(value: Document, masked: Document) -> None:
    assert mask_values(value, NO_SECRETS) == masked
