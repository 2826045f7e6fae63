"""Hostile values as they reach a real process: each is one literal argument, or the job is refused at enqueue."""

from __future__ import annotations

from base64 import b64decode
from pathlib import Path
from typing import Any, Final

import pytest

from jobplane import JobStatus
from jobplane.core.errors import InvalidPayload
from tests.client import BlockingStore
from tests.worker.command_site import SHELL, CommandSite
from tests.worker.stage import Stage

HOSTILE: Final = [
    *("; rm -rf /", "`id`", "$(reboot)", "a\nb", "\t", "' \" \\", "*", "~", "@/etc/passwd", "${IFS}", "&& id", "|id"),
    *(
        "{tenant_id}",
        "{{",
        "}}",
        "%s%n",
        "é — \u2010\u2212",
        "\u202eabc",
        "﹣﹣all",
        "-",
        "--",
        "-rf",
        "--all",
        "--all=1",
    ),
    *("x" * 10_000, "!!", "#", "\r", "\x01\x1b[31m", "a=b", "=", " --all", "\u00ad--all"),
]
SCHEMA: Final[dict[str, Any]] = {
    "type": "object",
    "properties": {
        "items": {"type": "array", "items": {"type": "string"}},
        "one": {"type": "string"},
    },
    "additionalProperties": False,
}
SHOWS: Final = 'base64 -w0 /proc/$$/cmdline > shown; printf \'"%s"\' "$(cat shown)" > result.json'


@pytest.fixture
def site(any_stage: Stage, any_store: BlockingStore, tmp_path: Path) -> CommandSite:
    return CommandSite(any_stage, any_store, tmp_path)


def arguments(result: object) -> list[str]:
    """What the process has seen behind the script and its name."""
    assert isinstance(result, str)
    return b64decode(result).decode().split("\0")[4:-1]


def test_hostile_values_reach_the_process_as_they_are(site: CommandSite) -> None:
    behind = [{"each": "{item}", "of": "items"}]
    joined = ["--path={one}", {"each": "--tag={item}", "of": "items"}]
    free = [{"each": "{item}", "of": "items", "may_start_with_dash": True}]
    site.allow(
        site.define("joined", SHELL, "-c", SHOWS, "sh", *joined, schema=SCHEMA),
        site.define("behind", SHELL, "-c", SHOWS, "sh", "--", *behind, schema=SCHEMA),
        site.define("free", SHELL, "-c", SHOWS, "sh", *free, schema=SCHEMA),
    )
    site.started()

    jobs = [site.enqueue(key, items=HOSTILE) for key in ("joined", "behind", "free")]
    jobs += [site.enqueue("joined", one=value, items=[]) for value in ("", "; id", "--")]
    ended = [site.stage.ended(job) for job in jobs]

    assert {job.status for job in ended} == {JobStatus.SUCCEEDED}
    shown = [arguments(job.result) for job in ended]
    assert shown[0] == [f"--tag={value}" for value in HOSTILE]
    assert shown[1] == ["--", *HOSTILE]
    assert shown[2] == HOSTILE
    assert shown[3:] == [["--path="], ["--path=; id"], ["--path=--"]]


@pytest.mark.parametrize("value", ["-", "--", "-rf", "--all", "--all=1", "a\0b"])
def test_a_value_that_could_become_an_option_or_no_argument_is_refused_at_enqueue(
    site: CommandSite, value: str
) -> None:
    site.define("plain", SHELL, "-c", SHOWS, "sh", "{one}", schema=SCHEMA)

    with pytest.raises(InvalidPayload) as refused:
        site.enqueue("plain", one=value)

    assert refused.value.facts["pointer"] == "/one"
    assert list(site.stage.jp.list()) == []
