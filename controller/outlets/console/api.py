"""The JSON API of one table, version 1: the control socket's requests over HTTP.

Source: RFC 6750 (bearer tokens); RFC 9457 (problems).
"""

import contextlib
import re
from collections.abc import AsyncIterator, Awaitable, Callable
from http import HTTPStatus
from typing import Final, TypeAlias

from msgspec import json
from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response, StreamingResponse
from starlette.routing import BaseRoute, Mount, Route

from controller.journal.values import JournalError
from controller.outlets.console import security
from controller.outlets.console.api_bodies import ActBody, Problem, SignOnAnswer, SignOnBody
from controller.outlets.console.security import Forbidden
from controller.outlets.console.sessions import ATTEMPTS_S, TooManyAttempts, WebSession
from controller.outlets.console.stream import TooManyStreams, event, first_words
from controller.outlets.console.table_site import SignOnEnded, TableSite
from controller.outlets.control.act_rate import TooManyActs
from controller.outlets.control.requests import ActRequest
from controller.outlets.control.table_requests import ActRefused, TableUnavailable, declared_actions
from controller.record.snapshot import Snapshot
from controller.rules.actions.actions import ACTIONS
from controller.rules.actions.declaration import ActionError
from controller.system.json_document import JsonError, parse_json, typed
from controller.table.accounts.sign_on import AccountError

API: Final = "/api/v1"
JSON: Final = "application/json"
PROBLEM: Final = "application/problem+json"
_PARTS: Final = re.compile(r"(.*?)(?:[.:;]? Allowed: (.*?))?(?:[.:;]? Remedy: (.*))?", re.DOTALL)
_OBJECT: Final = "send an object as docs/api/openapi.json has it"
# By the first kind that fits.
_STATUS: Final[tuple[tuple[type[Exception], int], ...]] = (
    (TooManyActs, 429),
    (TooManyAttempts, 429),
    (JsonError, 422),
    (ActionError, 422),
    (SignOnEnded, 401),
    (AccountError, 403),
    (ActRefused, 409),
    (TooManyStreams, 503),
    (TableUnavailable, 503),
    (JournalError, 503),
)
_RETRY_S: Final = "1"

Call: TypeAlias = Callable[[Request, WebSession | None], Awaitable[Response]]


def api_routes(site: TableSite) -> list[BaseRoute]:
    """The API of one table, relative to its prefix."""
    api = _Api(site)
    routes = [
        Route("/openapi.json", api.endpoint(api.openapi)),
        Route("/sign-on", api.endpoint(api.sign_on), methods=["POST"]),
        Route("/sign-off", api.endpoint(api.sign_off), methods=["POST"]),
        Route("/snapshot", api.endpoint(api.snapshot)),
        Route("/stream", api.endpoint(api.stream)),
        Route("/actions", api.endpoint(api.actions)),
        Route("/actions/{name}", api.endpoint(api.act), methods=["POST"]),
    ]
    handlers = {HTTPException: _http_problem}
    return [Mount(API, Starlette(routes=routes, exception_handlers=handlers))]


