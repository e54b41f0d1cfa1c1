"""Commands, kills and upgrades in any order: nothing is lost, paid twice or approved unseen.

Hypothesis draws what a person and the machine do to one small feature; every command is a real
one. A few short stories in `make test-long`, many and longer ones nightly.

Covers: A7, E2, H3, I1, I7
"""

from __future__ import annotations

import os
import sqlite3
import tempfile
from contextlib import closing
from pathlib import Path

import pytest
from hypothesis import HealthCheck, Phase, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from tests.engine.other_revision import record_under_another
from tests.engine.small import SCRIPT
from tests.repositories import git, make_repository
from tests.terminal import OWN_PROCESSES, Said, sparing

pytestmark = pytest.mark.long

KILLED = -9
POINTS = (
    "call:reserved", "call:answered", "call:end", "prepare:end", "commit:begin", "commit:end",
    "decide:end", "settle:begin", "settle:end", "open:end", "close:end", "check:end",
)  # fmt: skip
STAGES = ("plan", "implement", "done")
FREE = SCRIPT.replace("iteration = 1\n", "")
"""Also for whoever is rejected."""
TWICE = (
    "select dispatch from ledger where failure = '' and outcome = 'known'"
    " group by dispatch, template having count(*) > 1"
)


class Story(RuleBasedStateMachine):
    """One feature, from its start to wherever the commands lead."""

    @initialize()
    def start(self) -> None:
        self.folder = tempfile.TemporaryDirectory(prefix="sparing-story-")
        self.root = Path(self.folder.name)
        (self.root / "home").mkdir()
        (self.root / "script.toml").write_text(FREE)
        files = {"README.md": "# Sample\n", "Makefile": "test:\n\ttrue\n"}
        self.repository = make_repository(self.root / "repository", files)
        self.base = git(self.repository, "rev-parse", "main")
        self.heads: set[str] = set()
        self.written: set[str] = set()
        self.dead = False
        assert self.say("start", "Make a file", "--flow", "L1").code == 0

    def teardown(self) -> None:
        if hasattr(self, "folder"):
            self.folder.cleanup()

    def say(self, *words: str, **environ: str) -> Said:
        own = {
            "HOME": str(self.root / "home"),
            "SPARING_STATE__FOLDER": str(self.root / "state"),
            "SPARING_AGENT__BACKEND": "scripted",
            "SPARING_AGENT__SCRIPT": str(self.root / "script.toml"),
            "SPARING_CAPS__ATTEMPTS": "50",
        }
        said = sparing(self.repository, *words, environ={**own, **environ})
        assert "Traceback" not in said.err, said.err
        assert said.code in (0, 1, 2, KILLED), said.err
        if said.code == 1:
            assert [one.split(":")[0] for one in said.complaint[-2:]] == ["error", "fix"], said
        return said

    @property
    def state(self) -> Path:
        return next((self.root / "state").glob("*/sparing.db")).parent

    def asked(self, query: str) -> list[tuple[object, ...]]:
        with closing(sqlite3.connect(self.state / "sparing.db")) as connection:
            return connection.execute(query).fetchall()

    @property
    def branch(self) -> str:
        found = git(self.repository, "for-each-ref", "--format=%(refname)", "refs/heads/feature")
        return found.partition("\n")[0]

    def at_gate(self) -> bool:
        waiting = "select 1 from features where running = 0 and status = 'active'"
        return not self.dead and bool(self.asked(waiting))

    @rule()
    def run(self) -> None:
        assert self.say("run").code in (0, 2)
        self.dead = False

    @rule(point=st.sampled_from(POINTS))
    def kill(self, point: str) -> None:
        """The process dies there, or passes no such point and comes to its end."""
        self.dead = self.say("run", SPARING_ENGINE__CRASH_AT=point).code == KILLED

    @rule()
    def upgrade(self) -> None:
        if (self.state / "engine.db").exists():
            record_under_another(self.state)

    @rule()
    def approve(self) -> None:
        self.say("approve", "1")

    @rule()
    def reject(self) -> None:
        self.say("reject", "1", "name the file otherwise, please")

    @rule(stage=st.sampled_from(STAGES))
    def rerun(self, stage: str) -> None:
        self.say("rerun", "1", stage, "--yes")

    @rule(stage=st.sampled_from(STAGES), word=st.sampled_from(("skip", "back")))
    def jump(self, stage: str, word: str) -> None:
        self.say(word, "1", stage, "--yes")

    @rule(word=st.sampled_from(("pause", "resume")))
    def hold(self, word: str) -> None:
        self.say(word, "1")

    @rule(number=st.integers(0, 99), document=st.sampled_from(("", "plan")))
    def edit(self, number: int, document: str) -> None:
        """A person's own version of a document; where there is none to edit, two lines say so."""
        line = f"Written by hand, number {number}."
        editor = f"""sh -c 'echo "{line}" >> "$0"'"""
        said = self.say("edit", "1", *filter(None, [document]), EDITOR=editor)
        if "your version is commit" in said.err and document:
            self.written.add(f"{line}\n")

    @precondition(lambda self: bool(self.branch) and self.at_gate())
    @rule(number=st.integers(0, 99))
    def approve_and_edit_at_once(self, number: int) -> None:
        """A7: what was approved is what the gate showed, so the edit makes it ask again."""
        worktrees = list((self.state / "worktrees").glob("001*/docs/features/001*"))
        before = self.asked("select leg, generation from features")
        if not worktrees or self.say("approve", "1").code:
            return
        line = f"An edit, number {number}.\n"
        with (worktrees[0] / "notes.md").open("a") as file:
            file.write(line)
        assert self.say("run").code in (0, 2)
        texts = [str(one[0]) for one in self.asked("select text from events")]
        assert any("is void" in text for text in texts), (before, texts)
        self.written.add(line)

    @invariant()
    def no_turn_with_a_reply_is_paid_again(self) -> None:
        """E2: but the one that was under way when it died."""
        if hasattr(self, "root"):
            assert self.asked(TWICE) == []

    @invariant()
    def nothing_is_open_while_nobody_runs(self) -> None:
        if hasattr(self, "root") and not self.dead:
            assert self.asked("select dispatch from ledger where outcome = 'open'") == []

    @invariant()
    def every_commit_is_still_reachable(self) -> None:
        """H3: a rerun, a jump or a kill leaves what was there under some ref."""
        if not hasattr(self, "root"):
            return
        if self.branch:
            self.heads.add(git(self.repository, "rev-parse", self.branch))
        for head in self.heads:
            refs = git(self.repository, "for-each-ref", f"--contains={head}")
            assert refs, f"{head} is in no branch and under no ref"
        said = git(self.repository, "log", "--all", "-p", "--format=", "--", "*.md")
        assert all(f"+{line}" in f"{said}\n" for line in self.written)

    @invariant()
    def the_user_s_own_folder_is_theirs(self) -> None:
        if hasattr(self, "root") and not self.asked(
            "select 1 from features where status='completed'"
        ):
            assert git(self.repository, "rev-parse", "main") == self.base
            assert git(self.repository, "status", "--porcelain") == ""


Stories = Story.TestCase
Stories.settings = settings(
    max_examples=40 if OWN_PROCESSES or os.environ.get("PYTEST_STORIES") else 2,
    stateful_step_count=12 if OWN_PROCESSES or os.environ.get("PYTEST_STORIES") else 6,
    deadline=None,
    derandomize=not OWN_PROCESSES,
    phases=(Phase.explicit, Phase.generate),
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)
