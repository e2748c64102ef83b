"""What is served of one table over HTTP: its requests, sessions and stream, and who may ask.

Not: the pages (page_routes), the API (api).
"""

import asyncio
from collections.abc import AsyncIterator, Callable
from typing import TypeVar
from urllib.parse import quote

from starlette.requests import HTTPConnection, Request
from starlette.responses import Response

from controller.outlets.console import security
from controller.outlets.console.security import Forbidden
from controller.outlets.console.sessions import COOKIE, Sessions, WebSession
from controller.outlets.console.stream import SnapshotStream
from controller.outlets.console.table_parts import ConsolePart
from controller.outlets.control.answer_schema import Answer
from controller.outlets.control.requests import ActRequest
from controller.outlets.control.table_requests import TableUnavailable
from controller.record.snapshot import Snapshot
from controller.rules.actions.declaration import Role
from controller.table.accounts.sign_on import SignOnSession

ResultT = TypeVar("ResultT")


class SignOnEnded(Exception):
    """The sign-on with which a stream began is over, or another; the message says so."""


class TableSite:
    """One table as its pages and its API see it. For the event loop's thread, made on it.

    `prefix` is the path before its pages, empty for a table alone; `base` ends with a slash.
    """

    def __init__(self, part: ConsolePart, *, by_name: bool, tls: bool) -> None:
        self.requests = part.requests
        self.name = part.requests.table.name
        self.language = part.language
        self.hosts = part.hosts
        self._control_socket = part.control_socket
        self.tls = tls
        self.prefix = f"/tables/{self.name}" if by_name else ""
        self.base = f"/tables/{quote(self.name, safe='')}/" if by_name else "/"
        self.sessions = Sessions(
            part.requests, language=part.language, sign_on_minutes=part.sign_on_minutes
        )
        self.stream = SnapshotStream(part.requests)
        # By whether it is the table's own screen: guesses from elsewhere keep nobody waiting there.
        self._proofs = {True: asyncio.Lock(), False: asyncio.Lock()}

    def stop(self) -> None:
        """End the streams; from any thread."""
        self.stream.stop()

    # --- who asks ---------------------------------------------------------------------------------

    def session_of(self, request: HTTPConnection) -> WebSession | None:
        """The session of a browser, by its cookie."""
        return self.sessions.of(self.token_of(request))

    def token_of(self, request: HTTPConnection) -> str:
        """What a browser sent as the token of its session, known or not; empty without any."""
        return request.cookies.get(_cookie(request), "")

    def session_for(self, request: HTTPConnection) -> WebSession:
        """The session of a browser, a new one if it has none: `put_cookie` gives it out."""
        return self.session_of(request) or self.sessions.begin(security.address_of(request))

    def put_cookie(self, request: HTTPConnection, response: Response, session: WebSession) -> None:
        """Give a browser the token of a session that was just begun or renewed."""
        if not session.token:
            return
        response.set_cookie(
            _cookie(request),
            session.token,
            path=self.base,
            secure=self.tls,
            httponly=True,
            samesite="strict",
        )
        session.token = ""

    async def role_of(self, session: WebSession | None) -> Role | None:
        """The role of the person who signed on, None without one.

        By the account as it is now: whose account was removed or changed has not signed on.
        """
        if session is None or not session.signed_on:
            return None
        people, person = session.sign_on, session.person
        return await self.wait_for(lambda: people.known(person).role)

    async def may_read(self, request: HTTPConnection, session: WebSession | None) -> bool:
        """At the table's own screen anybody may read its state, elsewhere who signed on."""
        return self.is_local(request) or await self.role_of(session) is not None

    def is_local(self, request: HTTPConnection) -> bool:
        """Whether it comes from the table's own screen, as far as the machine can tell."""
        return security.is_local(request, self._control_socket)

    async def check_reader(self, request: HTTPConnection, session: WebSession | None) -> None:
        """Raises Forbidden unless the client may read the table's state."""
        if not await self.may_read(request, session):
            raise Forbidden(
                401,
                "nobody has signed on, and the request is not one of the table's own screen."
                " Allowed: who signs on with the PIN of an account of this table; programs of this"
                " machine whose account is in the group of the control socket. Remedy: sign on, or"
                " add the account of the screen to that group",
            )

    def check_form(self, request: Request, session: WebSession | None, given: str) -> WebSession:
        """The session of a form, which is its own. Raises Forbidden."""
        security.check_form(request, "" if session is None else session.csrf, given)
        if session is None:
            raise Forbidden(
                403,
                "the form is of no session that is known. Allowed: forms of pages loaded since the"
                " table has started. Remedy: load the page again, and repeat it",
            )
        return session

    async def sign_on(
        self, request: Request, session: WebSession, name: str, pin: str, *, beside: bool
    ) -> str:
        """Sign a person on, `beside` those who have or in their place; the person's id.

        The session gets a new token. Raises AccountError, JournalError and TooManyAttempts.
        """
        person = await self.prove(
            request,
            lambda own: self.sessions.sign_on(session, name, pin, beside=beside, own_screen=own),
        )
        self.sessions.renew(session)
        return person

    async def prove(self, request: HTTPConnection, call: Callable[[bool], ResultT]) -> ResultT:
        """The result of a call that checks a PIN; it receives whether this is the own screen.

        They are checked one at a time: those that wait for it leave the threads to others. Raises
        TooManyAttempts, and what the call raises.
        """
        own = self.is_local(request)
        self.sessions.count_attempt(security.address_of(request), own_screen=own)
        async with self._proofs[own]:
            return await self.wait_for(lambda: call(own))

    async def while_signed_on(
        self, session: WebSession | None, role: Role | None, bodies: AsyncIterator[bytes]
    ) -> AsyncIterator[bytes]:
        """The bodies of a stream that began with this role; it keeps its session in use.

        Raises SignOnEnded before the first body for which the sign-on is another.
        """
        digest = b"" if session is None else session.digest
        async for body in bodies:
            if session is not None and (
                not self.sessions.keep(digest) or await self.role_of(session) is not role
            ):
                raise SignOnEnded("the sign-on has ended, or is another. Remedy: sign on again")
            yield body

    # --- the table --------------------------------------------------------------------------------

    async def snapshot(self) -> Snapshot:
        """What people may see of the table now. Raises TableUnavailable before its first state."""
        if self.requests.table.published is None:
            raise TableUnavailable(
                "the table has not started yet. Remedy: repeat it in some seconds"
            )
        return await self.stream.newest()

    async def act(
        self,
        request: Request,
        session: WebSession,
        wanted: ActRequest,
        values: dict[str, object],
        people: SignOnSession | None = None,
    ) -> Answer:
        """Store an action of a session; waits until it is stored.

        `people`: who acts, where they are not those who have signed on in it.

        From another machine nobody acts for whom a name alone is given.

        Raises Forbidden for somebody on another machine who has not signed on, TooManyActs, and
        what TableRequests.act raises.
        """
        await self.check_reader(request, session)
        session.acts.count()
        who = (people or session.sign_on).copy(claims=self.is_local(request))
        answer = await self.wait_for(lambda: self.requests.act(who, wanted, values))
        session.acted()
        return answer

    async def wait_for(self, call: Callable[[], ResultT]) -> ResultT:
        """The result of a call that may wait for the table, a file or a hash."""
        return await asyncio.to_thread(call)


def _cookie(request: HTTPConnection) -> str:
    """The cookie of this server: browsers know no ports, and each table may have its own."""
    server = request.scope.get("server") or ("", 0)
    return f"{COOKIE}_{server[1]}"
