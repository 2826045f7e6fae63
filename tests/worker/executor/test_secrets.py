"""Secrets of handlers in an executor: what they get, and that nothing of it leaves the process."""

from __future__ import annotations

from collections.abc import Generator
from itertools import product
from pathlib import Path
from uuid import UUID

import orjson
import pytest

from jobplane.worker.frames import Kind
from tests.secretive import CANARY, POLICY, TOKEN, VARIABLES, WAYS, find_leaks
from tests.worker.executor.driver import Driver, row

APP = "tests.worker.secretive_app"


@pytest.fixture
def policy(tmp_path: Path) -> Path:
    return write(tmp_path / "policy.toml", POLICY)


def write(path: Path, text: str) -> Path:
    """Write a policy file that nobody else can change."""
    draft = path.with_suffix(".new")
    draft.write_text(text)
    draft.chmod(0o600)
    return draft.replace(path)


@pytest.fixture
def driver(policy: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Generator[Driver]:
    for name, value in VARIABLES.items():
        monkeypatch.setenv(name, value)
    with Driver(APP, policy=str(policy), artifacts_dir=str(tmp_path / "artifacts")) as driver:
        driver.ready()
        yield driver


def said(driver: Driver, directory: Path) -> str:
    """All that a process said, and the files that it wrote."""
    frames = "\n".join(
        orjson.dumps(body).decode() for kind, body in driver.heard if kind not in (Kind.SPENT, Kind.READY)
    )
    files = [path.read_text() for path in (directory / "artifacts").rglob("*.json")]
    return "\n".join([frames, *files, *driver.stdout, *driver.stderr])


@pytest.mark.parametrize("form", ["auto", "human"])
def test_no_way_to_give_a_secret_away_gets_it_out_of_the_process(
    form: str, policy: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, value in VARIABLES.items():
        monkeypatch.setenv(name, value)
    artifacts, given = str(tmp_path / "artifacts"), list(product(("give-away", "give-away-async"), WAYS))
    with Driver(APP, policy=str(policy), artifacts_dir=artifacts, log_format=form) as driver:
        driver.ready()
        driver.run(*(row(seq, key, {"way": way}) for seq, (key, way) in enumerate(given, 1)))
        assert driver.quit() == 0
        driver.hear_all()

        everything = said(driver, tmp_path)

    assert find_leaks(everything) == []
    assert everything.count("***") > 100
    assert "secret_" not in everything


def test_a_handler_gets_what_the_policy_allows(driver: Driver) -> None:
    got = driver.run(row(1, "give-away", {"way": "print-it"}), row(2, "tell-ours"))

    assert got[1] is None
    assert orjson.loads(got[2][6]) == len(CANARY)


def test_without_a_policy_every_secret_is_refused_with_the_line_that_allows_it() -> None:
    with Driver(APP) as driver:
        driver.ready()
        _, outcome, reason, error, *_ = driver.run(row(1, "tell-ours"))[1]

    assert (outcome, reason) == ("fatal", "secret_not_allowed")
    assert f'Set worker_policy to a file with the line secrets = ["{TOKEN}"].' in error


def test_a_secret_outside_of_the_prefixes_is_refused_for_good_and_a_missing_one_is_tried_again(
    driver: Driver, policy: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(policy, 'secrets = ["env:OTHER_"]')
    refused = driver.run(row(1, "tell-ours"))[1]
    write(policy, 'payload_secrets = ["file:/nowhere/"]')
    missing = driver.run(row(2, "tell", {"reference": "file:/nowhere/at-all"}))[2]

    assert refused[1:3] == ["fatal", "secret_not_allowed"]
    assert f'Add the prefix "{TOKEN}" to secrets.' in refused[3]
    assert missing[1:3] == ["failed", "secret_missing"]
    assert "The secret file:/nowhere/at-all cannot be had." in missing[3]


def test_a_changed_policy_counts_at_once(driver: Driver, policy: Path) -> None:
    allowed = driver.run(row(1, "tell-ours"))[1]
    write(policy, "")
    refused = driver.run(row(2, "tell-ours"))[2]
    policy.write_text("secrets = [")
    broken = driver.run(row(3, "tell-ours"))[3]
    policy.unlink()
    gone = driver.run(row(4, "tell-ours"))[4]
    write(policy, POLICY)
    again = driver.run(row(5, "tell-ours"))[5]

    assert [ended[1] for ended in (allowed, refused, broken, gone, again)] == [
        "succeeded",
        *["fatal"] * 3,
        "succeeded",
    ]
    assert "cannot be used" in broken[3]
    assert "There is no policy file" in gone[3]


def test_a_policy_that_others_can_change_allows_nothing(driver: Driver, policy: Path) -> None:
    policy.chmod(0o666)

    _, outcome, reason, error, *_ = driver.run(row(1, "tell-ours"))[1]

    assert (outcome, reason) == ("fatal", "secret_not_allowed")
    assert "Run: chmod go-w" in error


def test_a_reference_in_the_payload_is_judged_by_payload_secrets_alone(
    driver: Driver, policy: Path, tmp_path: Path
) -> None:
    ours, mine, theirs = UUID(int=7, version=4), UUID(int=8, version=4), tmp_path / "tenants"
    (theirs / str(mine)).mkdir(parents=True)
    (theirs / str(mine) / "token").write_text("of a tenant\n")
    write(policy, f'{POLICY}payload_secrets = ["file:{theirs}/{{tenant_id}}/"]')
    reference = f"file:{theirs}/{mine}/token"

    ended = driver.run(
        row(1, "tell", {"reference": reference}, tenant=mine),
        row(2, "tell", {"reference": TOKEN}, tenant=mine),
        row(3, "tell", {"reference": reference}, tenant=ours),
        row(4, "tell-ours", {"note": f"see {TOKEN}"}, tenant=mine),
    )

    own, stolen, foreign, both = (ended[seq] for seq in range(1, 5))
    assert orjson.loads(own[6]) == len("of a tenant")
    assert [each[1:3] for each in (stolen, foreign, both)] == [["fatal", "secret_not_allowed"]] * 3
    assert "The payload of the job names the secret" in stolen[3]
    assert not find_leaks(str(ended))
