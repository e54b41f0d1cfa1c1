"""`sparing review` with the real client in the sandbox, and the double as its model.

Covers: C14, E3, H1
"""

from __future__ import annotations

from pathlib import Path

from tests.repositories import commit_files, git, make_repository
from tests.terminal import sparing

SCRIPT = """
[[turn]]
role = "security-reviewer"
reply = '''{"approved": false, "summary": "One.", "findings": [
 {"severity": "blocker", "category": "injection", "location": "greet.py:1",
  "quote": "os.system(name)", "text": "The shell runs what a name says."}]}'''

[[turn]]
reply = '{"approved": true, "findings": [], "summary": "Fine. No external claims."}'
"""


def test_three_looks_share_what_they_are_given(tmp_path: Path) -> None:
    """E3, H1: one paid call each, with its row; a clone's branch against its remote's."""
    origin = make_repository(tmp_path / "origin", {"greet.py": "print('Hello')\n"})
    path = tmp_path / "clone"
    git(tmp_path, "clone", "--quiet", str(origin), str(path))
    git(path, "switch", "--quiet", "--create", "loud")
    commit_files(path, {"greet.py": "import os\nos.system(name)\n"}, "Greet louder")
    (tmp_path / "script.toml").write_text(SCRIPT)
    around = {
        "SPARING_AGENT__BACKEND": "claude-double",
        "SPARING_AGENT__SCRIPT": str(tmp_path / "script.toml"),
        "SPARING_STATE__FOLDER": str(tmp_path / "state"),
    }
    said = sparing(path, "review", "--yes", "--json", environ=around)
    assert said.code == 2, said.err
    shown = said.json
    assert [(one["file"], one["line"]) for one in shown["findings"]] == [("greet.py", 2)]
    assert [one["approved"] for one in shown["reviewers"]] == [True, True, False]
    assert shown["origin"] == "simulated"
    assert git(path, "status", "--porcelain") == ""
    assert git(path, "worktree", "list").count("\n") == 0
    spent = sparing(path, "cost", "--json", environ=around).json
    assert "review 1: Greet louder" in str(spent)
