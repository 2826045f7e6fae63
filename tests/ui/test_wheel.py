"""What is built has the page in it: a wheel in an empty environment serves it, and an sdist needs no Node."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import tarfile
from pathlib import Path

import pytest
from playwright.sync_api import Browser, expect

from tests.cli.command import environment

ROOT = Path(__file__).parents[2]


@pytest.mark.timeout(240)
def test_a_wheel_in_an_empty_environment_serves_the_page(tmp_path: Path, browser: Browser) -> None:
    build = [sys.executable, "-m", "hatchling", "build", "--directory", str(tmp_path / "dist")]
    subprocess.run(build, cwd=ROOT, check=True, capture_output=True, timeout=120)
    [wheel] = (tmp_path / "dist").glob("*.whl")
    [sdist] = (tmp_path / "dist").glob("*.tar.gz")
    with tarfile.open(sdist) as archive:
        names = archive.getnames()
    assert any(name.endswith("src/jobplane/_ui/index.html") for name in names)
    assert not any("node_modules" in name for name in names)

    python = tmp_path / "env/bin/python"
    subprocess.run([sys.executable, "-m", "venv", str(tmp_path / "env")], check=True, timeout=60)
    needed = f"jobplane[server,sqlite] @ {wheel.as_uri()}"
    without_hashes = tmp_path / "pins.txt"
    lines = (ROOT / "requirements.lock").read_text().splitlines()
    without_hashes.write_text("\n".join(line.split(" \\")[0] for line in lines if "==" in line))
    pins = ["--constraint", str(without_hashes)]
    subprocess.run([python, "-m", "pip", "install", "-qq", *pins, needed], check=True, timeout=180)

    command = [str(python), "-m", "jobplane.cli.main", "up", "--http", "127.0.0.1:0"]
    command += ["--url", f"sqlite:///{tmp_path / 'jobs.db'}", "--dir", str(tmp_path / "up")]
    process = subprocess.Popen(
        command, text=True, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, env=environment(), cwd=tmp_path
    )
    try:
        assert process.stdout is not None
        printed: dict[str, str] = {}
        while "key" not in printed:
            name, _, value = process.stdout.readline().strip().partition(" ")
            assert name
            printed[name] = value.strip()
        page = browser.new_page()
        for _ in range(100):
            try:
                page.goto(printed["http"])
                break
            except Exception:  # noqa: BLE001 the server is not there yet
                page.wait_for_timeout(200)
        page.get_by_label("API key").fill(printed["key"])
        page.get_by_role("button", name="Sign in").click()
        expect(page.get_by_role("navigation", name="Main", exact=True)).to_be_visible()
        page.close()
    finally:
        os.kill(process.pid, signal.SIGTERM)
        process.communicate(timeout=60)
