"""The routes of a table's pages: the operator page, the patrons' display, actions, signing on.

Source: D-32.
"""

from collections.abc import AsyncIterator, Callable
from http import HTTPStatus
from typing import Final
from urllib.parse import parse_qsl

from msgspec import Struct, json
from msgspec.structs import replace
from starlette.requests import Request
from starlette.responses import (
    HTMLResponse,
    PlainTextResponse,
    RedirectResponse,
    Response,
    StreamingResponse,
)
from starlette.routing import BaseRoute, Mount, Route
from starlette.staticfiles import StaticFiles

from controller.outlets.console.pages import page
from controller.outlets.console.pages.forms import action_values
from controller.outlets.console.pages.page import Viewer
from controller.outlets.console.security import Forbidden, read_body
from controller.outlets.console.sessions import TooManyAttempts, WebSession
from controller.outlets.console.stream import (
    BEAT,
    PATRON_STREAMS_MAX,
    TooManyStreams,
    event,
    first_words,
)
from controller.outlets.console.table_site import SignOnEnded, TableSite
from controller.outlets.control.act_rate import TooManyActs
from controller.outlets.control.action_texts import ActionTextError
from controller.outlets.control.requests import ActRequest
from controller.outlets.control.table_requests import REFUSALS, TableUnavailable
from controller.record.snapshot import Snapshot
from controller.rules.actions.declaration import SUPERVISORS, ActionError
from controller.system.messages.catalogue import languages, speaking, to_words
from controller.table.accounts.sign_on import SignOnSession
from foundation.message import message

# Who acts at the table's own screen where nobody has signed on: a claim, as a dealer's may be.
SCREEN: Final = "table screen"
_EVENTS: Final = "text/event-stream"
_FIELDS_MAX: Final = 64
_THEMES: Final = ("light", "dark")
_ALIVE: Final = event(b"1", "alive")
_ENDED: Final = event(b"1", "ended")
# What may be wrong with a form, beside what the table refuses.
_REFUSED: Final = (*REFUSALS, ActionTextError, TooManyAttempts)


class _PinCheck(Struct, frozen=True):
    """Signs a person on; called with whether the PIN came from the table's own screen."""

    people: SignOnSession
    name: str
    pin: str

    def __call__(self, own_screen: bool) -> str:
        return self.people.sign_on(self.name, self.pin, own_screen=own_screen)


