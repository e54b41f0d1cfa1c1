"""A finished branch becomes a pull request: one push, on consent, never forced.

The host is a bare repository that the user's own git configuration puts in the place of an
address; `gh` is a program on PATH that remembers what it was asked.

Covers: D6, H1, H2
"""

from __future__ import annotations

import json
import os
import shlex
import subprocess
import sys
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pytest

from sparing.workspace.git.config import Setting, pin
from sparing.workspace.git.push import (
    Opened,
    PullRequest,
    Remote,
    open_request,
    remote_named,
    remote_of,
)
from tests.repositories import git, make_repository, write_files
from tests.workspace.features import BRANCH, commit, make_worktree

URL = "https://example.com/ada/gate.git"
OPEN = "https://example.com/ada/gate/pull/7"
GH = """#!{python}
import json, os, sys
from pathlib import Path
log, asked = Path({log!r}), sys.argv[1:]
calls = json.loads(log.read_text()) if log.exists() else []
calls.append({{"argv": asked, "files": os.listdir("."), "body": sys.stdin.read()}})
log.write_text(json.dumps(calls))
made = any(call["argv"][:2] == ["pr", "create"] for call in calls[:-1])
if asked[:2] == ["pr", "list"]:
    print(json.dumps([{{"url": {url!r}}}] if made else []))
elif {login}:
    print("Creating pull request\\n" + {url!r})
else:
    sys.exit("To get started with GitHub CLI, please run:  gh auth login")
"""


@dataclass(frozen=True)
class Site:
    """A user's machine with a clone of a hosted repository in which a feature is done."""

    folder: Path
    checkout: Path
    host: Path
    environ: dict[str, str]

    def install_gh(self, login: bool = True) -> None:
        text = GH.format(python=sys.executable, log=str(self.log), url=OPEN, login=login)
        write_files(self.folder, {"bin/gh": text})
        (self.folder / "bin" / "gh").chmod(0o755)

    @property
    def log(self) -> Path:
        return self.folder / "asked.json"

    @property
    def asked(self) -> list[dict[str, Any]]:
        return json.loads(self.log.read_text())

    def open(self, *trusted: str) -> Opened:
        worktree = make_worktree(self.checkout)
        repo = replace(worktree.repository, trusted=frozenset(trusted))
        request = PullRequest("main", BRANCH, worktree.tip(), "It's a demo", "Why and how.\n")
        return open_request(repo, request, self.environ)

    def refs(self) -> dict[str, str]:
        lines = git(self.host, "for-each-ref", "--format=%(refname) %(objectname)").splitlines()
        return dict(line.split() for line in lines)


@pytest.fixture
def site(tmp_path: Path) -> Site:
    checkout, host, home = tmp_path / "gate", tmp_path / "host.git", tmp_path / "home"
    make_repository(checkout)
    git(tmp_path, "clone", "--quiet", "--bare", str(checkout), str(host))
    git(checkout, "remote", "add", "origin", URL)
    write_files(home, {".gitconfig": f'[url "{host}"]\n\tinsteadOf = {URL}\n'})
    worktree = make_worktree(checkout)
    write_files(worktree.path, {"feature.txt": "done\n"})
    commit(worktree)
    path = os.pathsep.join((str(tmp_path / "bin"), "/usr/local/bin", "/usr/bin", "/bin"))
    return Site(tmp_path, checkout, host, {"PATH": path, "HOME": str(home)})


def test_with_gh_the_branch_is_pushed_and_a_pull_request_opened(site: Site) -> None:
    """D6: that one branch to its own name; `gh` stands in an empty folder."""
    site.install_gh()
    git(site.checkout, "tag", "mine")
    base = git(site.checkout, "rev-parse", "main")
    assert site.open() == Opened(OPEN, True, f"pull request {OPEN}", ())
    tip = git(site.checkout, "rev-parse", BRANCH)
    assert site.refs() == {"refs/heads/main": base, f"refs/heads/{BRANCH}": tip}
    looked, made = site.asked
    assert looked["argv"][:2] == ["pr", "list"]
    where = ["--repo", "example.com/ada/gate", "--head", BRANCH]
    more = ["--base", "main", "--title", "It's a demo", "--body-file", "-"]
    assert made == {"argv": ["pr", "create", *where, *more], "files": [], "body": "Why and how.\n"}


