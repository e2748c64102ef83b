"""The JSON API of one table, version 1: the control socket's requests over HTTP, and its document.

The document is made from the types of the bodies; docs/api/openapi.json is its committed form.
Source: RFC 6750 (bearer tokens); RFC 9457 (problems); OpenAPI Specification 3.1.1.
"""

import contextlib
import re
from collections.abc import AsyncIterator, Awaitable, Callable
from functools import cache
from http import HTTPStatus
from typing import Annotated, Any, Final, TypeAlias

from msgspec import Meta, Struct, json
from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response, StreamingResponse
from starlette.routing import BaseRoute, Mount, Route

from controller.journal.values import JournalError
from controller.outlets.console import security
from controller.outlets.console.security import BODY_BYTES_MAX, Forbidden
from controller.outlets.console.sessions import ATTEMPTS_S, TooManyAttempts, WebSession
from controller.outlets.console.stream import TooManyStreams, event, first_words
from controller.outlets.console.table_site import SignOnEnded, TableSite
from controller.outlets.control.act_rate import TooManyActs
from controller.outlets.control.answer_schema import Answer
from controller.outlets.control.declared_actions import NOT_BLANK, schema_of
from controller.outlets.control.requests import ActRequest
from controller.outlets.control.table_requests import ActRefused, TableUnavailable, declared_actions
from controller.record.snapshot import Snapshot
from controller.rules.actions.actions import ACTIONS
from controller.rules.actions.declaration import TEXT_LENGTH_MAX, ActionError, Role
from controller.system.json_document import JsonError, Secret, parse_json, schemas_of, typed
from controller.table.accounts.sign_on import AccountError

VERSION: Final = "1"
_REFERENCE: Final = "#/components/schemas/"
_PROBLEMS: Final = {
    400: "the body is not JSON",
    401: "nobody has signed on, or the token has ended",
    403: "the person may not do that, or it comes from a page of another origin",
    404: "there is no such resource",
    409: "the rules of the table refuse it: nothing was stored",
    413: f"the body has more than {BODY_BYTES_MAX} bytes",
    415: "the body is not said to be JSON",
    421: "the Host field names another server",
    422: "the body is not what the resource takes",
    429: "too many in a short time",
    503: "the table does not run, or as many follow it as may",
}
_READING: Final = (401, 421, 503)
_WRITING: Final = (400, 401, 403, 413, 415, 421, 422, 429, 503)
_TABLE: Final = {"name": {"default": "BAC-12", "description": "the table, of several"}}
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


class SignOnBody(Struct, frozen=True, forbid_unknown_fields=True):
    """Who signs on. Without `by` and `pin`, at the table's own screen alone, nobody does."""

    by: str = ""
    pin: Secret = ""


class SignOnAnswer(Struct, frozen=True):
    """The token of a session; nobody gets it again. `person` is empty where nobody signed on.

    The sign-on ends after so many `minutes` without an act.
    """

    token: str
    person: str
    role: Role | None
    minutes: int


class ActBody(Struct, frozen=True):
    """By whom and why; the values of the action stand beside."""

    by: Annotated[str, Meta(max_length=TEXT_LENGTH_MAX)] = ""
    role: Role | None = None
    reason: Annotated[str, Meta(max_length=TEXT_LENGTH_MAX)] = ""


class Problem(Struct, frozen=True, omit_defaults=True):
    """Why a request was not carried out, what is allowed, and what to do (RFC 9457)."""

    status: int
    title: str
    detail: str
    allowed: str = ""
    remedy: str = ""


class ActionList(Struct, frozen=True):
    """The actions, with the roles that may take them, their values and the schema of these."""

    actions: tuple[dict[str, Any], ...]


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


# --- the document ---------------------------------------------------------------------------------


@cache
def openapi_document() -> dict[str, Any]:
    """The document as plain values. Paths are relative to the table's own."""
    kinds = (SignOnBody, SignOnAnswer, ActBody, ActionList, Problem, Answer, Snapshot)
    schemas = schemas_of(kinds, _REFERENCE + "{name}")
    acts = {f"/actions/{name}": {"post": _act(name, schemas)} for name in ACTIONS}
    return {
        "openapi": "3.1.1",
        "info": {
            "title": "smartshoe",
            "version": VERSION,
            "description": "State and actions of one baccarat table; see docs/api.md.",
            "license": {"name": "Apache-2.0", "identifier": "Apache-2.0"},
        },
        "servers": [{"url": "/api/v1"}, {"url": "/tables/{name}/api/v1", "variables": _TABLE}],
        "security": [{"token": []}, {}],
        "paths": {
            "/openapi.json": {"get": _get("This document", {"type": "object"}, ())},
            "/sign-on": {"post": _sign_on()},
            "/sign-off": {"post": _sign_off()},
            "/snapshot": {"get": _get("The state of the table", _ref("Snapshot"), _READING)},
            "/stream": {"get": _stream()},
            "/actions": {"get": _get("The actions", _ref("ActionList"), (401, 421))},
            **acts,
        },
        "components": {
            "schemas": dict(sorted(schemas.items())),
            "securitySchemes": {"token": {"type": "http", "scheme": "bearer"}},
        },
    }