class TablePages:
    """Answers the requests for the pages of one table."""

    def __init__(self, site: TableSite) -> None:
        self._site = site

    def routes(self) -> list[BaseRoute]:
        """The routes, relative to the prefix of the table."""
        static = StaticFiles(packages=[("controller.outlets.console", "static")])
        return [
            Route("/", self.operator),
            Route("/events", self.events),
            Route("/actions", self.actions),
            Route("/patrons", self.patrons),
            Route("/patrons/events", self.patrons_events),
            Route("/sign-on", self.sign_on_page),
            Route("/sign-on", self.sign_on, methods=["POST"]),
            Route("/sign-off", self.sign_off, methods=["POST"]),
            Route("/view", self.view, methods=["POST"]),
            Route("/act", self.act, methods=["POST"]),
            Mount("/static", static),
        ]

    # --- pages ------------------------------------------------------------------------------------

    async def operator(self, request: Request) -> Response:
        return await self._page(request, page.render_page)

    async def actions(self, request: Request) -> Response:
        return await self._page(request, page.render_actions)

    async def sign_on_page(self, request: Request) -> Response:
        session = self._site.session_for(request)
        viewer = await self._viewer(session)
        return await self._drawn(request, session, viewer, page.render_sign_on)

    async def patrons(self, request: Request) -> Response:
        """Results and roads are for everybody who sees the table."""
        viewer = self._patron(request)
        with speaking(viewer.language):
            snapshot = await self._site.snapshot()
            drawn = page.render_patrons(snapshot, viewer)
        return HTMLResponse(drawn)

    async def _page(
        self, request: Request, render: Callable[[Snapshot, Viewer, str], str]
    ) -> Response:
        session = self._site.session_for(request)
        if not await self._site.may_read(request, session):
            return self._see("sign-on")
        return await self._drawn(request, session, await self._viewer(session), render)

    async def _drawn(
        self,
        request: Request,
        session: WebSession,
        viewer: Viewer,
        render: Callable[[Snapshot, Viewer, str], str],
        status: int = HTTPStatus.OK,
    ) -> Response:
        with speaking(viewer.language):
            snapshot = await self._site.snapshot()
            drawn = await self._site.wait_for(lambda: render(snapshot, viewer, session.csrf))
        response = HTMLResponse(drawn, status)
        self._site.put_cookie(request, response, session)
        return response

    # --- streams ----------------------------------------------------------------------------------

    async def events(self, request: Request) -> Response:
        """The parts of the operator page that have changed, as they change."""
        session = self._site.session_of(request)
        await self._site.check_reader(request, session)
        viewer = await self._viewer(session)
        mark = page.sign_on_mark("" if session is None else session.csrf, viewer.role)
        # A browser that keeps no cookies has a new session for each page, and none here.
        if self._site.token_of(request) and request.query_params.get("of", mark) != mark:
            return Response(_ENDED, media_type=_EVENTS)

        def draw(snapshot: Snapshot) -> bytes:
            return json.encode(page.render_parts(snapshot, viewer))

        bodies = self._site.stream.subscribe(viewer, draw)
        bodies = self._site.while_signed_on(session, viewer.role, bodies)
        return _stream(bodies, viewer.language)

    async def patrons_events(self, request: Request) -> Response:
        viewer = self._patron(request)

        def draw(snapshot: Snapshot) -> bytes:
            return json.encode({"patrons": page.render_patrons_part(snapshot)})

        bodies = self._site.stream.subscribe(("patrons", viewer), draw, PATRON_STREAMS_MAX)
        return _stream(bodies, viewer.language)

    # --- forms ------------------------------------------------------------------------------------

    async def sign_on(self, request: Request) -> Response:
        form = await _form(request)
        session = self._site.check_form(
            request, self._site.session_of(request), form.get("csrf", "")
        )
        viewer = await self._viewer(session)
        try:
            with speaking(viewer.language):
                name, pin = form.get("by", "").strip(), form.get("pin", "")
                await self._site.sign_on(request, session, name, pin, beside=False)
        except _REFUSED as error:
            text = str(error)

            def again(snapshot: Snapshot, viewer: Viewer, csrf: str) -> str:
                return page.render_sign_on(snapshot, viewer, csrf, text)

            return await self._drawn(request, session, viewer, again, HTTPStatus.FORBIDDEN)
        response = self._see("")
        self._site.put_cookie(request, response, session)
        return response

    async def sign_off(self, request: Request) -> Response:
        form = await _form(request)
        session = self._site.check_form(
            request, self._site.session_of(request), form.get("csrf", "")
        )
        session.end_sign_on()
        return self._see("")

    async def view(self, request: Request) -> Response:
        """Choose language and theme, for this session."""
        form = await _form(request)
        session = self._site.check_form(
            request, self._site.session_of(request), form.get("csrf", "")
        )
        if form.get("language") in languages():
            session.language = form["language"]
        if form.get("theme") in _THEMES:
            session.theme = form["theme"]
        return self._see("")

    async def act(self, request: Request) -> Response:
        """Take an action. Who gives a name and a PIN with it signs on for it alone."""
        form = await _form(request)
        session = self._site.check_form(
            request, self._site.session_of(request), form.get("csrf", "")
        )
        in_place = "text/plain" in request.headers.get("accept", "")
        with speaking(session.language):
            status, text = await self._acted(request, session, form)
        if in_place or status is not HTTPStatus.OK:
            return PlainTextResponse(text, status)
        return self._see("")

    async def _acted(
        self, request: Request, session: WebSession, form: dict[str, str]
    ) -> tuple[HTTPStatus, str]:
        """The status and the words of the answer to an action."""
        try:
            action = form.pop("action", "")
            values = action_values(action, form)
            people = await self._who(request, session, form, values)
            # Who has signed on acts, whoever else gives a PIN with the form as the second person.
            by = form.get("by", "").strip() or session.sign_on.default_person()
            by = by or ("" if people.default_person() else SCREEN)
            wanted = ActRequest(action, by, None, form.get("reason", ""))
            await self._site.act(request, session, wanted, values, people)
        except TooManyActs as error:
            return HTTPStatus.TOO_MANY_REQUESTS, str(error)
        except TableUnavailable as error:
            return HTTPStatus.SERVICE_UNAVAILABLE, str(error)
        except (ActionError, ActionTextError) as error:
            return HTTPStatus.UNPROCESSABLE_ENTITY, str(error)
        except _REFUSED as error:
            return HTTPStatus.CONFLICT, str(error)
        return HTTPStatus.OK, to_words(message("console_on_record"))

    async def _who(
        self,
        request: Request,
        session: WebSession,
        form: dict[str, str],
        values: dict[str, object],
    ) -> SignOnSession:
        """Who acts: those who have signed on, and those who give their PIN with this action."""
        given = (
            (form.get("by", "").strip(), form.get("pin", "")),
            (str(values.get("second", "")), form.get("second_pin", "")),
        )
        people = session.sign_on.copy()
        for name, pin in given:
            if name and pin:
                await self._site.prove(request, _PinCheck(people, name, pin))
        return people

    # --- viewers ----------------------------------------------------------------------------------

    async def _viewer(self, session: WebSession | None) -> Viewer:
        site = self._site
        viewer = Viewer(site.language, base=site.base)
        if session is None:
            return viewer
        role = await site.role_of(session)
        viewer = replace(viewer, language=session.language, theme=session.theme, role=role)
        return await site.wait_for(lambda: self._with_people(viewer, session))

    def _with_people(self, viewer: Viewer, session: WebSession) -> Viewer:
        people = self._site.requests.people
        accounts, names = people.accounts(), people.names()
        deciding = (
            names.get(one.person, "") for one in accounts if one.person and one.role in SUPERVISORS
        )
        return replace(
            viewer,
            person="" if viewer.role is None else names.get(session.person, session.person),
            accounts=any(one.person for one in accounts),
            people=tuple(sorted(name for name in deciding if name)),
        )

    def _patron(self, request: Request) -> Viewer:
        language = request.query_params.get("language", self._site.language)
        if language not in languages():
            raise Forbidden(
                HTTPStatus.NOT_FOUND,
                f"language={language!r} is not one of this table. Allowed: {', '.join(languages())}"
                ". Remedy: choose one of them",
            )
        return Viewer(language, base=self._site.base)

    def _see(self, path: str) -> Response:
        return RedirectResponse(f"{self._site.base}{path}", HTTPStatus.SEE_OTHER)


