"""One feature of the demo in a folder of its own, and what must be true of it in the end.

Every command is a process, forked from one that has loaded the program. The scripted agents and
the counted clock make an undisturbed run end in the same commit each time; whatever is done to a
run, it has to end there too, with every turn in the books and none of them open.
"""

from __future__ import annotations

import os
import sqlite3
import subprocess
import sys
import tempfile
import time
from collections.abc import Generator, Mapping
from contextlib import closing, contextmanager
from functools import cache
from pathlib import Path
from typing import NamedTuple

from tests.repositories import git
from tests.terminal import QUICK, Said, sparing

FLOWS = ("feature", "L1", "L3")
COMMIT, TREE = "main", "main^{tree}"
"""What must be equal: a leg that was begun anew has another name in its commits."""
DONE = "there is nothing to run here"
"""What a run says if what was done to it came after its end."""
MOST_STARTS = 6
"""As often may a run have to be begun again after what was done to it."""


class Verdict(NamedTuple):
    good: bool
    words: str = ""


class Scene(NamedTuple):
    folder: Path
    flow: str

    @property
    def repository(self) -> Path:
        return self.folder / "kept" / "wordtally"

    @property
    def state(self) -> Path:
        return self.folder / "state"

    @property
    def environ(self) -> dict[str, str]:
        home = self.folder / "home"
        home.mkdir(exist_ok=True)
        identity = {"GIT_CONFIG_GLOBAL": os.devnull, "EMAIL": "chaos@example.com"}
        return {"HOME": str(home), "SPARING_STATE__FOLDER": str(self.state), **identity}

    @property
    def begins(self) -> tuple[str, ...]:
        tier = () if self.flow == "feature" else ("--tier", self.flow)
        return ("demo", "--keep", "kept", *tier)

    def first(self, **environ: str) -> Said:
        return sparing(self.folder, *self.begins, environ={**self.environ, **environ})

    def again(self, *words: str, **environ: str) -> Said:
        wanted = words or ("run", "--yes")
        return sparing(self.repository, *wanted, environ={**self.environ, **environ})

    def begin(self, environ: Mapping[str, str]) -> subprocess.Popen[bytes]:
        """A process of its own, in a group of its own: to be killed, or to be preloaded into."""
        started = self.begun
        if not started:
            self._clear()
        words = ("run", "--yes") if started else self.begins
        return subprocess.Popen(
            (sys.executable, "-m", "sparing", *words),
            cwd=self.repository if started else self.folder,
            env={**os.environ, **QUICK, **self.environ, **environ},
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
            start_new_session=True,
        )  # fmt: skip

    @property
    def database(self) -> Path | None:
        return next(self.state.glob("*/sparing.db"), None)

    @property
    def begun(self) -> bool:
        """Whether there is a feature; before that nothing is lost by beginning anew."""
        return self.repository.exists() and self.count("1", "features") > 0

    def count(self, where: str, table: str = "ledger") -> int:
        """Rows of the ledger; 0 as long as there is none."""
        if self.database is None:
            return 0
        try:
            with closing(sqlite3.connect(f"file:{self.database}?mode=ro", uri=True)) as connection:
                found = connection.execute(f"select count(*) from {table} where {where}")  # noqa: S608
                return int(found.fetchone()[0])
        except sqlite3.Error:
            return 0

    def finish(self, what: str = COMMIT) -> Verdict:
        """Go on without any trouble until it is done; then look."""
        said = Said(1, "", "never begun")
        words = ""
        for _ in range(MOST_STARTS):
            said = self.again() if self.begun else self._anew()
            if said.code == 0 or DONE in said.err:
                return self.look(what)._replace(words=words)
            # Every kill hit the same turn, so it asks before one more attempt.
            if RAISE in said.err:
                self.again("raise", "001", "--attempts", "12")
                words = "waited at its limit of attempts, and went on after the named command"
        return Verdict(False, f"does not go on: exit {said.code}: {said.err[-300:]}")

    def _anew(self) -> Said:
        """It died before there was a feature: nothing is lost by beginning again."""
        self._clear()
        return self.first()

    def _clear(self) -> None:
        """What a run left that was killed before it had a feature: the demo would refuse it."""
        subprocess.run(("rm", "-rf", str(self.folder / "kept"), str(self.state)), check=True)

    def look(self, what: str = COMMIT) -> Verdict:
        end, wanted = git(self.repository, "rev-parse", what), undisturbed(self.flow, what)
        if end != wanted:
            return Verdict(False, f"another end: {end[:10]}, not {wanted[:10]}")
        if open_turns := self.count("outcome = 'open'"):
            return Verdict(False, f"{open_turns} turns are still open in the books")
        if twice := self.count(PAID_TWICE):
            return Verdict(False, f"{twice} turns with a reply were paid again")
        if git(self.repository, "status", "--porcelain"):
            return Verdict(False, "the user's folder is not as it was")
        return Verdict(True)


RAISE = "sparing raise 001 --attempts 12"
PAID_TWICE = (
    "failure = '' and exists (select 1 from ledger l where l.dispatch = ledger.dispatch"
    " and l.template = ledger.template and l.attempt < ledger.attempt and l.failure = ''"
    " and l.outcome = 'known' and l.template not like 'repair%')"
)


@contextmanager
def scene(flow: str) -> Generator[Scene]:
    with tempfile.TemporaryDirectory(prefix="sparing-chaos-") as folder:
        yield Scene(Path(folder), flow)


@cache
def whole_seconds(flow: str) -> float:
    """How long a run takes here that nobody disturbs."""
    with scene(flow) as made:
        begin = time.perf_counter()
        said = made.first()
        assert said.code == 0, said.err
        return time.perf_counter() - begin


@cache
def undisturbed(flow: str, what: str = COMMIT) -> str:
    """Where a run ends that nobody disturbs."""
    with scene(flow) as made:
        said = made.first()
        assert said.code == 0, said.err
        return git(made.repository, "rev-parse", what)
