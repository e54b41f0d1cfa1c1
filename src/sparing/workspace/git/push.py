"""Takes a finished branch to the host it came from: one push, and a pull request by `gh`.

The only part of the product that pushes a branch. It is called with a person's consent, pushes one
branch to its own name and never forces. How to reach the host is the user's business (their own git
configuration, keys and logins count here); what the repository's settings say about it counts only
if it was trusted. Hooks do not run. `gh` is started in an empty folder, because it would start git
in its current one.
"""

from __future__ import annotations

import json
import os
import re
import shlex
import shutil
import subprocess
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NamedTuple, cast

from sparing.wait import waiting
from sparing.workspace.git.config import Effect, Setting, effect_of, is_hosted, pin
from sparing.workspace.git.process import overriding
from sparing.workspace.git.repository import Repository
from sparing.workspace.git.runner import GitFailed, start_git

LIMIT_SECONDS = 120.0
_FIXED = (
    Setting("core.hooksPath", os.devnull),
    Setting("core.fsmonitor", "false"),
    Setting("gc.auto", "0"),
    Setting("maintenance.auto", "false"),
    Setting("protocol.ext.allow", "never"),
    Setting("submodule.recurse", "false"),
    Setting("push.gpgSign", "false"),
)
UPLOAD_PACK = "--upload-pack=git-upload-pack"
"""For everything that reads from a remote: else `remote.*.uploadpack` names the program."""
_URL = re.compile(r"(?:\w[\w+]*://)?(?:[^@/]+@)?([\w.-]+)(?::\d+/|[:/])(.+?)/?")


class PullRequest(NamedTuple):
    """The content of a pull request."""

    base: str
    branch: str
    commit: str
    """Exactly what is pushed, wherever the branch points."""
    title: str
    body: str
    draft: bool = False
    body_file: Path | None = None
    """Where the body can be read and edited before a person opens the pull request by hand."""


class Remote(NamedTuple):
    name: str
    url: str

    @property
    def project(self) -> str:
        """`host/owner/name`, as `gh` wants it; empty if the address has no such form."""
        found = _URL.fullmatch(self.url) if is_hosted(self.url) else None
        path = found[2].removesuffix(".git") if found else ""
        return f"{found[1]}/{path}" if found and path.count("/") == 1 else ""


class Opened(NamedTuple):
    url: str
    """Empty if there is no pull request."""
    pushed: bool
    note: str
    commands: tuple[str, ...]
    """What a person types to continue."""


def open_request(repo: Repository, request: PullRequest, environ: Mapping[str, str]) -> Opened:
    """Push the branch and open a pull request; a replay finds the one that is open."""
    remote = remote_of(repo, request.base)
    if remote is None:
        note = "the repository has no remote to push to"
        return Opened("", False, note, ("git remote add origin URL", *_by_hand(request, None)))
    if fault := refused_settings(repo, remote) or _push(repo, request, remote, environ):
        return Opened("", False, fault, _by_hand(request, remote))
    gh = shutil.which("gh", path=environ.get("PATH", ""))
    commands = _by_hand(request, remote)[1:]
    if gh is None or not remote.project:
        why = (
            "gh is not installed" if gh is None else f"{remote.url} is not an address that gh knows"
        )
        return Opened("", True, f"{request.branch} is pushed to {remote.name}; {why}", commands)
    url, fault = _ask(gh, request, remote, environ)
    if fault:
        return Opened("", True, f"{request.branch} is pushed, gh says: {fault}", commands)
    return Opened(url, True, f"pull request {url}", ())


def remote_of(repo: Repository, base: str) -> Remote | None:
    """The remote the base branch is pushed to, else `origin`, else the only one there is."""
    settings = {setting.key: setting.value for setting in repo.checkout_git().settings()}
    urls = {
        key.removeprefix("remote.").removesuffix(".url"): value
        for key, value in settings.items()
        if key.startswith("remote.") and key.endswith(".url")
    }
    keys = (f"branch.{base}.pushremote", "remote.pushdefault", f"branch.{base}.remote")
    wanted = [*(settings.get(key, "") for key in keys), "origin"]
    wanted += list(urls) if len(urls) == 1 else []
    name = next((name for name in wanted if name in urls), None)
    if name is None:
        return None
    return Remote(name, settings.get(f"remote.{name}.pushurl") or urls[name])


def remote_named(repo: Repository, name: str) -> Remote | None:
    settings = {setting.key: setting.value for setting in repo.checkout_git().settings()}
    url = settings.get(f"remote.{name}.pushurl") or settings.get(f"remote.{name}.url")
    return Remote(name, url) if url else None


def refused_settings(repo: Repository, remote: Remote) -> str:
    """The error if untrusted settings of the repository would decide how we push; else empty."""
    for setting in repo.checkout_git().settings():
        of_another = setting.key.startswith("remote.") and not setting.key.startswith(
            f"remote.{remote.name}."
        )
        trusted = pin(setting, None) in repo.trusted
        acts = effect_of(setting) in (Effect.PUSH, Effect.REFUSED)
        if acts and not of_another and not trusted:
            key = f"{setting.key}, which decides how Sparing pushes"
            return f"the repository's git configuration has {key}: sparing trust"
    return ""


