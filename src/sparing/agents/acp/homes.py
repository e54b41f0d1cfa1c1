"""A folder for each session of an agent, so that a turn can be undone.

A turn works on a copy. If it succeeds, the copy replaces the session; else it is discarded, and the
session is unchanged. A fork is a copy with its own name, a keep-alive one that is not kept. No
agent sees the sessions of others.
"""

from __future__ import annotations

import re
import shutil
import time
import uuid
from dataclasses import dataclass
from pathlib import Path

from sparing.agents.session_lock import private_folder

SESSION = re.compile("[0-9a-f]{32}")
NAME = "session-name"
"""The file in a home with the agent's own name for the session."""
LEFT_SECONDS = 86_400.0
"""A turn that began this many seconds ago was killed."""


@dataclass(frozen=True, slots=True)
class Homes:
    folder: Path

    @property
    def desk(self) -> Path:
        """An empty folder in which an agent without its own tools runs."""
        return self.folder / "desk"

    def name_of(self, session: str) -> str:
        """The agent's own name for a session; empty if unknown."""
        latest = self._latest(session)
        try:
            return (latest / NAME).read_text("utf-8") if latest else ""
        except OSError:
            return ""

    def begin(self, session: str = "") -> Path:
        """Make a home for one turn, a copy of the session's."""
        private_folder(self.folder, "an agent")
        private_folder(self.desk, "an agent")
        turns = self.folder / "turns"
        private_folder(turns, "an agent")
        self._sweep(turns)
        home, latest = turns / uuid.uuid4().hex, self._latest(session)
        if latest is None:
            home.mkdir(mode=0o700)
        else:
            shutil.copytree(latest, home, symlinks=True)
            home.touch()
        return home

    def keep(self, home: Path, session: str, name: str) -> None:
        """After a successful turn, make its home the session."""
        (home / NAME).write_text(name, "utf-8")
        place, before = self.folder / "sessions" / session, self._numbers(session)
        private_folder(place, "an agent")
        home.rename(place / str(max(before, default=0) + 1))
        for number in before:
            self.drop(place / str(number))

    def drop(self, home: Path) -> None:
        shutil.rmtree(home, ignore_errors=True)

    def _latest(self, session: str) -> Path | None:
        numbers = self._numbers(session)
        return self.folder / "sessions" / session / str(max(numbers)) if numbers else None

    def _numbers(self, session: str) -> list[int]:
        if not SESSION.fullmatch(session):
            return []
        place = self.folder / "sessions" / session
        return [int(one.name) for one in place.glob("*") if one.name.isdigit()]

    def _sweep(self, turns: Path) -> None:
        oldest = time.time() - LEFT_SECONDS
        for home in turns.iterdir():
            if home.stat().st_mtime < oldest:
                self.drop(home)