def test_played_again_it_finds_the_pull_request(site: Site) -> None:
    """H3: a step that is repeated after a crash opens no second one."""
    site.install_gh()
    first = site.open()
    assert site.open() == first
    assert [call["argv"][1] for call in site.asked] == ["list", "create", "list"]


def test_without_gh_the_branch_is_pushed_and_the_command_is_told(site: Site) -> None:
    """D6"""
    told = site.open()
    assert (told.url, told.pushed) == ("", True)
    assert told.note == f"{BRANCH} is pushed to origin; gh is not installed"
    assert told.commands == (
        f"gh pr create --repo example.com/ada/gate --base main --head {BRANCH}"
        " --title 'It'\"'\"'s a demo' --body 'Why and how.\n'",
    )
    assert f"refs/heads/{BRANCH}" in site.refs()


def test_a_text_that_is_kept_is_named_and_not_repeated(site: Site) -> None:
    """K1: a command of one line, and a text that can be changed before it is sent."""
    worktree = make_worktree(site.checkout)
    kept = site.folder / "my text.md"
    request = PullRequest("main", BRANCH, worktree.tip(), "t", "Why.\n", body_file=kept)
    (said,) = open_request(worktree.repository, request._replace(draft=True), site.environ).commands
    assert said.endswith(f" --title t --body-file '{kept}' --draft")


def test_gh_that_fails_is_quoted_and_the_push_stands(site: Site) -> None:
    site.install_gh(login=False)
    told = site.open()
    assert (told.url, told.pushed) == ("", True)
    assert told.note.endswith("gh says: To get started with GitHub CLI, please run:  gh auth login")


def test_a_host_that_is_gone_is_said_in_git_s_words_and_nothing_is_claimed(site: Site) -> None:
    """D6, K1: nothing is reported as pushed, and the commands to do it by hand are told."""
    site.host.rename(site.folder / "elsewhere.git")
    told = site.open()
    assert (told.url, told.pushed) == ("", False)
    assert told.note.startswith("git can't push: ")
    assert told.note != "git can't push: "
    assert told.commands[0] == f"git push origin refs/heads/{BRANCH}:refs/heads/{BRANCH}"


def test_another_branch_of_that_name_is_never_overwritten(site: Site) -> None:
    """D6: the push is not forced, and the commands that we tell force nothing either."""
    other = git(site.checkout, "commit-tree", "-m", "theirs", "main^{tree}")
    git(site.checkout, "push", "--quiet", str(site.host), f"{other}:refs/heads/{BRANCH}")
    told = site.open()
    assert not told.pushed
    assert told.note == f"origin has a different {BRANCH}, and Sparing never force-pushes"
    assert site.refs()[f"refs/heads/{BRANCH}"] == other
    assert told.commands[0] == f"git push origin refs/heads/{BRANCH}:refs/heads/{BRANCH}"


