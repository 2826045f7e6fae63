"""The program of an executor: `python -m jobplane.worker.executor FD`."""

from __future__ import annotations

import asyncio
import ctypes
import fcntl
import logging
import mmap
import os
import signal
import socket
import sys
import threading
from contextlib import suppress
from importlib import import_module
from types import FrameType
from typing import Final, NoReturn, cast

import orjson

from jobplane.worker.executor import capture
from jobplane.worker.executor.imports import ImportedModules
from jobplane.worker.executor.process import FAILED, ExecutorProcess, make_failed_frame
from jobplane.worker.frames import BROKEN, HEAD, Kind, Setup, read_head

_log: Final = logging.getLogger("jobplane.executor")
_PDEATHSIG: Final = 1
_LEAVING_SECONDS: Final = 2.0
_ADD_SEALS: Final = 1033  # of Linux
_SEAL_FUTURE_WRITE: Final = 16


def main() -> None:
    """Run until the supervisor sends QUIT or ends."""
    sock = socket.socket(fileno=int(sys.argv[1]))
    sock.set_inheritable(False)
    _leave_signals(sock)
    setup = _setup(sock)
    _die_with(setup["parent"])
    board = _board(setup)
    voice = capture.ProcessLog(setup["log_level"], setup["log_format"])
    capture.capture_streams()
    program = _program(sock, setup)  # a module that runs a loop of its own while it is imported may do so
    loop = _new_loop()
    process = ExecutorProcess(loop, sock, setup, board, voice, program)
    loop.create_task(process.open())
    _run(loop)
    _leave(process.exit_code)


def _pass(_number: int, _frame: FrameType | None) -> None:
    """A signal handler that does nothing."""


def _leave_signals(sock: socket.socket) -> None:
    """Leave signals to the process group to the supervisor. A handler's own children obey them."""
    theirs = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
    for number in theirs:
        signal.signal(number, _pass)  # not ignored: that a child would inherit over exec
    forking = threading.local()

    def before() -> None:  # a child that is told to end at once must not take it for ours
        forking.mask = signal.pthread_sigmask(signal.SIG_BLOCK, theirs)

    def after() -> None:
        signal.pthread_sigmask(signal.SIG_SETMASK, forking.mask)

    def in_child() -> None:
        signal.signal(signal.SIGINT, signal.default_int_handler)
        signal.signal(signal.SIGTERM, signal.SIG_DFL)
        signal.signal(signal.SIGHUP, signal.SIG_DFL)
        after()
        os.close(sock.fileno())  # a fork has no outcomes, and must not keep the socket open

    os.register_at_fork(before=before, after_in_parent=after, after_in_child=in_child)


def _run(loop: asyncio.AbstractEventLoop) -> None:
    """Run until the loop is stopped.

    A task that a handler left behind may raise SystemExit, which asyncio lets out of the loop: that changes nothing. A
    loop whose own descriptors a handler has closed cannot go on.
    """
    while True:
        try:
            loop.run_forever()
        except (SystemExit, KeyboardInterrupt):
            continue
        except Exception:  # noqa: BLE001 whatever it is, no handler can be run here any more
            _log.critical("The event loop failed. The process ends.", exc_info=True)
            os._exit(BROKEN)
        return


def _new_loop() -> asyncio.AbstractEventLoop:
    try:
        uvloop = import_module("uvloop")  # not ours: faster where the user has it
    except ImportError:
        loop = asyncio.new_event_loop()
    else:
        loop = cast("asyncio.AbstractEventLoop", uvloop.new_event_loop())
    asyncio.set_event_loop(loop)
    return loop


def _setup(sock: socket.socket) -> Setup:
    kind, length = read_head(_exactly(sock, HEAD.size))
    if kind != Kind.SETUP:
        raise SystemExit(f"the first frame is SETUP, not {kind}")
    return cast("Setup", orjson.loads(_exactly(sock, length)))


def _program(sock: socket.socket, setup: Setup) -> ImportedModules:
    """Import the user's modules. If that fails, send FAILED and exit."""
    try:
        return ImportedModules(setup)
    except BaseException as error:  # noqa: BLE001 whatever an import raises, the supervisor has to know
        sock.sendall(make_failed_frame(error))
        _leave(FAILED)


def _exactly(sock: socket.socket, size: int) -> bytes:
    """Read exactly this many bytes: the next ones are for the event loop."""
    found = b""
    while len(found) < size:
        part = sock.recv(size - len(found))
        if not part:
            raise SystemExit(0)
        found += part
    return found


def _die_with(parent: int) -> None:
    """Ask Linux to kill this process when the thread that started it ends. The watchdog does the same."""
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(_PDEATHSIG, signal.SIGKILL, 0, 0, 0)
    if os.getppid() != parent:
        raise SystemExit(0)  # it was gone before we asked


def _board(setup: Setup) -> memoryview:
    """Map the board and make it unwritable by descriptor: Python keeps one open, and a handler may write to it."""
    shared = mmap.mmap(setup["board_fd"], 0)
    with suppress(OSError):  # not every kernel can
        fcntl.fcntl(setup["board_fd"], _ADD_SEALS, _SEAL_FUTURE_WRITE)
    os.close(setup["board_fd"])
    return memoryview(shared).cast("q")


def _leave(code: int) -> NoReturn:
    """Exit with the user's `atexit` functions. A thread that still runs delays this by two seconds at most."""
    timer = threading.Timer(_LEAVING_SECONDS, os._exit, (code,))
    timer.daemon = True
    timer.start()
    raise SystemExit(code)


if __name__ == "__main__":
    main()
