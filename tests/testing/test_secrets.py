"""Tests of users give secrets to their handlers, and no policy is asked."""

from __future__ import annotations

import pytest

from jobplane import Context, Jobplane
from jobplane.core.errors import SecretMissing
from jobplane.testing import Attempt, JobsFailed, Sandbox, run

jp = Jobplane("postgresql://nobody@127.0.0.1:1/nowhere")


@jp.job("sign")
def sign(ctx: Context, text: str = "") -> str:
    ctx.log.info("signing", key=ctx.secret("env:SIGNING_KEY"))
    return f"{text} by {len(ctx.secret('env:SIGNING_KEY'))}"


@jp.job("sign-async")
async def sign_async(ctx: Context) -> str:
    return ctx.secret("file:/run/secrets/key")


@pytest.fixture
def jobs(jobplane_sandbox: Sandbox) -> Sandbox:
    return jobplane_sandbox.host(jp)


def test_an_attempt_has_the_secrets_that_the_test_gives() -> None:
    assert Attempt(secrets={"env:SIGNING_KEY": "of a test"}).run(sign, "me") == "me by 9"


async def test_an_async_handler_has_them_too() -> None:
    assert await Attempt(secrets={"file:/run/secrets/key": "of a test"}).run(sign_async) == "of a test"


def test_a_secret_that_no_test_gives_is_missing_and_named() -> None:
    with pytest.raises(SecretMissing, match="This test gives no secret env:SIGNING_KEY"):
        run(sign)


def test_handlers_on_a_sandbox_have_its_secrets_and_they_are_masked_as_in_production(jobs: Sandbox) -> None:
    jobs.secrets["env:SIGNING_KEY"] = "of a test"
    job = sign.enqueue("me")

    assert jobs.drain().outcomes == {"succeeded": 1}
    assert jp.result(job) == "me by 9"
    assert [line.fields for line in jp.logs(job)] == [{"key": "***"}]


def test_a_sandbox_without_the_secret_fails_the_attempt(jobs: Sandbox) -> None:
    sign.enqueue()

    with pytest.raises(JobsFailed, match="This test gives no secret env:SIGNING_KEY"):
        jobs.drain()
