"""Whose tools a turn has, and what they are made of in a real worktree.

Covers: E7
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from sparing.agents.backend import EVERY_MODEL, Access, AgentCall
from sparing.agents.claude.backend import ClaudeBackend
from sparing.agents.claude.login import Login, LoginKind
from sparing.agents.claude.options import Setup
from sparing.clients.tool_mode import mode_of
from sparing.config.review import ReviewSettings
from sparing.config.settings import Settings
from sparing.config.spending import EconomySettings
from sparing.dispatch_policy import Policy
from sparing.records import tool_checks
from sparing.records.tool_checks import ToolCheckRow
from sparing.redact import Redactor
from sparing.runtime.own_tools import ToolSources, offer_tools, toolset
from sparing.runtime.surroundings import Surroundings
from sparing.segment import Segment, Volatility
from sparing.tool import ToolMode
from sparing.usage import Origin, Usage
from tests.agents.backends import MODEL, call
from tests.payment.spending import new_feature, surroundings
from tests.repositories import commit_files, git


@pytest.fixture
def around(tmp_path: Path) -> Surroundings:
    return surroundings(tmp_path)


def sources(around: Surroundings) -> ToolSources:
    return ToolSources(around.folder, around.database, around.repository)


def offered(
    around: Surroundings, mode: ToolMode, policy: Policy = Policy.ADAPTIVE
) -> ClaudeBackend:
    setup = Setup(Path("/c"), "2.1", around.folder.path, Login(LoginKind.API_KEY, "k"))
    backend = ClaudeBackend(setup)
    settings = Settings(economy=EconomySettings(tools=mode), review=ReviewSettings(policy=policy))
    offer_tools(backend, settings, sources(around))
    return backend


def check(reason: str, model: str, version: str = "2.1") -> ToolCheckRow:
    return ToolCheckRow(
        backend="claude",
        version=version,
        model=model,
        at=1.0,
        reason=reason,
        items=(("T1", not reason, "one exact edit"),),
        usage=Usage(1, 2, 3, 4, 5),
        origin=Origin.MEASURED,
        seconds=2.0,
    )


@pytest.mark.parametrize(
    ("mode", "readers", "writers"),
    [
        (ToolMode.CLIENT, False, frozenset[str]()),
        (ToolMode.LOOK, True, frozenset[str]()),
        (ToolMode.OWN, True, frozenset({EVERY_MODEL})),
        (ToolMode.AUTO, True, frozenset[str]()),
    ],
)
def test_who_has_them(
    around: Surroundings, mode: ToolMode, readers: bool, writers: frozenset[str]
) -> None:
    """E7: without a check, `auto` gives writers the client's."""
    can = offered(around, mode).capabilities
    assert (can.own_readers, can.own_writers) == (readers, writers)
    assert can.base_of(writes=False) == (435 if readers else 2_200)
    assert can.base_of(writes=True, model=MODEL) == (360 if writers else 5_400)


def test_writers_after_the_check(around: Surroundings) -> None:
    """E7: by client, version and model; the newest answer counts."""
    with around.database.write() as tx:
        for row in (
            check("", "good"),
            check("T2: no", "bad"),
            check("", "older", version="2.0"),
            check("", "changed"),
            check("T5: no", "changed"),
        ):
            tool_checks.put(tx, row)
    can = offered(around, ToolMode.AUTO).capabilities
    assert can.own_writers == {"good"}
    sets = [can.own_tools(writes=True, model=one) for one in ("good", "bad", "older", "changed")]
    assert (sets, can.own_tools(writes=False, model="bad")) == (["own", "", "", ""], "look")


@pytest.mark.parametrize("policy", [one for one in Policy if one is not Policy.ADAPTIVE])
def test_none_under_policies_that_are_compared_with(around: Surroundings, policy: Policy) -> None:
    """E7: they keep what they always had."""
    can = offered(around, ToolMode.OWN, policy).capabilities
    assert (can.own_readers, can.own_writers) == (False, frozenset())
    assert mode_of(Settings(review=ReviewSettings(policy=policy))) is ToolMode.CLIENT


def test_a_backend_that_can_t_is_left_alone(around: Surroundings) -> None:
    """E7: the scripted one has no tools at all."""
    row = new_feature(around, 1)
    row = replace(row, overrides={**row.overrides, "economy.tools": "own"})
    assert not around.backend(row).capabilities.own_readers


def test_the_worktree_s_files(around: Surroundings, tmp_path: Path) -> None:
    """E7, H5: tracked and new ones, nothing that git ignores; redacted; touched lines known."""
    files = {".gitignore": "out/\n", "src/a.py": "x = 1\n"}
    commit_files(around.repository.checkout, files, "Add files")
    row = new_feature(around, 1)
    head = git(around.repository.checkout, "rev-parse", "HEAD")
    worktree = around.worktree(row, head)
    for name, text in (("new.py", "x = 2\n"), ("out/b.py", "x = 3\n")):
        (worktree.path / name).parent.mkdir(exist_ok=True)
        (worktree.path / name).write_text(text)
    folder = replace(around.folder, redactor=Redactor(["correct-horse-battery"]))
    (worktree.path / "new.py").write_text("x = 2\nkey = 'correct-horse-battery'\n")
    diff = "+++ b/src/a.py\n@@ -0,0 +1,1 @@\n+x = 1\n"
    turn = asked(worktree.path, prompt=(Segment("changes", diff, Volatility.ITERATION),))
    made = toolset(turn, sources(replace(around, folder=folder)))
    assert list(made.place.touched) == ["src/a.py"]
    found = made.answer("look", {"search": ["x ="], "read": ["new.py"], "outline": ["."]}).text
    assert "2\tkey = '[redacted]'" in found
    assert "src/a.py\n1\tx = 1\nnew.py\n1\tx = 2" in found
    assert "out/b.py" not in found
    assert ".gitignore\nREADME.md\nnew.py\nsrc/a.py" in found
    assert [spec.name for spec in made.specs] == ["look"]


def asked(cwd: Path, **changes: Any) -> AgentCall:
    return call(cwd, **{"access": Access.READ_ONLY, **changes})
