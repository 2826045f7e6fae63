"""Answers of lists: a page, and the address of the next one in `Link`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated, Any, TypeVar
from urllib.parse import quote, urlencode

from fastapi import Depends, Request, Response

from jobplane.core.paging import Page
from jobplane.server.rendering import Fields, answer, page_fields
from jobplane.server.unchanged import answer_unless

Item = TypeVar("Item")


class Pages:
    """The pages of the list that a request asks for."""

    def __init__(self, request: Request) -> None:
        self._request = request

    def answer(
        self, page: Page[Item, Any], show: Callable[[Item], Fields], cursor: str | None, **more: object
    ) -> Response:
        """One page; `cursor` is where the next one begins. `more` are fields beside those that every page has."""
        return answer({**page_fields(page, show, cursor), **more}, headers=self.link(cursor))

    def answer_unless(
        self,
        seen: str | None,
        page: Page[Item, Any],
        show: Callable[[Item], Fields],
        cursor: str | None,
        **more: object,
    ) -> Response:
        """The same with an ETag, or 304 where the caller has seen it."""
        return answer_unless(seen, {**page_fields(page, show, cursor), **more}, self.link(cursor))

    def link(self, cursor: str | None) -> dict[str, str]:
        """The header of a page that is not the last: the same request with the next cursor."""
        if cursor is None:
            return {}
        asked = self._request.query_params.multi_items()
        query = [(name, value) for name, value in asked if name not in ("cursor", "offset")]
        return {"Link": f'<{quote(self._path())}?{urlencode([*query, ("cursor", cursor)])}>; rel="next"'}

    def _path(self) -> str:
        """As the client sees it: a proxy may have taken the root path away."""
        path, root = self._request.scope["path"], self._request.scope.get("root_path", "")
        return path if path.startswith(f"{root}/") else root + path


Listing = Annotated[Pages, Depends()]
