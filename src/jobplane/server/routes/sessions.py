"""Sessions: sign in with a browser, sign out, and links that sign in."""

from __future__ import annotations

from typing import Annotated, Final

from fastapi import APIRouter, Depends, Request, Response

from jobplane.server import cookies, shapes
from jobplane.server.entry import Known, origin_of, state_of
from jobplane.server.rendering import answer
from jobplane.server.routes.me import me_fields
from jobplane.server.shapes import SignInBody
from jobplane.server.state import State

router: Final = APIRouter(tags=["sessions"])


async def _sign_in_state(request: Request) -> State:
    """Before the body is looked at: who guesses is stopped, and who comes from another site."""
    state = state_of(request)
    cookies.require_own_site(request)
    state.sign_ins.spend(origin_of(request)[0])
    return state


@router.post("/session", operation_id="createSession", status_code=201, response_model=shapes.MeOut)
async def create_session(
    request: Request, body: SignInBody, state: Annotated[State, Depends(_sign_in_state)]
) -> Response:
    """Sign in with a key, or with a link that works once. Sets the cookie of a new session."""
    address, request_id = origin_of(request)
    caller, token = await state.sessions.sign_in(
        key=body.key, link=body.link, replaces=cookies.presented(request), address=address, request_id=request_id
    )
    response = answer(await me_fields(state, state.under_policy(caller)), 201)
    cookies.give(response, request, token, state.config.server_session_seconds)
    return response


@router.delete("/session", operation_id="endSession", status_code=204)
async def end_session(request: Request, caller: Known) -> Response:
    """Sign out here: end this session."""
    await state_of(request).sessions.sign_out(caller, cookies.presented(request) or "")
    return _signed_out(request)


@router.delete("/sessions", operation_id="endSessions", status_code=204)
async def end_sessions(request: Request, caller: Known) -> Response:
    """Sign out everywhere: end all sessions and links that came from the key of the caller."""
    await state_of(request).sessions.sign_out_everywhere(caller)
    return _signed_out(request)


@router.post("/session/links", operation_id="createSessionLink", status_code=201, response_model=shapes.LinkOut)
async def create_session_link(request: Request, caller: Known) -> Response:
    """Make a link that signs a browser in as the caller, once, within ten minutes."""
    link = await state_of(request).sessions.create_link(caller)
    return answer({"link": link.token.text, "path": link.path, "expires_at": link.expires_at}, 201)


def _signed_out(request: Request) -> Response:
    response = Response(status_code=204)
    cookies.take(response, request)
    return response
