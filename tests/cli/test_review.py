"""`sparing review`: the code reviewers on a branch or a pull request, without a feature.

Covers: C14, C19, E3, H1, K1
"""

from __future__ import annotations

import json
import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from sparing.audit.findings import place_of
from sparing.cli.main import main
from sparing.finding import Finding, Severity
from sparing.report.branch_review import BranchFinding, annotation_lines, sarif
from tests.guard import Guard
from tests.repositories import commit_files, git, make_repository

QUIET = "def greet(name):\n    return 'Hello, ' + name\n"
LOUD = "import os\n\n\ndef greet(name):\n    os.system('echo ' + name)\n    return name.upper()\n"
SCRIPT = r"""
[[turn]]
role = "security-reviewer"
prompt = "greet.py | +"
reply = '''{"approved": false, "summary": "A name reaches the shell.", "findings": [
 {"severity": "blocker", "category": "injection", "location": "src/greet.py:4",
  "quote": "os.system('echo ' + name)", "text": "The shell runs what a name says.",
  "suggestion": "print(name)"}]}'''

[[turn]]
role = "code-quality-reviewer"
prompt = "could not be read as a verdict"
reply = '{"approved": true, "findings": [], "summary": "Fine."}'

[[turn]]
role = "code-quality-reviewer"
reply = "It looks good to me."

[[turn]]
reply = '{"approved": true, "findings": [], "summary": "As asked. No external claims."}'
"""
GH = """#!/bin/sh
echo "$@" > "$(dirname "$0")/asked"
cat "$(dirname "$0")/answer.json"
"""


class Desk(NamedTuple):
    repository: Path
    folder: Path
    capture: pytest.CaptureFixture[str]

    def say(self, *words: str) -> tuple[int, str, str]:
        self.capture.readouterr()
        code = main(("review", *words))
        out, err = self.capture.readouterr()
        return code, out, err

    def json(self, *words: str) -> dict[str, Any]:
        return json.loads(self.say(*words, "--json", "--yes")[1])


