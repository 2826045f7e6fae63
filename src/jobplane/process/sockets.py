"""Sockets that a daemon listens on."""

from __future__ import annotations

import os
import socket

from jobplane.core.errors import Invalid


def split_address(address: str) -> tuple[str, int]:
    """HOST:PORT as the two."""
    host, _, port = address.rpartition(":")
    return host.strip("[]"), int(port)


def listen(address: str, setting: str) -> socket.socket:
    """A socket on HOST:PORT; raises Invalid if the address cannot be used."""
    host, port = split_address(address)
    try:
        found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)
        family, kind, protocol, _, where = found[0]
        opened = socket.socket(family, kind, protocol)
        opened.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        opened.bind(where)
        opened.listen(2048)
    except OSError as error:
        reason = os.strerror(error.errno) if error.errno and error.errno > 0 else str(error)
        message = f"Cannot listen on {address}: {reason}. Name another address with --http HOST:PORT."
        raise Invalid(message, setting=setting) from None
    return opened


def shown_url(opened: socket.socket) -> str:
    """The URL that leads to a socket from this machine."""
    return near_url(*opened.getsockname()[:2])


def near_url(host: str, port: int | str) -> str:
    """The URL of this host and port as seen from this machine."""
    near = {"0.0.0.0": "127.0.0.1", "::": "[::1]"}.get(host, f"[{host}]" if ":" in host else host)  # noqa: S104 read, not bound
    return f"http://{near}:{port}"