class _Api:
    def __init__(self, site: TableSite) -> None:
        self._site = site

    def endpoint(self, call: Call) -> Callable[[Request], Awaitable[Response]]:
        """The call with its session, and what it raises as a problem."""

        async def answer(request: Request) -> Response:
            try:
                return await call(request, self._session_of(request))
            except Forbidden as error:
                return problem(error.status, str(error))
            except tuple(kind for kind, _ in _STATUS) as error:
                status = next(status for kind, status in _STATUS if isinstance(error, kind))
                answer = problem(status, str(error))
                if isinstance(error, TooManyAttempts):
                    answer.headers["Retry-After"] = str(ATTEMPTS_S)
                return answer

        return answer

    def _session_of(self, request: Request) -> WebSession | None:
        if request.method not in security.SAFE_METHODS:
            security.check_same_origin(request)
        token = security.bearer_token(request.headers)
        session = self._site.sessions.of(token)
        if token and session is None:
            raise Forbidden(
                401,
                "the token is that of no session. Allowed: one that sign-on gave, and that was"
                " used since. Remedy: sign on again",
            )
        return session

    async def openapi(self, _: Request, __: WebSession | None) -> Response:
        # Made for those who ask; nobody at a table does.
        from controller.outlets.console.openapi import openapi_document  # noqa: PLC0415

        return Response(json.encode(openapi_document()), media_type=JSON)

    async def sign_on(self, request: Request, session: WebSession | None) -> Response:
        body = typed(await _json_body(request), SignOnBody, _OBJECT)
        site, person, address = self._site, "", security.address_of(request)
        if body.by or body.pin or not site.is_local(request):
            session = session or site.sessions.new(address)
            person = await site.sign_on(request, session, body.by, body.pin, beside=True)
        else:
            session = site.sessions.begin(address)
        token, session.token = session.token, ""
        names, known = await site.wait_for(
            lambda: (site.requests.people.names(), session.sign_on.known(person))
        )
        minutes = session.sign_on_s // 60
        given = SignOnAnswer(token, names.get(person, person), known.role, minutes)
        return Response(json.encode(given), media_type=JSON)

    async def sign_off(self, _: Request, session: WebSession | None) -> Response:
        session = _required(session)
        session.end_sign_on()
        self._site.sessions.end(session)
        return Response(status_code=HTTPStatus.NO_CONTENT)

    async def snapshot(self, request: Request, session: WebSession | None) -> Response:
        await self._site.check_reader(request, session)
        snapshot = await self._site.snapshot()
        body = await self._site.wait_for(lambda: self._site.requests.named_json(snapshot))
        return Response(body, media_type=JSON)

    async def stream(self, request: Request, session: WebSession | None) -> Response:
        await self._site.check_reader(request, session)
        await self._site.snapshot()
        followed = self._site.stream.subscribe("api", self._rendered)
        role = await self._site.role_of(session)
        bodies = self._site.while_signed_on(session, role, followed)
        # The first one before the answer begins: too many streams are a status.
        first = await anext(bodies)

        async def events() -> AsyncIterator[bytes]:
            yield first_words() + first
            with contextlib.suppress(SignOnEnded):
                async for body in bodies:
                    yield body

        return StreamingResponse(events(), media_type="text/event-stream")

    def _rendered(self, snapshot: Snapshot) -> bytes:
        return event(self._site.requests.named_json(snapshot), "snapshot")

    async def actions(self, request: Request, session: WebSession | None) -> Response:
        await self._site.check_reader(request, session)
        return Response(json.encode({"actions": declared_actions().actions}), media_type=JSON)

    async def act(self, request: Request, session: WebSession | None) -> Response:
        name = request.path_params["name"]
        if name not in ACTIONS:
            raise HTTPException(HTTPStatus.NOT_FOUND)
        session = _required(session)
        plain = await _json_body(request)
        body = typed(plain, ActBody, _OBJECT)
        assert isinstance(plain, dict), "the body of an act is an object"
        known = ActBody.__struct_fields__
        values = {key: value for key, value in plain.items() if key not in known}
        wanted = ActRequest(name, body.by, body.role, body.reason)
        answer = await self._site.act(request, session, wanted, values)
        encoded = await self._site.wait_for(lambda: self._site.requests.encoded(answer))
        return Response(encoded, media_type=JSON)


def problem(status: int, text: str) -> Response:
    """A problem as JSON, from a text with its `Allowed:` and `Remedy:`."""
    found = _PARTS.fullmatch(text)
    assert found is not None, "every text fits"
    detail, allowed, remedy = (part or "" for part in found.groups())
    given = Problem(status, HTTPStatus(status).phrase, detail, allowed, remedy)
    again = (HTTPStatus.TOO_MANY_REQUESTS, HTTPStatus.SERVICE_UNAVAILABLE)
    headers = {"Retry-After": _RETRY_S} if status in again else {}
    if status == HTTPStatus.UNAUTHORIZED:
        headers["WWW-Authenticate"] = 'Bearer realm="smartshoe"'
    return Response(json.encode(given), status, headers, PROBLEM)


async def _http_problem(_: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException), "it is registered for them"
    texts = {
        HTTPStatus.NOT_FOUND: "there is no such resource. Allowed: the paths of docs/api.md."
        " Remedy: GET /api/v1/openapi.json shows them",
        HTTPStatus.METHOD_NOT_ALLOWED: "this resource does not take the method. Allowed: the one"
        " that the field Allow names. Remedy: use it",
    }
    answer = problem(error.status_code, texts.get(HTTPStatus(error.status_code), error.detail))
    answer.headers.update(error.headers or {})
    return answer


def _required(session: WebSession | None) -> WebSession:
    if session is None:
        raise Forbidden(
            401,
            "the request has no token. Allowed: `Authorization: Bearer TOKEN`. Remedy: POST"
            " /api/v1/sign-on gives a token",
        )
    return session


async def _json_body(request: Request) -> object:
    """Raises Forbidden for what is no JSON."""
    kind = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    if kind != JSON:
        raise Forbidden(
            415,
            f"the body is {kind or 'of no type'}. Allowed: {JSON}. Remedy: say so in Content-Type",
        )
    try:
        return parse_json(await security.read_body(request), _OBJECT)
    except JsonError as error:
        raise Forbidden(400, str(error)) from error
