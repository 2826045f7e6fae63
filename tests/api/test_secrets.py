"""Secrets of handlers in run_once and drain, and parameters that are secrets."""

from __future__ import annotations

import logging
from pathlib import Path

import pytest
from pydantic import BaseModel, SecretBytes, SecretStr

from jobplane import Context, Invalid, InvalidPayload, Jobplane, JobStatus
from tests.dump import dump_postgres, dump_sqlite
from tests.secretive import CANARY, POLICY, TOKEN, VARIABLES, WAYS, define, find_leaks

OURS = SecretStr(TOKEN)
HERE = [name for name in WAYS if name != "die-in-a-thread"]  # pytest reports that one


class Login(BaseModel):
    user: str
    password: SecretStr = SecretStr("env:OF_THE_CODE")


@pytest.fixture
def policy(scratch: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for name, value in VARIABLES.items():
        monkeypatch.setenv(name, value)
    path = scratch / "policy.toml"
    path.write_text(POLICY)
    path.chmod(0o600)
    monkeypatch.setenv("JOBPLANE_WORKER_POLICY", str(path))
    monkeypatch.setenv("JOBPLANE_ARTIFACTS_DIR", str(scratch / "artifacts"))
    return path


def dump(request: pytest.FixtureRequest, url: str | None) -> str:
    return (
        dump_postgres(request.getfixturevalue("db"))
        if url is None
        else dump_sqlite(Path(url.removeprefix("sqlite:///")))
    )


def test_no_way_to_give_a_secret_away_in_drain_gets_it_stored(
    request: pytest.FixtureRequest,
    jp: Jobplane,
    url: str | None,
    policy: Path,
    caplog: pytest.LogCaptureFixture,
    capsys: pytest.CaptureFixture[str],
) -> None:
    define(jp)
    jp.sync()
    jobs = [jp.enqueue(key, {"way": way}) for key in ("give-away", "give-away-async") for way in HERE]

    jp.drain()

    ended = [jp.get(job) for job in jobs]
    assert {job.reason for job in ended}.isdisjoint({"secret_not_allowed", "secret_missing"})
    artifacts = "".join(path.read_text() for path in (policy.parent / "artifacts").rglob("*.json"))
    said = "\n".join(each.getMessage() for each in caplog.records if each.name == "jobplane.job")
    for text in (dump(request, url), artifacts, said, "".join(capsys.readouterr())):
        assert find_leaks(text) == []
        assert "***" in text


async def test_no_way_to_give_a_secret_away_on_a_loop_gets_it_stored(
    request: pytest.FixtureRequest, on_loop: Jobplane, url: str | None, policy: Path
) -> None:
    define(on_loop)
    await on_loop.sync_async()
    jobs = [await on_loop.enqueue_async(key, {"way": way}) for key in ("give-away", "give-away-async") for way in HERE]

    await on_loop.drain_async()

    assert {(await on_loop.get_async(job)).status for job in jobs} >= {JobStatus.SUCCEEDED, JobStatus.FAILED}
    stored = dump(request, url)
    assert find_leaks(stored) == []
    assert "***" in stored


def test_without_a_policy_drain_refuses_every_secret(jp: Jobplane) -> None:
    define(jp)
    jp.sync()
    job = jp.enqueue("tell-ours", {})

    jp.drain()

    ended = jp.get(job)
    assert (ended.status, ended.reason) == (JobStatus.FAILED, "secret_not_allowed")
    assert f'Set worker_policy to a file with the line secrets = ["{TOKEN}"].' in (ended.error or "")


def test_an_authorization_header_is_masked_without_any_secret(
    request: pytest.FixtureRequest, jp: Jobplane, url: str | None
) -> None:
    headers = {"Authorization": "Bearer tok-123", "accept": "json"}

    @jp.job("call", max_attempts=1)
    def call(ctx: Context, fails: bool) -> object:
        ctx.log.info("request", headers=headers)
        logging.getLogger("client").warning("GET / %s", headers)
        ctx.progress(0.5, "with Authorization: Basic tok-123")
        if fails:
            raise ValueError(f"refused {headers}")
        return {"sent": headers}

    jp.sync()
    jobs = [call.enqueue(fails=fails) for fails in (True, False)]
    jp.drain()

    assert next(line.fields for line in jp.logs(jobs[0])) == {
        "headers": {"Authorization": "Bearer ***", "accept": "json"}
    }
    assert jp.result(jobs[1]) == {"sent": {"Authorization": "Bearer ***", "accept": "json"}}
    assert "refused {'Authorization': 'Bearer ***'" in (jp.get(jobs[0]).error or "")
    assert "tok-123" not in dump(request, url)


def test_a_secret_parameter_takes_references_and_hands_them_to_the_handler(jp: Jobplane, policy: Path) -> None:
    policy.write_text('payload_secrets = ["env:SECRETIVE_"]\nsecrets = ["env:OF_THE_CODE"]')

    @jp.job("charge")
    def charge(ctx: Context, token: SecretStr, logins: list[Login], more: SecretBytes | None = None) -> object:
        secret = ctx.secret(token)
        return [secret == CANARY, ctx.secret(more) == CANARY if more else None, token.get_secret_value(), str(token)]

    jp.sync()
    job = charge.enqueue(
        token=SecretStr(TOKEN),
        logins=[Login(user="alice"), Login(user="bob", password=SecretStr("env:BOBS"))],
        more=SecretBytes(TOKEN.encode()),
    )
    jp.drain()

    found = jp.get(job)
    assert found.payload == {
        "token": TOKEN,
        "logins": [{"user": "alice"}, {"user": "bob", "password": "env:BOBS"}],
        "more": TOKEN,
    }
    assert jp.result(job) == [True, True, TOKEN, "**********"]


def test_a_secret_parameter_refuses_a_plain_value_and_does_not_repeat_it(jp: Jobplane) -> None:
    @jp.job("charge")
    def charge(token: SecretStr, login: Login | None = None) -> None: ...

    for wrong in (
        lambda: charge.enqueue(token=SecretStr("sk-live-123")),
        lambda: charge.enqueue(token=SecretStr(TOKEN), login=Login(user="a", password=SecretStr("sk-live-123"))),
        lambda: jp.enqueue("charge", {"token": "sk-live-123"}),
    ):
        with pytest.raises(InvalidPayload) as caught:
            wrong()
        assert caught.value.code == "secret_in_payload"
        assert "sk-live-123" not in f"{caught.value} {caught.value.facts}"


def test_the_default_of_a_secret_parameter_is_the_codes_and_not_in_the_schema(jp: Jobplane, policy: Path) -> None:
    @jp.job("charge")
    def charge(ctx: Context, token: SecretStr = OURS) -> bool:
        return ctx.secret(token) == CANARY

    jp.sync()
    job = charge.enqueue()
    jp.drain()

    assert jp.result(job) is True
    assert "*" not in str(charge.definition.signature.schema)


def test_a_text_that_is_no_reference_is_told_so_without_the_text(jp: Jobplane, policy: Path) -> None:
    @jp.job("mistake", max_attempts=1)
    def mistake(ctx: Context) -> None:
        with pytest.raises(Invalid, match="must be a reference to a secret"):
            ctx.secret("sk-live-123")

    jp.sync()
    job = mistake.enqueue()
    jp.drain()

    assert jp.get(job).status is JobStatus.SUCCEEDED
