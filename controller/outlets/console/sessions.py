"""Sessions over HTTP: who signed on, for how long, and the token that is the only proof of it.

Source: OWASP Session Management Cheat Sheet.
"""

import base64
import hashlib
import os
from collections import Counter
from collections.abc import Callable, Collection
from typing import Final

from controller.outlets.control.act_rate import ActRate
from controller.outlets.control.table_requests import TableRequests
from controller.rules.actions.declaration import READERS
from controller.table.accounts.sign_on import SignOnSession, http_client
from firmware_bridge.transport.clock import now
from foundation.timestamp import Timestamp

COOKIE: Final = "smartshoe_session"
SESSIONS_MAX: Final = 128
# A session that nobody uses is forgotten; the sign-on of a person who may act ends much sooner.
UNUSED_S: Final = 12 * 3600
ATTEMPTS_MAX: Final = 10
ATTEMPTS_S: Final = 60
_ADDRESSES_MAX: Final = 1024
_TOKEN_BYTES: Final = 32
_NS_PER_S: Final = 1_000_000_000


class WebSession:
    """One browser or program: who signed on in it, and what its forms and acts are bound by.

    `csrf` stands in its forms; `theme` is light, dark, or empty for that of the machine. `token`
    is known where the session was just made, empty after that; `digest` is that of the token. A
    sign-on ends after `sign_on_s` without an act.
    """

    def __init__(
        self,
        sign_on: SignOnSession,
        language: str,
        sign_on_s: int,
        clock: Callable[[], Timestamp],
    ) -> None:
        self.sign_on = sign_on
        self.csrf = _random_text()
        self.language = language
        self.theme = ""
        self.acts = ActRate(clock)
        self.person = ""
        self.token = ""
        self.digest = b""
        self._clock = clock
        self.sign_on_s = sign_on_s
        self._used_ns = self._acted_ns = clock().monotonic_ns

    @property
    def signed_on(self) -> bool:
        """Whether a person has signed on, and the time has not run out."""
        return bool(self.person)

    def begin_sign_on(self, people: SignOnSession, person: str, sign_on_s: int) -> None:
        """These people have signed on, this person first."""
        self.sign_on, self.person, self.sign_on_s = people, person, sign_on_s
        self.acted()

    def acted(self) -> None:
        """The person did something: the time starts again."""
        self._acted_ns = self._clock().monotonic_ns

    def used(self) -> None:
        """It is used; a sign-on that was not used for acts for too long ends."""
        self._used_ns = self._clock().monotonic_ns
        if self.signed_on and self._used_ns - self._acted_ns >= self.sign_on_s * _NS_PER_S:
            self.end_sign_on()

    def end_sign_on(self) -> None:
        """Sign everybody off; the session stays."""
        self.sign_on.sign_off()
        self.person = ""

    @property
    def unused_ns(self) -> int:
        """For how long nobody has used it."""
        return self._clock().monotonic_ns - self._used_ns


class TooManyAttempts(Exception):
    """More sign-ons from one address than may be; the message says when to go on."""


class Sessions:
    """The sessions of one table; only digests of tokens are kept. For the event loop's thread."""

    def __init__(
        self,
        requests: TableRequests,
        *,
        language: str,
        sign_on_minutes: int,
        clock: Callable[[], Timestamp] = now,
    ) -> None:
        self._requests = requests
        self._language = language
        self._sign_on_s = sign_on_minutes * 60
        self._clock = clock
        self._sessions: dict[bytes, WebSession] = {}
        self._attempts: dict[tuple[str, bool], list[int]] = {}

    def new(self, address: str) -> WebSession:
        """A session of a client at this address; it counts once it is renewed."""
        people = self._requests.session(http_client(address))
        return WebSession(people, self._language, self._sign_on_s, self._clock)

    def begin(self, address: str) -> WebSession:
        """A new session of a client at this address; its `token` is given to the client once."""
        session = self.new(address)
        self.renew(session)
        return session

    def of(self, token: str) -> WebSession | None:
        """The session of this token, None if there is none (any more)."""
        session = self._sessions.get(_digest(token)) if token else None
        if session is None or session.unused_ns >= UNUSED_S * _NS_PER_S:
            return None
        session.used()
        return session

    def keep(self, digest: bytes) -> bool:
        """Use the session whose token has this digest; False once that is no longer one."""
        session = self._sessions.get(digest)
        if session is not None:
            session.used()
        return session is not None

    def sign_on(
        self, session: WebSession, name: str, pin: str, *, beside: bool, own_screen: bool
    ) -> str:
        """Sign a person on, `beside` those who have or in their place; the person's id.

        `own_screen`: the request comes from the table's own screen. May take the time of a hash,
        and any thread may do it. Raises AccountError.
        """
        people = session.sign_on.copy()
        if not beside:
            people.sign_off()
        person = people.sign_on(name, pin, own_screen=own_screen)
        first = session.person if beside and session.signed_on else person
        reads_only = first == person and people.known(person).role in READERS
        session.begin_sign_on(people, first, UNUSED_S if reads_only else self._sign_on_s)
        return person

    def renew(self, session: WebSession) -> None:
        """Give the session a new token and a new secret: whoever knew the old ones is out."""
        self.end(session)
        self._forget_unused()
        session.csrf, session.token = _random_text(), _random_text()
        session.digest = _digest(session.token)
        self._sessions[session.digest] = session

    def end(self, session: WebSession) -> None:
        """Forget the session."""
        self._sessions.pop(session.digest, None)

    def count_attempt(self, address: str, *, own_screen: bool) -> None:
        """Count a sign-on from this address. Raises TooManyAttempts.

        A proxy on this machine has the address of the table's own screen, and a count of its own.
        """
        at_ns, client = self._clock().monotonic_ns, (address, own_screen)
        if len(self._attempts) >= _ADDRESSES_MAX:
            self._attempts.pop(next(iter(self._attempts)))
        recent = [
            one for one in self._attempts.pop(client, []) if at_ns - one < ATTEMPTS_S * _NS_PER_S
        ]
        self._attempts[client] = recent
        if len(recent) >= ATTEMPTS_MAX:
            raise TooManyAttempts(
                f"sign-on: an address may try at most {ATTEMPTS_MAX} times in {ATTEMPTS_S} s."
                f" Remedy: wait for {ATTEMPTS_S} s, then repeat it"
            )
        recent.append(at_ns)

    def __len__(self) -> int:
        return len(self._sessions)

    def _forget_unused(self) -> None:
        for digest, one in tuple(self._sessions.items()):
            if one.unused_ns >= UNUSED_S * _NS_PER_S:
                del self._sessions[digest]
        while len(self._sessions) >= SESSIONS_MAX:
            self.end(_first_to_go(self._sessions.values()))


def _first_to_go(sessions: Collection[WebSession]) -> WebSession:
    """Who has signed on is the last to go; a client with many sessions pushes out its own."""
    of_client = Counter(one.sign_on.identified_by for one in sessions)
    return max(
        sessions,
        key=lambda one: (not one.signed_on, of_client[one.sign_on.identified_by], one.unused_ns),
    )


def _random_text() -> str:
    return base64.urlsafe_b64encode(os.urandom(_TOKEN_BYTES)).rstrip(b"=").decode()


def _digest(token: str) -> bytes:
    return hashlib.sha256(token.encode(errors="replace")).digest()
