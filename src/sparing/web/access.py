"""Who may use the page: anyone who opened the login link that the terminal shows.

A link works once and is replaced by the next. It is exchanged for a cookie whose name and value
belong to this run of the server alone. None of it is written to a file or a log.
"""

from __future__ import annotations

import hmac
import secrets
import threading
from collections.abc import Callable
from urllib.parse import quote

TOKEN_BYTES = 32
MOST_SESSIONS = 64
"""When exceeded, the oldest session is logged out."""


class PageLogin:
    """Login links and sessions of one server. Safe to use from several threads."""

    def __init__(
        self, origin: str, person: str, announce: Callable[[str], None] = lambda _: None
    ) -> None:
        """`person` owns the server; `announce` is called with each login link, once it works."""
        self._person = person
        self.origin = origin
        self.cookie = f"sparing-{secrets.token_hex(4)}"
        self._announce = announce
        self._lock = threading.Lock()
        self._sessions: dict[str, int] = {}
        """Session tokens, with the number of the login that began each."""
        self._logins = 0
        self._token = secrets.token_urlsafe(TOKEN_BYTES)

    @property
    def host(self) -> str:
        return self.origin.partition("://")[2]

    @property
    def secure(self) -> bool:
        return self.origin.startswith("https://")

    @property
    def login_link(self) -> str:
        return f"{self.origin}/login?token={quote(self._token)}"

    def log_in(self, token: str) -> str | None:
        """A session in exchange for the current token; None for any other, including used ones."""
        with self._lock:
            if not hmac.compare_digest(token.encode(), self._token.encode()):
                return None
            self._token = secrets.token_urlsafe(TOKEN_BYTES)
            session = secrets.token_urlsafe(TOKEN_BYTES)
            self._logins += 1
            self._sessions[session] = self._logins
            for old in list(self._sessions)[:-MOST_SESSIONS]:
                del self._sessions[old]
        self._announce(self.login_link)
        return session

    def log_out(self, session: str) -> None:
        with self._lock:
            self._sessions.pop(session, None)

    def who(self, session: str) -> str:
        """Name of the person in a session, so that two browsers can be told apart."""
        with self._lock:
            number = self._sessions.get(session, 1)
        name = f"{self._person} on the page"
        return name if number == 1 else f"{name} (browser {number})"

    def is_session(self, session: str) -> bool:
        given = session.encode()
        with self._lock:
            known = list(self._sessions)
        # All are compared, so that the time it takes says nothing.
        return sum(hmac.compare_digest(given, one.encode()) for one in known) > 0
