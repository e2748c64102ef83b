"""Sessions over HTTP: who signed on, for how long, and the token that is the only proof of it.

Source: OWASP Session Management Cheat Sheet; controller/accounts/README.md.
"""

import base64
import hashlib
import os
from collections.abc import Callable
from typing import Final

from controller.accounts.sign_on import SignOnSession, http_client
from controller.control.act_rate import ActRate
from controller.control.table_requests import TableRequests
from firmware_bridge.timestamp import Timestamp
from firmware_bridge.transport.clock import now

COOKIE: Final = "smartshoe_session"
SESSIONS_MAX: Final = 128
# A session that nobody uses is forgotten; a sign-on in it ends much sooner.
UNUSED_S: Final = 12 * 3600
ATTEMPTS_MAX: Final = 10
ATTEMPTS_S: Final = 60
_ADDRESSES_MAX: Final = 1024
_TOKEN_BYTES: Final = 32
_NS_PER_S: Final = 1_000_000_000


class WebSession:
    """One browser or program: who signed on in it, and what its forms and acts are bound by.

    `csrf` stands in its forms; `theme` is light, dark, or empty for that of the machine. `token`
    is known where the session was just made, empty after that.
    """

    def __init__(
        self, sign_on: SignOnSession, language: str, clock: Callable[[], Timestamp]
    ) -> None:
        self.sign_on = sign_on
        self.csrf = _random_text()
        self.language = language
        self.theme = ""
        self.acts = ActRate(clock)
        self.person = ""
        self.token = ""
        self._clock = clock
        self._used_ns = self._acted_ns = clock().monotonic_ns

    @property
    def signed_on(self) -> bool:
        """Whether a person has signed on, and the time has not run out."""
        return bool(self.person)

    def acted(self) -> None:
        """The person did something: the time starts again."""
        self._acted_ns = self._clock().monotonic_ns

    def used(self, sign_on_s: float) -> None:
        """It is used; a sign-on that was not used for acts for so long ends."""
        self._used_ns = self._clock().monotonic_ns
        if self.signed_on and self._used_ns - self._acted_ns >= sign_on_s * _NS_PER_S:
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
        self._attempts: dict[str, list[int]] = {}

    def begin(self, address: str) -> WebSession:
        """A new session of a client at this address; its `token` is given to the client once."""
        self._forget_unused()
        session = WebSession(
            self._requests.session(http_client(address)), self._language, self._clock
        )
        self._put(session)
        return session

    def of(self, token: str) -> WebSession | None:
        """The session of this token, None if there is none (any more)."""
        session = self._sessions.get(_digest(token)) if token else None
        if session is None or session.unused_ns >= UNUSED_S * _NS_PER_S:
            return None
        session.used(self._sign_on_s)
        return session

    def sign_on(self, session: WebSession, name: str, pin: str) -> None:
        """Sign a person on; may take the time of a hash, and any thread may do it.

        Raises AccountError.
        """
        session.sign_on.sign_on(name, pin)
        session.person = session.sign_on.default_person() or session.person
        session.acted()

    def renew(self, session: WebSession) -> None:
        """Give the session a new token and a new secret: whoever knew the old ones is out."""
        self.end(session)
        session.csrf = _random_text()
        self._put(session)

    def end(self, session: WebSession) -> None:
        """Forget the session."""
        for digest, one in tuple(self._sessions.items()):
            if one is session:
                del self._sessions[digest]

    def count_attempt(self, address: str) -> None:
        """Count a sign-on from this address. Raises TooManyAttempts."""
        at_ns = self._clock().monotonic_ns
        if len(self._attempts) >= _ADDRESSES_MAX:
            self._attempts.pop(next(iter(self._attempts)))
        recent = [
            one for one in self._attempts.pop(address, []) if at_ns - one < ATTEMPTS_S * _NS_PER_S
        ]
        self._attempts[address] = recent
        if len(recent) >= ATTEMPTS_MAX:
            raise TooManyAttempts(
                f"sign-on: an address may try at most {ATTEMPTS_MAX} times in {ATTEMPTS_S} s."
                f" Remedy: wait for {ATTEMPTS_S} s, then repeat it"
            )
        recent.append(at_ns)

    def __len__(self) -> int:
        return len(self._sessions)

    def _put(self, session: WebSession) -> None:
        session.token = _random_text()
        self._sessions[_digest(session.token)] = session

    def _forget_unused(self) -> None:
        for digest, one in tuple(self._sessions.items()):
            if one.unused_ns >= UNUSED_S * _NS_PER_S:
                del self._sessions[digest]
        while len(self._sessions) >= SESSIONS_MAX:
            # Who has signed on is the last to go.
            items = self._sessions.items()
            oldest, _ = max(items, key=lambda item: (not item[1].signed_on, item[1].unused_ns))
            del self._sessions[oldest]


def _random_text() -> str:
    return base64.urlsafe_b64encode(os.urandom(_TOKEN_BYTES)).rstrip(b"=").decode()


def _digest(token: str) -> bytes:
    return hashlib.sha256(token.encode(errors="replace")).digest()
