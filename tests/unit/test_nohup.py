"""A run that ignores signals, as under nohup, starts programs that do not, and leaves none of them behind."""

import os
import select
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from tests import programs
from tests.nohup import SIGNALS

pytest_plugins = ["pytester"]

ROOT = Path(__file__).parents[2]
_WITHIN = """
import os, signal, subprocess
import pytest

SIGNALS = (signal.SIGHUP, signal.SIGINT, signal.SIGQUIT)


@pytest.mark.parametrize("number", SIGNALS)
def test_a_program_ends_by_it(number):
    with subprocess.Popen(["sleep", "60"]) as program:
        program.send_signal(number)
        assert program.wait(10) == -number


@pytest.mark.parametrize("number", SIGNALS)
def test_a_fork_has_the_default(number):
    child = os.fork()
    if not child:
        os._exit(signal.getsignal(number) not in (signal.SIG_DFL, signal.default_int_handler))
    assert os.waitpid(child, 0)[1] == 0


@pytest.mark.parametrize("number", SIGNALS)
def test_the_run_itself_goes_on(number):
    os.kill(os.getpid(), number)
"""


@pytest.mark.parametrize("processes", ["0", "2"])
def test_a_program_has_the_default_signals_though_the_run_ignores_them(
    pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch, processes: str
) -> None:
    monkeypatch.setenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD", "1")
    pytester.makepyfile(_WITHIN)
    run = [sys.executable, "-m", "pytest", "-p", "xdist", "-p", "tests.nohup", "-n", processes]
    command = ["sh", "-c", f"trap '' {' '.join(str(int(number)) for number in SIGNALS)}; exec \"$@\"", "sh", *run]

    done = subprocess.run(
        command, env={**os.environ, "PYTHONPATH": str(ROOT)}, capture_output=True, text=True, check=False, timeout=60
    )

    assert done.returncode == 0, done.stdout
    assert "9 passed" in done.stdout


def test_what_a_test_has_started_is_killed_with_all_its_children() -> None:
    deaf = "trap '' HUP INT TERM; sleep 60 & echo $!; wait"
    process = programs.start(["sh", "-c", deaf], stdout=subprocess.PIPE)
    assert process.stdout
    child = os.pidfd_open(int(process.stdout.readline()))

    programs.end_all()

    assert process.returncode == -signal.SIGKILL
    assert select.select([child], [], [], 10)[0], "it has ended too"
    os.close(child)
