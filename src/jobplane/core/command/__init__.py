"""Commands: a document and a schema become a template, and a payload becomes an exact argv. There is no shell."""

from __future__ import annotations

from jobplane.core.command.building import build_argv, build_environment, build_files, check_payload
from jobplane.core.command.command import Command, read_command
from jobplane.core.command.fingerprint import content_hash, show_command_line
from jobplane.core.command.scope import Call

__all__ = [
    "Call",
    "Command",
    "build_argv",
    "build_environment",
    "build_files",
    "check_payload",
    "content_hash",
    "read_command",
    "show_command_line",
]
