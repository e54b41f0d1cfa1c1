"""A host whose answers were written down in the forms of the real `gh`, and what happens there.

`gh` is a program of its own in the PATH: it prints what stands in a folder, and notes how it was
called. Git talks to a real bare repository behind the same address.
"""

from __future__ import annotations

import json
import os
import shlex
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

from sparing.desk.office import open_office
from tests.engine.built import SATISFIED, Built, build, task, turn
from tests.repositories import git, write_files
from tests.terminal import Said

ADDRESS = "https://example.com/ada/gate.git"
PULL = "https://example.com/ada/gate/pull/7"
BRANCH = "feature/001-write-files"
RECORDED = Path(__file__).parent / "gh"
GH = f"""#!{sys.executable}
import pathlib, sys
here = pathlib.Path(__file__).parent.parent / "host"
with (here / "calls").open("a") as log:
    log.write(" ".join(sys.argv[1:]) + "\\n")
words = sys.argv[1:]
lines = "threads" if words[1] == "graphql" else "line_comments"
name = {{"pr": "pr_" + words[1], "api": lines, "run": "log_failed"}}[words[0]]
refusal = here / (name + ".refused")
if refusal.exists():
    code, _, said = refusal.read_text().partition("\\n")
    print(said, file=sys.stderr)
    sys.exit(int(code))
if name == "pr_create":
    (here / "pr_list").write_text('[{{"url": "{PULL}"}}]')
    (here / "body").write_text(sys.stdin.read())
    print("{PULL}")
else:
    print((here / name).read_text())
"""
FIXED = '''
[[turn]]
role = "implementer"
prompt = "Pull request #7, findings of"
reply = """
The file is as they want it.

## Findings
- `C1`: changed — the file is as the check wants it
- `C2`: changed — a capital and a full stop
- `C3`: changed — both
- `C4`: answered — the README says it already
- `C5`: answered — no reason is given
"""
[[turn.edit]]
path = "made.txt"
text = "Made.\\n"
'''
SCRIPT = FIXED + turn("1", {"made.txt": "made\n"}) + SATISFIED
TASKS = task("1", "Make the file", "made.txt")


class Host(NamedTuple):
    built: Built

    @property
    def folder(self) -> Path:
        return self.built.folder

    @property
    def repository(self) -> Path:
        return self.built.repository

    @property
    def remote(self) -> Path:
        return self.folder / "host.git"

    @property
    def worktree(self) -> Path:
        return open_office(
            self.repository, {"state.folder": str(self.folder / "state")}
        ).folder.worktree(self.built.row.feature.name)

    def sparing(self, *words: str, **more: str) -> Said:
        own = {
            "HOME": str(self.folder / "home"),
            "PATH": f"{self.folder / 'bin'}:{os.environ['PATH']}",
            "SPARING_COMMITS__POLL_SECONDS": "1",
        }
        return self.built.sparing(*words, **{**own, **more})

    def says(self, name: str, text: str) -> None:
        """At once: somebody may be reading it."""
        there = self.folder / "host" / name
        new = there.with_suffix(".new")
        new.write_text(text)
        new.replace(there)

    def refuses(self, name: str, code: int, said: str) -> None:
        self.says(f"{name}.refused", f"{code}\n{said}")

    def stands(self, *, quiet: bool = False, **fields: Any) -> None:
        """The pull request as recorded, at the commit that was pushed, with these fields."""
        head = git(self.remote, "rev-parse", BRANCH)
        view = json.loads((RECORDED / "pr_view.json").read_text().replace("HEAD", head))
        if quiet:
            view |= {"comments": [], "reviews": [], "statusCheckRollup": []}
        self.says("pr_view", json.dumps({**view, **fields}))
        lines = (RECORDED / "line_comments.json").read_text()
        self.says("line_comments", "[]" if quiet else lines)
        self.says("threads", (RECORDED / "threads.json").read_text())
        self.says("log_failed", (RECORDED / "log_failed.txt").read_text())

    def merged(self, how: str = "--no-ff") -> str:
        """By somebody else, in another clone."""
        git(self.folder, "clone", "--quiet", str(self.remote), str(self.folder / "colleague"))
        there = self.folder / "colleague"
        git(there, "merge", "--quiet", how, "-m", "Merge pull request #7", f"origin/{BRANCH}")
        if how == "--squash":
            git(there, "commit", "--quiet", "-m", "Make a file (#7)")
        git(there, "push", "--quiet", "origin", "main")
        commit = git(there, "rev-parse", "HEAD")
        by = {"login": "grace", "is_bot": False, "name": "Grace", "id": "U31"}
        self.stands(quiet=True, state="MERGED", mergedBy=by, mergeCommit={"oid": commit})
        return commit

    def calls(self) -> list[list[str]]:
        return [
            shlex.split(one) for one in (self.folder / "host" / "calls").read_text().splitlines()
        ]

    def refs(self) -> Mapping[str, str]:
        out = git(self.repository, "for-each-ref", "--format=%(refname) %(objectname)")
        return dict(line.split(" ", 1) for line in out.splitlines())


def host(folder: Path, script: str = SCRIPT, **settings: object) -> Host:
    """A feature with one task that ends as pull request #7."""
    built = build(folder, TASKS, script, None, workspace__hand_over="pull-request", **settings)
    git(folder, "clone", "--quiet", "--bare", str(built.repository), str(folder / "host.git"))
    git(built.repository, "remote", "add", "origin", ADDRESS)
    write_files(
        folder,
        {
            "home/.gitconfig": f'[url "{folder / "host.git"}"]\n\tinsteadOf = {ADDRESS}\n',
            "bin/gh": GH,
            "host/pr_list": "[]",
        },
    )
    (folder / "bin" / "gh").chmod(0o755)
    return Host(built)


def requested(folder: Path, script: str = SCRIPT, **settings: object) -> Host:
    """Its pull request is open, and nobody has said anything."""
    found = host(folder, script, **settings)
    said = found.sparing("run", "--yes")
    assert said.code == 0, said.err
    assert f"→ pull request {PULL}\n" in said.err
    found.stands(quiet=True)
    return found
