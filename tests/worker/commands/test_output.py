"""What commands print: into the log, into the tails, and never a secret."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import AsyncGenerator
from pathlib import Path

import pytest

from jobplane.core.masking import Masker
from jobplane.worker.commands.journal import MAX_LOG
from jobplane.worker.commands.lines import MAX_MESSAGE
from jobplane.worker.commands.output import TAIL_BYTES
from jobplane.worker.commands.results import find_result
from jobplane.worker.commands.sayings import Sayings
from tests.worker.commands.site import SHELL, USER, Site, launched

pytestmark = pytest.mark.anyio
SECRET = "s3cr3t/of+the=tenant"


@pytest.fixture
async def site() -> AsyncGenerator[Site]:
    async with launched() as site:
        yield site


async def test_lines_come_while_the_command_runs(site: Site) -> None:
    run = site.shell("echo first; while [ ! -e go ]; do sleep 0.01; done; echo second >&2")
    await run.said("first")
    assert run.how is None

    place = site.work_dir
    next(place.glob(f"*/{run.token}-1")).joinpath("go").touch()
    report = await run.ended()

    assert [(row[1], row[3], row[4]) for row in run.rows] == [(1, "info", "first"), (2, "warning", "second")]
    assert (report["stdout_tail"], report["stderr_tail"]) == ("first\n", "second\n")


async def test_much_output_without_a_newline_costs_no_memory(site: Site) -> None:
    megabytes = 256
    run = site.shell(f"echo up; exec head -c {megabytes}M /dev/zero")
    await run.until(lambda: run.command.keeper_pid)
    highest = 0

    def look() -> bool:
        nonlocal highest
        highest = max(highest, _anonymous(run.command.keeper_pid))
        return run.how is not None

    await run.until(look)
    report = await run.ended()

    assert report["stdout_bytes"] == megabytes * 1024 * 1024 + 3
    assert 0 < highest < 24 * 1024 * 1024
    assert len(report["stdout_tail"].encode()) <= TAIL_BYTES
    assert [row[4][:3] for row in run.rows] == ["up", "\ufffd\ufffd\ufffd"]
    assert len(run.rows[1][4].encode()) <= MAX_MESSAGE
    assert report["bytes_dropped"] > megabytes * 1024 * 1024 - MAX_MESSAGE


async def test_a_log_has_ten_mebibytes_and_says_what_it_has_not(site: Site) -> None:
    run = site.shell("yes 'a line of a command that prints too much' | head -c 30M; echo; echo last >&2")

    report = await run.ended()

    kept = sum(len(row[4]) + 1 for row in run.rows)
    assert kept < MAX_LOG * 1.1
    assert report["lines_dropped"] > 100_000
    assert report["bytes_dropped"] > 15 * 1024 * 1024
    assert "dropped" in run.lines[-1] or "dropped" in run.lines[-2]
    assert report["stderr_tail"] == "last\n"
    assert [row[1] for row in run.rows] == list(range(1, len(run.rows) + 1))


async def test_lines_that_nobody_stores_are_dropped_and_counted(site: Site) -> None:
    run = site.run([SHELL, "-c", "yes 0123456789 | head -n 100000; echo end"])
    run.grants = False

    report = await run.ended()

    assert len(run.rows) < 20_000
    assert report["lines_dropped"] > 50_000
    assert run.lines[-1] == "end"


async def test_binary_noise_becomes_text_that_a_store_can_keep(site: Site) -> None:
    run = site.shell("head -c 100000 /dev/urandom; printf 'caf\\303\\251 \\000 \\377\\n'; printf 'half \\303' >&2")

    report = await run.ended()

    text = "".join([*run.lines, report["stdout_tail"], report["stderr_tail"]])
    assert "\x00" not in text
    text.encode()
    assert report["stdout_tail"].endswith("café \ufffd \ufffd\n")
    assert report["stderr_tail"] == "half \ufffd"


@pytest.mark.parametrize("at", range(1, len(SECRET)))
async def test_a_secret_in_two_writes_is_masked(site: Site, at: int) -> None:
    script = 'printf "token %s" "$1"; sleep 0.03; echo "$2 end"'

    run = site.shell(script, SECRET[:at], SECRET[at:], masks=[SECRET])

    assert (await run.ended())["stdout_tail"] == "token *** end\n"
    assert run.lines == ["token *** end"]


async def test_a_secret_is_masked_wherever_the_command_says_it(site: Site) -> None:
    script = """
        cat token; echo "$TOKEN" | base64; echo "$TOKEN" >&2; echo "curl -H 'Authorization: Bearer abcdef'"
        echo '{"jobplane": {"progress": 0.5, "message": "with '"$TOKEN"'"}}'
        printf '{"a": ["%s"], "%s": 1}' "$TOKEN" "$TOKEN" > result.json; exit 0
    """
    run = site.shell(script, masks=[SECRET], files={"token": SECRET}, environment={"TOKEN": SECRET})

    report = await run.ended()

    said = repr([run.rows, run.progress, report])
    assert SECRET not in said
    assert "abcdef" not in said
    assert report["result"] == '{"a": ["***"], "***": 1}'
    assert run.progress == [(0.5, "with ***")]
    assert report["stderr_tail"] == "***\n"


async def test_a_secret_that_is_escaped_in_json_letter_by_letter_is_masked_in_progress_and_result(site: Site) -> None:
    escaped = "".join(f"\\u{ord(letter):04x}" for letter in SECRET)
    said = [{"progress": 0.5, "message": "MINE"}, {"result": ["MINE"]}]
    lines = "\n".join(json.dumps({"jobplane": each}) for each in said).replace("MINE", escaped)

    run = site.shell("printf '%s\n' \"$SAID\"", masks=[SECRET], environment={"SAID": lines})

    assert (await run.ended())["result"] == '["***"]'
    assert run.progress == [(0.5, "***")]


async def test_a_result_with_a_secret_number_is_kept_without_it(site: Site) -> None:
    said = '{"jobplane": {"result": {"pin": 12345678, "n": [-12345678.5, 1], "text": "a \\" 12345678, b"}}}'

    run = site.shell("printf '%s\n' \"$SAID\"", masks=["12345678"], environment={"SAID": said})

    assert json.loads((await run.ended())["result"] or "") == {"pin": "***", "n": ["***", 1], "text": 'a " ***, b'}


async def test_progress_and_a_last_line_become_progress_and_result(site: Site) -> None:
    run = site.shell(
        """
        echo '{"jobplane": {"progress": 0.4, "message": "four"}}'
        echo '{"jobplane": {"result": "not the last one"}}'
        echo between
        echo '{"jobplane": {"progress": 1}}'
        echo '{"jobplane": {"result": {"files": 12}}}'
        """
    )

    report = await run.ended()

    assert report["result"] == '{"files": 12}'
    assert run.lines == ['{"jobplane": {"result": "not the last one"}}', "between"]
    told = zip(*run.progress, strict=True)  # None: as before
    assert [[each for each in of if each is not None][-1] for of in told] == [1.0, "four"]


async def test_a_file_with_a_result_wins_over_the_last_line(site: Site) -> None:
    run = site.shell("""echo '[1]' > result.json; echo '{"jobplane": {"result": "line"}}'""")

    assert (await run.ended())["result"] == "[1]"


@pytest.mark.parametrize(
    ("script", "fault"),
    [
        ("mkfifo result.json", "no regular file"),
        ("ln -s /etc/passwd result.json", "cannot be read"),
        ("mkdir result.json", "Is a directory"),
        ("echo '{' > result.json", "not JSON"),
        ("head -c 17M /dev/zero > result.json", "longer than 16 MiB"),
        ("yes [ | head -c 100000 | tr -d '\\n' > result.json", ""),
        ("(echo [; yes [], | head -c 3M; echo 1]) > result.json", "more than 1,000,000 values"),
    ],
)
async def test_a_result_that_is_no_file_of_json_is_a_fault(site: Site, script: str, fault: str) -> None:
    run = site.shell(f"{script}; exit 0")

    report = await run.ended()

    assert report["result"] is None
    assert fault in (report["result_fault"] or "none")


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give a directory away")
async def test_a_link_to_a_file_of_somebody_else_is_no_result(tmp_path: Path) -> None:
    """Not every system refuses to make such links, and the keeper may read what the command may not."""
    (tmp_path / "theirs").write_text("[1]")
    work = tmp_path / "work"
    work.mkdir()
    os.chown(work, USER.pw_uid, USER.pw_gid)
    os.link(tmp_path / "theirs", work / "result.json")
    directory = os.open(work, os.O_RDONLY)

    result, fault = find_result(directory, Sayings(), Masker([]))
    os.close(directory)

    assert result is None
    assert "no regular file of the command's user" in (fault or "")


async def test_texts_of_a_result_may_have_many_commas_and_brackets(site: Site) -> None:
    run = site.shell(r"""(printf '"\\"'; yes '[],\"' | head -c 3M | tr -d '\n'; printf '"') > result.json""")

    report = await run.ended()

    assert report["result_fault"] is None
    assert len(report["result"] or "") > 2_000_000


async def test_the_payload_comes_on_stdin_and_without_it_stdin_is_empty(site: Site) -> None:
    payload = '{"text": "' + "x" * 200_000 + '"}'
    given, empty = site.shell("wc -c", stdin=payload), site.shell("wc -c")

    assert (await given.ended())["stdout_tail"].strip() == str(len(payload))
    assert (await empty.ended())["stdout_tail"].strip() == "0"


async def test_working_directories_are_fresh_and_removed_whatever_is_in_them(site: Site) -> None:
    script = """
        mkdir -p deep/er; touch deep/er/file; chmod 0 deep/er; chmod 0 deep; ln -s / root; mkfifo pipe
        i=0; d=.; while [ $i -lt 300 ]; do d=$d/x; i=$((i+1)); done; mkdir -p $d; ls -A
    """
    run = site.shell(script)

    await run.ended()

    assert sorted(run.lines) == ["deep", "pipe", "root", "x"]
    await run.until(lambda: not list(site.work_dir.glob(f"*/*{run.token}*")))


async def test_what_cannot_be_executed_says_why_and_started_nothing(site: Site) -> None:
    text = site.directory / "text"
    text.write_text("no program\n")
    text.chmod(0o755)
    private = site.directory / "private"
    shutil.copyfile(SHELL, private)
    private.chmod(0o700)

    for path, reason in ((text, "Exec format error"), (private, "Permission denied")):
        if path == private and os.geteuid() != 0:
            continue
        report = await site.run([str(path)]).ended()
        assert (report["cause"], report["exit_code"], report["pid"]) == ("spawn", None, None)
        assert reason in (report["error"] or "")


async def test_the_opened_file_is_executed_not_what_its_path_has_since(site: Site) -> None:
    program = site.directory / "program"
    program.write_text(f"#!{SHELL}\necho old\n")
    program.chmod(0o755)
    swapped = site.directory / "swapped"
    swapped.write_text(f"#!{SHELL}\necho new\n")
    swapped.chmod(0o755)

    run = site.run([str(program)])
    swapped.replace(program)

    assert (await run.ended())["stdout_tail"] == "old\n"


def _anonymous(pid: int | None) -> int:
    """Bytes of its own memory."""
    try:
        status = Path(f"/proc/{pid}/status").read_text()
    except OSError:
        return 0
    return sum(int(line.split()[1]) * 1024 for line in status.splitlines() if line.startswith("RssAnon"))