def _act(name: str, schemas: dict[str, Any]) -> dict[str, Any]:
    schema = _moved(schema_of(ACTIONS[name]), schemas)
    by = dict(schemas[ActBody.__name__]["properties"])
    if ACTIONS[name].reason_required:
        by["reason"] = {"type": "string", "maxLength": TEXT_LENGTH_MAX, "pattern": NOT_BLANK}
        schema["required"] = [*schema["required"], "reason"]
    schema["properties"] = {**by, **schema["properties"]}
    schema["additionalProperties"] = False
    about = {one: schema.pop(one) for one in ("title", "description") if one in schema}
    return {
        "operationId": name,
        "summary": about["title"],
        "description": about["description"],
        "requestBody": _body(schema),
        "responses": {
            "200": _answer("It is stored, with these conclusions", _ref("Answer")),
            **_problems((*_WRITING, 409)),
        },
    }


def _moved(schema: dict[str, Any], schemas: dict[str, Any]) -> dict[str, Any]:
    """The schema with its definitions among those of the document."""
    schema = _with_references(schema)
    schemas.update(schema.pop("$defs", {}))
    return schema


def _with_references(value: Any) -> Any:
    match value:
        case dict():
            return {key: _with_references(one) for key, one in value.items()}
        case list() | tuple():
            return [_with_references(one) for one in value]
        case str() if value.startswith("#/$defs/"):
            return _REFERENCE + value.removeprefix("#/$defs/")
        case _:
            return value


def _sign_on() -> dict[str, Any]:
    return {
        "operationId": "sign-on",
        "summary": "Sign on",
        "description": "Gives the token of a session. It ends with sign-off; the sign-on in it ends"
        " after some minutes without an act. With the token of a session a second person signs on"
        " beside the first, and the answer has the session's new token.",
        "security": [{}, {"token": []}],
        "requestBody": _body(_ref("SignOnBody")),
        "responses": {
            "200": _answer("The token", _ref("SignOnAnswer")),
            **_problems(_WRITING),
        },
    }


def _sign_off() -> dict[str, Any]:
    return {
        "operationId": "sign-off",
        "summary": "Sign off",
        "security": [{"token": []}],
        "responses": {
            "204": {"description": "The token is no longer one"},
            **_problems((401, 403, 421)),
        },
    }


def _stream() -> dict[str, Any]:
    return {
        "operationId": "stream",
        "summary": "The state of the table now and after each change",
        "description": "Server-sent events named `snapshot`, whose data is a snapshot. Changes in"
        " quick succession share one; a comment says every 15 s that the stream still is.",
        "responses": {
            "200": {
                "description": "Events, until the client, the table or the sign-on ends",
                "content": {"text/event-stream": {"schema": {"type": "string"}}},
            },
            **_problems(_READING),
        },
    }


def _get(summary: str, schema: dict[str, Any], problems: tuple[int, ...]) -> dict[str, Any]:
    return {
        "summary": summary,
        "responses": {"200": _answer(summary, schema), **_problems(problems)},
    }


def _ref(name: str) -> dict[str, Any]:
    return {"$ref": _REFERENCE + name}


def _body(schema: dict[str, Any]) -> dict[str, Any]:
    return {"required": True, "content": {"application/json": {"schema": schema}}}


def _answer(description: str, schema: dict[str, Any]) -> dict[str, Any]:
    return {"description": description, "content": {"application/json": {"schema": schema}}}


def _problems(statuses: tuple[int, ...]) -> dict[str, Any]:
    """Every operation may answer 405 to another method of its path."""
    described = {**_PROBLEMS, 405: "the resource does not take this method"}
    return {
        str(status): {
            "description": described[status],
            "content": {"application/problem+json": {"schema": _ref("Problem")}},
        }
        for status in sorted({*statuses, 405})
    }