def test_hooks_of_the_repository_do_not_run(site: Site) -> None:
    """H2"""
    mark = site.folder / "mark"
    write_files(site.checkout / ".git" / "hooks", {"pre-push": f"#!/bin/sh\n: > {mark}\n"})
    (site.checkout / ".git" / "hooks" / "pre-push").chmod(0o755)
    git(site.checkout, "push", "--quiet", "--dry-run", str(site.host), "main")
    assert mark.exists()
    mark.unlink()
    assert site.open().pushed
    assert not mark.exists()


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("core.sshcommand", "PAYLOAD"),
        ("core.askpass", "PAYLOAD"),
        ("credential.helper", "!PAYLOAD"),
        ("remote.origin.receivepack", "PAYLOAD"),
        ("remote.origin.pushurl", "ext::PAYLOAD"),
        ("remote.origin.pushurl", "../evil.git"),
        ("url.../evil.git.pushinsteadof", "https://"),
        ("http.proxy", "http://localhost:1"),
        ("include.path", "../team.cfg"),
    ],
)
def test_what_the_repository_says_about_pushing_needs_trust(
    site: Site, key: str, value: str
) -> None:
    """H2: nothing is run, nothing is pushed; the commands are told instead."""
    payload, mark = site.folder / "payload", site.folder / "mark"
    payload.write_text(f"#!/bin/sh\n: > {mark}\n")
    payload.chmod(0o755)
    site.install_gh()
    before = site.refs()
    checkout = site.checkout
    worktree = make_worktree(checkout)
    tip = worktree.tip()
    git(checkout, "config", key, value.replace("PAYLOAD", str(payload)))
    told = open_request(
        worktree.repository, PullRequest("main", BRANCH, tip, "t", "b"), site.environ
    )
    assert (told.pushed, site.refs(), site.log.exists()) == (False, before, False)
    assert f"has {key}" in told.note
    assert not mark.exists()


def test_a_folder_to_push_to_that_was_trusted_is_used(site: Site) -> None:
    git(site.checkout, "remote", "set-url", "origin", "../host.git")
    assert "remote.origin.url" in site.open().note
    told = site.open(pin(Setting("remote.origin.url", "../host.git"), None))
    assert told.pushed
    assert told.note.endswith("gh is not installed")


def test_a_repository_without_a_remote(site: Site) -> None:
    git(site.checkout, "remote", "remove", "origin")
    told = site.open()
    assert told.note == "the repository has no remote to push to"
    git(site.checkout, "remote", "add", "origin", str(site.host))
    argv = shlex.split(told.commands[1])
    subprocess.run(argv, cwd=site.checkout, check=True, capture_output=True)
    assert f"refs/heads/{BRANCH}" in site.refs()


@pytest.mark.parametrize(
    ("url", "project"),
    [
        ("git@github.com:ada/gate.git", "github.com/ada/gate"),
        ("https://github.com/ada/gate", "github.com/ada/gate"),
        ("https://ada@github.com/ada/gate.git/", "github.com/ada/gate"),
        ("ssh://git@host.example:2222/ada/gate.git", "host.example/ada/gate"),
        ("https://host.example/group/sub/gate.git", ""),
        ("/srv/ada/gate.git", ""),
        ("srv/ada/gate", ""),
    ],
)
def test_the_project_is_read_from_the_address(url: str, project: str) -> None:
    assert Remote("origin", url).project == project


def test_the_base_decides_which_remote(site: Site) -> None:
    repo = make_worktree(site.checkout).repository
    upstream = Remote("upstream", "https://example.com/bob/gate.git")
    git(site.checkout, "remote", "add", *upstream)
    assert remote_of(repo, "main") == Remote("origin", URL)
    git(site.checkout, "config", "branch.main.remote", "upstream")
    assert remote_of(repo, "main") == upstream
    git(site.checkout, "config", "remote.pushDefault", "origin")
    assert remote_of(repo, "main") == Remote("origin", URL)
    git(site.checkout, "remote", "remove", "origin")
    assert remote_of(repo, "release") == upstream


def test_a_remote_by_its_name(site: Site) -> None:
    """What is pushed goes where pushes go; a name that nobody gave is none."""
    repo = make_worktree(site.checkout).repository
    assert remote_named(repo, "origin") == Remote("origin", URL)
    assert remote_named(repo, "other") is None
    git(site.checkout, "config", "remote.origin.pushurl", OPEN)
    assert remote_named(repo, "origin") == Remote("origin", OPEN)