def outward(repo: Repository, environ: Mapping[str, str]) -> dict[str, str]:
    """The environment in which git may reach a remote, with the user's own configuration."""
    folders = environ.get("PATH", "").split(os.pathsep)
    return {
        **environ,
        # Helpers of the user's own, such as one for logins; never from the folder we stand in.
        "PATH": os.pathsep.join(folder for folder in folders if folder.startswith("/")),
        "LC_ALL": "C",
        "GIT_DIR": str(repo.git_dir),
        "GIT_TERMINAL_PROMPT": "0",
        "GIT_ALLOW_PROTOCOL": "file:git:http:https:ssh",
        **overriding(_FIXED),
    }


def _push(
    repo: Repository, request: PullRequest, remote: Remote, environ: Mapping[str, str]
) -> str:
    """Push one branch to its own name; returns what went wrong, or an empty string."""
    branch = request.branch
    target = f"{request.commit}:refs/heads/{branch}"
    # Said on the command line, because settings could say otherwise.
    flags = ("--no-verify", "--no-follow-tags", "--no-signed", "--recurse-submodules=no")
    program = "--receive-pack=git-receive-pack"
    env = outward(repo, environ)
    argv = ("--bare", "push", "--quiet", *flags, program, "--", remote.name, target)
    try:
        done = start_git(argv, env, repo.checkout, None, LIMIT_SECONDS)
    except GitFailed as error:
        return f"git can't push: {error.stderr}"
    if done.returncode == 0:
        return ""
    said = os.fsdecode(done.stderr)
    if "[rejected]" in said or "non-fast-forward" in said:
        return f"{remote.name} has a different {branch}, and Sparing never force-pushes"
    return f"git can't push: {last_line(said)}"


def _ask(
    gh: str, request: PullRequest, remote: Remote, environ: Mapping[str, str]
) -> tuple[str, str]:
    """The URL of the pull request, and the error of `gh`; one of them is empty."""
    where = ("--repo", remote.project, "--head", request.branch)
    listing = ("pr", "list", *where, "--state", "open", "--json", "url", "--limit", "1")
    listed = run_gh((gh, *listing), environ, "")
    if listed.returncode == 0 and (url := _first_url(listed.stdout)):
        return url, ""
    more = ("--base", request.base, "--title", request.title, "--body-file", "-", *_draft(request))
    made = run_gh((gh, "pr", "create", *where, *more), environ, request.body)
    url = made.stdout.strip().rpartition("\n")[2]
    if made.returncode != 0 or not url.startswith("https://"):
        return "", last_line(made.stderr) or f"exit code {made.returncode}"
    return url, ""


def run_gh(
    argv: Sequence[str], environ: Mapping[str, str], stdin: str
) -> subprocess.CompletedProcess[str]:
    with tempfile.TemporaryDirectory(prefix="sparing-") as folder:
        calm = {"GH_PROMPT_DISABLED": "1", "GH_NO_UPDATE_NOTIFIER": "1", "NO_COLOR": "1"}
        above = {"GIT_CEILING_DIRECTORIES": str(Path(folder).parent)}
        try:
            with waiting(" ".join(argv[:3]), LIMIT_SECONDS):
                return subprocess.run(
                    argv, cwd=folder, env={**environ, **calm, **above}, input=stdin,
                    capture_output=True, text=True, timeout=LIMIT_SECONDS,
                    start_new_session=True, check=False,
                )  # fmt: skip
        except subprocess.TimeoutExpired:
            return subprocess.CompletedProcess(argv, 1, "", f"no end after {LIMIT_SECONDS:g} s")


def _first_url(text: str) -> str:
    try:
        found: object = json.loads(text)
    except (ValueError, RecursionError):
        return ""
    rows = cast("list[object]", found) if isinstance(found, list) else []
    first = cast("dict[str, object]", rows[0]) if rows and isinstance(rows[0], dict) else {}
    return str(first.get("url", ""))


def _by_hand(request: PullRequest, remote: Remote | None) -> tuple[str, ...]:
    ref = f"refs/heads/{request.branch}"
    push = ("git", "push", remote.name if remote else "origin", f"{ref}:{ref}")
    where = ("--repo", remote.project) if remote and remote.project else ()
    ask = ("gh", "pr", "create", *where, "--base", request.base, "--head", request.branch)
    file = request.body_file
    body = ("--body-file", str(file)) if file else ("--body", request.body)
    words = ("--title", request.title, *body, *_draft(request))
    return shlex.join(push), shlex.join((*ask, *words))


def _draft(request: PullRequest) -> tuple[str, ...]:
    return ("--draft",) if request.draft else ()


def last_line(said: str) -> str:
    """The last line that is not blank."""
    return next((line.strip() for line in reversed(said.splitlines()) if line.strip()), "")[:300]