@pytest.fixture
def desk(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> Desk:
    files = {"src/greet.py": QUIET, "Makefile": "test:\n\t! grep -q system src/greet.py\n"}
    repository = make_repository(tmp_path / "repository", files)
    git(repository, "switch", "--quiet", "--create", "loud")
    commit_files(repository, {"src/greet.py": LOUD}, "Greet louder")
    (tmp_path / "script.toml").write_text(SCRIPT)
    monkeypatch.setenv("SPARING_AGENT__BACKEND", "scripted")
    monkeypatch.setenv("SPARING_AGENT__SCRIPT", str(tmp_path / "script.toml"))
    monkeypatch.setenv("SPARING_STATE__FOLDER", str(tmp_path / "state"))
    monkeypatch.chdir(repository)
    return Desk(repository, tmp_path, capsys)


def stand_in(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A gh that says what stands in `answer.json` beside it."""
    gh = desk.folder / "bin" / "gh"
    gh.parent.mkdir()
    gh.write_text(GH)
    gh.chmod(0o755)
    monkeypatch.setenv("PATH", f"{gh.parent}:{os.environ['PATH']}")
    return gh


def test_facts_price_findings_and_nothing_written(desk: Desk, guard: Guard) -> None:
    """H1, C19, K1: checks before and after, the forecast and the bill, a table, exit 2; no file
    of the repository is touched, its `.git` included, and no worktree stays."""
    guard.watch(desk.repository)
    files = sorted(desk.repository.rglob("*"))
    code, out, err = desk.say("--yes")
    assert code == 2
    assert "loud against main" in out
    assert "checks    test red" in out
    assert "3 reviews by scripted: about $" in err
    assert "blocker   src/greet.py:5" in out
    assert "cost $0.0" in out
    assert "forecast $" in out
    assert sorted(desk.repository.rglob("*")) == files
    assert not list((desk.folder / "state").glob("*/worktrees/*"))
    assert main(("list",)) == 0
    assert "No features yet" in desk.capture.readouterr().out
    assert main(("cost",)) == 0
    assert "review 1: Greet louder" in desk.capture.readouterr().out


def test_as_json_with_a_reply_that_was_no_verdict(desk: Desk) -> None:
    """C14: one repair turn, whose cost counts; the line is that of what is quoted."""
    shown = desk.json(
        "--no-checks", "--role", "security-reviewer", "--role", "code-quality-reviewer"
    )
    assert shown["checks"] is None
    (finding,) = shown["findings"]
    assert (finding["file"], finding["line"], finding["verified"]) == ("src/greet.py", 5, True)
    approved = {one["role"]: one["approved"] for one in shown["reviewers"]}
    assert approved == {"security-reviewer": False, "code-quality-reviewer": True}
    assert shown["cost_usd"] == pytest.approx(sum(one["cost_usd"] for one in shown["reviewers"]))
    assert shown["origin"] == "simulated"


def test_sarif_and_annotations(desk: Desk) -> None:
    """K1: a file only where one is named; annotations are lines that a job's log is read for."""
    target = desk.folder / "found.sarif"
    role = ("--no-checks", "--role", "security-reviewer", "--yes")
    code, out, _ = desk.say(*role, "--annotations", "--sarif", str(target))
    assert code == 2
    line = "::error file=src/greet.py,line=5,title=security-reviewer/injection::"
    assert f"{line}The shell runs what a name says.%0Aprint(name)" in out
    (run,) = json.loads(target.read_text())["runs"]
    (result,) = run["results"]
    place = result["locations"][0]["physicalLocation"]
    assert (result["level"], result["ruleId"]) == ("error", "security-reviewer/injection")
    assert place["artifactLocation"]["uri"] == "src/greet.py"
    assert place["region"] == {"startLine": 5}


@pytest.mark.parametrize(
    ("words", "code", "what"),
    [
        (("--yes", "--base", "nowhere"), 64, "there is no branch or commit 'nowhere'"),
        (("--yes", "--base", "loud"), 64, "you are on loud: there is nothing to compare it with"),
        ((), 2, "needs your consent"),
        (("--yes", "--pr", "7"), 1, "pull request 7 can't be read"),
        (("--json", "--annotations"), 64, "can't be combined"),
    ],
)
def test_what_can_not_be_looked_at(desk: Desk, words: Sequence[str], code: int, what: str) -> None:
    """K1: two lines, and nothing was spent."""
    said = desk.say("--no-checks", *words)
    assert said[0] == code
    assert what in said[2]
    assert "\nfix: " in said[2]


def test_what_gh_can_not_read_is_checked_out_and_compared(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    """K1: with the branch that this repository's work starts from, whatever it is called."""
    git(desk.repository, "branch", "--move", "main", "trunk")
    monkeypatch.setenv("SPARING_WORKSPACE__BASE_BRANCH", "trunk")
    _, _, err = desk.say("--pr", "7", "--yes")
    command = "review --base trunk"
    by_hand = f"gh pr checkout 7; sparing {command}\n"
    assert err.endswith(f"fix: check it out and compare: {by_hand}"), err
    words = (*command.split()[1:], "--no-checks", "--role", "security-reviewer", "--yes")
    code, out, _ = desk.say(*words)
    assert (code, "loud against trunk" in out) == (2, True)


def test_a_cap_holds(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    """E3: exit 3, and no reviewer was sent."""
    monkeypatch.setenv("SPARING_CAPS__DAY_TOKENS", "10")
    code, _, err = desk.say("--yes", "--no-checks", "--role", "security-reviewer")
    assert code == 3
    assert "no verdict: budget" in err


def test_a_pull_request(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    """K1: read through gh alone; a commit that is not here yet is told with the way to get it."""
    head, base = (git(desk.repository, "rev-parse", name) for name in ("loud", "main"))
    git(desk.repository, "switch", "--quiet", "main")
    git(desk.repository, "remote", "add", "origin", "https://github.com/ada/greet.git")
    answer = {
        "baseRefName": "main", "baseRefOid": base, "body": "Names are too quiet.\r\n", "number": 7,
        "headRefName": "loud", "headRefOid": head, "state": "OPEN", "title": "Greet louder",
        "url": "https://github.com/ada/greet/pull/7",
    }  # fmt: skip
    gh = stand_in(desk, monkeypatch)
    (gh.parent / "answer.json").write_text(json.dumps(answer))
    shown = desk.json("--pr", "7", "--no-checks", "--role", "security-reviewer")
    assert shown["subject"] == {"name": "#7 loud", "base": "main", "since": base, "head": head}
    assert [one["severity"] for one in shown["findings"]] == ["blocker"]
    assert (
        (gh.parent / "asked")
        .read_text()
        .startswith("pr view 7 --repo github.com/ada/greet --json number,")
    )
    (gh.parent / "answer.json").write_text(json.dumps({**answer, "headRefOid": "0" * 40}))
    code, _, err = desk.say("--pr", "7", "--yes")
    assert code == 1
    assert "fix: git fetch origin pull/7/head main" in err


def test_a_pull_request_from_a_fork(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    """K1, H1: the command that is named fetches it from a bare remote; then it is reviewed, and
    no ref, branch or file of the repository changes. What is asked again is the same review."""
    remote, fork = desk.folder / "remote.git", desk.folder / "fork"
    git(desk.folder, "clone", "--quiet", "--bare", str(desk.repository), str(remote))
    git(desk.folder, "clone", "--quiet", "--branch", "loud", str(remote), str(fork))
    commit_files(fork, {"src/greet.py": LOUD + "# louder\n"}, "Greet louder still")
    git(fork, "push", "--quiet", "origin", "HEAD:refs/pull/7/head")
    head, base = git(fork, "rev-parse", "HEAD"), git(desk.repository, "rev-parse", "main")
    address = "https://github.com/ada/greet.git"
    git(desk.repository, "switch", "--quiet", "main")
    git(desk.repository, "remote", "add", "origin", address)
    gh = stand_in(desk, monkeypatch)
    answer = {
        "baseRefName": "main", "baseRefOid": base, "body": "", "number": 7, "state": "OPEN",
        "headRefName": "louder", "headRefOid": head, "title": "Greet louder still",
        "url": "https://github.com/ada/greet/pull/7",
    }  # fmt: skip
    (gh.parent / "answer.json").write_text(json.dumps(answer))
    code, _, err = desk.say("--pr", "7", "--no-checks")
    assert code == 1
    command = err.rpartition("fix: git ")[2].split()
    assert command == ["fetch", "origin", "pull/7/head", "main"]
    git(desk.repository, "-c", f"url.{remote}.insteadOf={address}", *command)
    before = git(desk.repository, "for-each-ref"), sorted(desk.repository.rglob("*"))
    code, _, err = desk.say("--pr", "7", "--no-checks", "--role", "security-reviewer")
    assert code == 2
    assert "fix: sparing review --pr 7 --role security-reviewer --no-checks --yes" in err
    code, out, _ = desk.say("--pr", "7", "--no-checks", "--role", "security-reviewer", "--yes")
    assert code == 2
    assert "#7 louder against main" in out
    assert "blocker   src/greet.py:5" in out
    assert (git(desk.repository, "for-each-ref"), sorted(desk.repository.rglob("*"))) == before


def test_places_and_escapes() -> None:
    """C19: the nearest line with the quote; a colon in a file's name does not end a property."""
    texts = {"a/b.py": "x\nsame\ny\nsame\n"}
    found = Finding(Severity.WARNING, "t", location="see ./a/b.py:5", quote="same")
    assert place_of(found, texts.get) == ("a/b.py", 4)
    assert place_of(Finding(Severity.WARNING, "t", location="Design, C1"), texts.get) == ("", 0)
    odd = BranchFinding(Severity.SUGGESTION, "50 %\nof it", ("r",), file="a:b,c.py", line=2)
    assert annotation_lines([odd]) == ["::notice file=a%3Ab%2Cc.py,line=2,title=r::50 %25%0Aof it"]
    placeless = BranchFinding(Severity.WARNING, "t", ("r",), location="Design")
    whole: Any = sarif([placeless], ["one file.py"], whole=False)
    place = whole["runs"][0]["results"][0]["locations"][0]["physicalLocation"]
    assert place == {"artifactLocation": {"uri": "one%20file.py", "uriBaseId": "%SRCROOT%"}}
