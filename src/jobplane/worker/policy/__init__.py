"""What this machine may run as commands: the policy file, and how definitions and executables are compared with it."""

from __future__ import annotations

from jobplane.execution.policy_file import InvalidPolicy
from jobplane.worker.policy.executables import (
    Executable,
    ExecutableMissing,
    ExecutableRefused,
    ExecutableRelative,
    ExecutableUnsafe,
    open_executable,
)
from jobplane.worker.policy.judging import NEEDED, State, Verdict, judge, judge_content
from jobplane.worker.policy.policy import CommandPolicy, Limits, Policy, load_policy
from jobplane.worker.policy.users import User

__all__ = [
    "NEEDED",
    "CommandPolicy",
    "Executable",
    "ExecutableMissing",
    "ExecutableRefused",
    "ExecutableRelative",
    "ExecutableUnsafe",
    "InvalidPolicy",
    "Limits",
    "Policy",
    "State",
    "User",
    "Verdict",
    "judge",
    "judge_content",
    "load_policy",
    "open_executable",
]
