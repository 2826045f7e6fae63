"""Handlers that give a secret away in every way that there is, and the search for what came out."""

# ruff: noqa: G004, T201

from __future__ import annotations

import base64
import json
import logging
import sys
import threading
from collections.abc import Callable, Iterator
from typing import Final
from urllib.parse import quote

from jobplane import Context, Fail, Jobplane, Retry

CANARY: Final = 'c4nary+/"quoted"\\end-é9f2'
PIN: Final = "8371927455"
VARIABLES: Final = {"SECRETIVE_TOKEN": CANARY, "SECRETIVE_PIN": PIN}
POLICY: Final = 'secrets = ["env:SECRETIVE_"]\n'
TOKEN: Final = "env:SECRETIVE_TOKEN"
app: Final = logging.getLogger("secretive")
own: Final = logging.getLogger("secretive.own")
Way = Callable[[Context, str], object]
WAYS: Final[dict[str, Way]] = {}


def way(function: Way) -> Way:
    WAYS[function.__name__.removeprefix("_").replace("_", "-")] = function
    return function


@way
def _print_it(_: Context, secret: str) -> None:
    print("token", secret)
    print(secret, file=sys.stderr)


@way
def _print_it_in_parts(_: Context, secret: str) -> None:
    print(secret[:9], end="")
    print(secret[9:])
    sys.stdout.writelines([secret[:4], secret[4:12], secret[12:]])


@way
def _print_it_where_a_line_is_cut(_: Context, secret: str) -> None:
    sys.stdout.write("x" * 16_380 + secret[:9])
    sys.stdout.write(secret[9:] + "\n")


@way
def _print_it_in_a_thread(_: Context, secret: str) -> None:
    def say() -> None:
        sys.stdout.write(secret[:9])
        print(secret[9:])
        print(repr(secret), file=sys.stderr)

    thread = threading.Thread(target=say)
    thread.start()
    thread.join()


@way
def _die_in_a_thread(_: Context, secret: str) -> None:
    def fail() -> None:
        raise ValueError(secret)

    thread = threading.Thread(target=fail)
    thread.start()
    thread.join()


@way
def _log_it(ctx: Context, secret: str) -> None:
    ctx.log.info(f"token {secret}")
    ctx.log.info("token", token=secret, **{f"of {secret}": 1})
    ctx.log.info("deep", request={"headers": [{"x-token": secret}], "body": json.dumps({"token": secret})})
    ctx.log.warning("an object", what=ValueError(secret))


@way
def _log_a_traceback(ctx: Context, secret: str) -> None:
    try:
        raise ValueError(secret)
    except ValueError:
        ctx.log.exception("caught")
        app.exception("caught %s", secret)
        app.warning("caught", exc_info=True, extra={"token": secret, "facts": {"token": {"deep": [secret]}}})


@way
def _log_by_logging(_: Context, secret: str) -> None:
    app.warning("token %s", secret)
    app.getChild(secret).warning("by its own logger")
    app.warning("request %s", {"token": secret}, extra={"token": secret, "seen": {"a": secret}})
    own.addHandler(logging.StreamHandler(sys.stderr))
    own.warning("own %s", secret)
    own.handlers.clear()


@way
def _encode_it(ctx: Context, secret: str) -> object:
    encoded = base64.b64encode(f"user:{secret}".encode()).decode()
    ctx.log.info(f"{encoded} {quote(secret)} {quote(secret, safe='')} {json.dumps(secret)} {secret!r} {secret!a}")
    print(encoded, quote(secret), secret.encode())
    return {"basic": encoded, "url": f"https://example.com/?t={quote(secret, safe='')}"}


@way
def _raise_it(_: Context, secret: str) -> None:
    raise ValueError(secret)


@way
def _raise_its_repr_and_notes(_: Context, secret: str) -> None:
    error = RuntimeError(f"{locals()!r}" + "y" * 20_000)
    error.add_note(secret)
    raise error from KeyError(secret)


@way
def _raise_it_where_an_error_is_cut(_: Context, secret: str) -> None:
    """The begin of an error that is cut has 4 KiB."""
    raise ValueError("\n".join(["z" * number + secret for number in range(1, 400)]))


@way
def _fail_with_it(_: Context, secret: str) -> None:
    raise Fail(f"refused {secret}")


@way
def _retry_with_it(_: Context, secret: str) -> None:
    raise Retry(f"later {secret}", after=3600)


@way
def _exit_with_it(_: Context, secret: str) -> None:
    sys.exit(secret)


@way
def _return_it(ctx: Context, secret: str) -> object:
    pin = ctx.secret("env:SECRETIVE_PIN")
    return {"token": secret, "deep": [{"a": {secret: 1}}], "pin": int(pin), "n": 1, "text": f"{pin} or {secret}"}


@way
def _return_much_of_it(_: Context, secret: str) -> object:
    return [secret + "x" * 1000] * 400


@way
def _return_what_is_no_json(_: Context, secret: str) -> object:
    return {secret: object()}


@way
def _say_it_as_progress(ctx: Context, secret: str) -> None:
    ctx.progress(0.5, f"with {secret}")
    ctx.progress(message="x" * 990 + secret)


def define(jp: Jobplane) -> None:
    """A `def` and an `async def` handler with all ways, and one in a process of its own."""

    @jp.job("give-away", max_attempts=1)
    def give_away(ctx: Context, way: str) -> object:
        return WAYS[way](ctx, ctx.secret(TOKEN))

    @jp.job("give-away-async", max_attempts=1)
    async def give_away_async(ctx: Context, way: str) -> object:
        return WAYS[way](ctx, ctx.secret(TOKEN))

    @jp.job("give-away-apart", max_attempts=1, isolation="process")
    def give_away_apart(ctx: Context, way: str) -> object:
        return WAYS[way](ctx, ctx.secret(TOKEN))

    @jp.job("tell", max_attempts=1)
    def tell(ctx: Context, reference: str) -> int:
        return len(ctx.secret(reference))

    @jp.job("tell-ours", max_attempts=1)
    def tell_ours(ctx: Context, note: str = "") -> int:
        return len(ctx.secret(TOKEN))


def find_leaks(text: str) -> list[str]:
    """The lines that show a part of a secret, also inside base64."""
    return [line[:300] for line in text.splitlines() if any(trace in line for trace in _traces())]


def _traces() -> Iterator[str]:
    yield from ("c4nary", '"quoted"', 'quoted\\"', "quoted%22", "end-é", "end-%C3", PIN)
    for value in (CANARY, PIN):
        for before in range(3):
            yield base64.b64encode(b"\0" * before + value.encode()).decode()[4:-4]
