"""Turn the fork of a keeper into the command. It never returns."""

from __future__ import annotations

import json
import os
import resource
import signal
from collections.abc import Mapping
from typing import Final, NamedTuple, NoReturn

from jobplane.worker.commands import kernel
from jobplane.worker.commands.protocol import Order

OOM_ADJUSTMENT: Final = 500  # of 1000: a command goes before executors (300) and the supervisor
NOT_STARTED: Final = 127
_CPU_SPARE: Final = 1  # seconds from XCPU to KILL
_LIMITS: Final[Mapping[str, int]] = {
    "processes": resource.RLIMIT_NPROC,
    "open_files": resource.RLIMIT_NOFILE,
    "cpu_seconds": resource.RLIMIT_CPU,
    "file_bytes": resource.RLIMIT_FSIZE,
    "memory_bytes": resource.RLIMIT_AS,  # the last: this process itself may be larger
}


class Descriptors(NamedTuple):
    """All that the command is given. A fault is written to `fault`, which is closed by exec."""

    executable: int
    directory: int
    stdin: int
    stdout: int
    stderr: int
    fault: int


class _Fault(Exception):
    """A step failed: its code, and a sentence."""


def run_child(order: Order, given: Descriptors, keeper: int) -> NoReturn:
    """Become the command. If that fails, write the reason and exit."""
    try:
        _become(order, given, keeper)
    except BaseException as error:  # noqa: BLE001 a fork must never return into the keeper's code
        code, sentence = error.args if isinstance(error, _Fault) else ("start", f"{type(error).__name__}: {error}")
        os.write(given.fault, json.dumps([code, f"The command could not be started: {sentence}"]).encode())
    os._exit(NOT_STARTED)


def _become(order: Order, given: Descriptors, keeper: int) -> NoReturn:
    os.setsid()
    kernel.reset_signals()
    for source, target in ((given.stdin, 0), (given.stdout, 1), (given.stderr, 2)):
        os.dup2(source, target)
    kernel.offer_to_the_oom_killer(OOM_ADJUSTMENT)
    _enter(given.directory)
    kernel.close_all_but(given.executable, given.fault)
    os.umask(0o077)
    _set_limits(order["limits"])
    _change_user(order)
    kernel.renounce_privileges()
    kernel.die_with_parent(signal.SIGKILL)
    if os.getppid() != keeper:
        os._exit(NOT_STARTED)
    _execute(order, given.executable)


def _enter(directory: int) -> None:
    try:
        os.fchdir(directory)
    except OSError as error:
        raise _Fault("work_dir", f"its working directory cannot be entered: {error.strerror}.") from None


def _set_limits(limits: Mapping[str, int]) -> None:
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    for name, number in _LIMITS.items():
        if (wanted := limits.get(name)) is None:
            continue
        try:
            _set_limit(number, wanted, wanted + (_CPU_SPARE if name == "cpu_seconds" else 0))
        except (OSError, ValueError) as error:
            raise _Fault("limits", f"its limit {name} cannot be set to {wanted}: {error}.") from None


def _set_limit(number: int, soft: int, hard: int) -> None:
    """A worker that is not root cannot raise a limit: then the lower one stays."""
    _, highest = resource.getrlimit(number)
    if highest != resource.RLIM_INFINITY and os.geteuid() != 0:
        soft, hard = min(soft, highest), min(hard, highest)
    resource.setrlimit(number, (soft, hard))


def _change_user(order: Order) -> None:
    uid, gid = order["uid"], order["gid"]
    if uid is None or gid is None or (os.geteuid() != 0 and uid == os.geteuid()):
        return
    try:
        os.setgroups(order["groups"])
        os.setresgid(gid, gid, gid)
        os.setresuid(uid, uid, uid)
    except OSError as error:
        raise _Fault("user", f"it cannot run as user {uid} and group {gid}: {error.strerror}.") from None


def _execute(order: Order, executable: int) -> NoReturn:
    """Execute what the descriptor refers to. Only a script needs it open: its interpreter reads it as /dev/fd/N."""
    argv = [encode(each) for each in order["argv"]]
    environment = {encode(name): encode(value) for name, value in order["environment"].items()}
    try:
        os.set_inheritable(executable, os.pread(executable, 2, 0) == b"#!")
        target = executable if os.execve in os.supports_fd else argv[0]
        os.execve(target, argv, environment)  # noqa: S606 the definition's program, which the policy allows
    except (OSError, ValueError) as error:
        shown = error.strerror if isinstance(error, OSError) else error
        raise _Fault("exec", f"{order['argv'][0]}: {shown}.") from None


def encode(text: str) -> bytes:
    """As the kernel gets it. Surrogates stand for bytes that are not UTF-8."""
    return text.encode("utf-8", "surrogateescape")