def page_routes(site: TableSite) -> list[BaseRoute]:
    """The routes of one table's pages, relative to its prefix."""
    return TablePages(site).routes()


async def _form(request: Request) -> dict[str, str]:
    """The fields of a form. Raises Forbidden."""
    kind = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    if kind != "application/x-www-form-urlencoded":
        raise Forbidden(
            HTTPStatus.UNSUPPORTED_MEDIA_TYPE,
            "it is no form. Allowed: application/x-www-form-urlencoded. Remedy: use the page, or"
            " the API",
        )
    body = await read_body(request)
    try:
        return dict(parse_qsl(body.decode(), max_num_fields=_FIELDS_MAX, keep_blank_values=True))
    except ValueError as error:
        raise Forbidden(
            HTTPStatus.BAD_REQUEST,
            f"the form cannot be read. Allowed: UTF-8, at most {_FIELDS_MAX} fields. Remedy: load"
            " the page again",
        ) from error


def _stream(bodies: AsyncIterator[bytes], language: str) -> Response:
    return StreamingResponse(_changes(bodies, language), media_type=_EVENTS)


async def _changes(bodies: AsyncIterator[bytes], language: str) -> AsyncIterator[bytes]:
    """Events of what differs from what was sent before, part by part."""
    sent: dict[str, str] = {}
    yield first_words()
    try:
        while True:
            with speaking(language):
                body = await anext(bodies, None)
            if body is None:
                return
            if body == BEAT:
                yield _ALIVE
                continue
            parts = json.decode(body, type=dict[str, str])
            changed = {name: part for name, part in parts.items() if sent.get(name) != part}
            sent = parts
            if changed:
                yield event(json.encode(changed), "parts")
    except SignOnEnded:
        yield _ENDED
    except TooManyStreams:
        return
