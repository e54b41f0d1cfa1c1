"""Who the user is, by their own git configuration: a name, an email address, and how they sign.

Reading settings starts nothing. A program that signs is taken from the user's own files alone,
never from the repository's. A signature differs every time it is made, so a step that is replayed
must not sign again: the id of the signed commit is kept under the id of the same commit without a
signature, which is always the same.
"""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from sparing.errors import RepositoryError
from sparing.lazy_dataclass import lazy_dataclass
from sparing.workspace.git.special_files import read_plain

if TYPE_CHECKING:  # whoever only looks for our records runs no git
    from sparing.workspace.git.runner import Git

OWN_SCOPES = ("system", "global")
PROGRAMS = {"openpgp": "gpg", "x509": "gpgsm", "ssh": "ssh-keygen"}
_ID = re.compile(rb"[0-9a-f]{40,64}")
YES = ("true", "yes", "on", "1", "")
SIGNING = ("HOME", "PATH", "GNUPGHOME", "SSH_AUTH_SOCK", "XDG_RUNTIME_DIR", "GPG_TTY")
"""Variables by which a signing program finds its keys and asks for a password."""


class GitIdentity(NamedTuple):
    name: str
    email: str


SPARING = GitIdentity("Sparing", "sparing@localhost")


@lazy_dataclass
class GitUser:
    identity: GitIdentity | None = None
    signs: bool = False
    key: str = ""
    form: str = "openpgp"
    program: str = PROGRAMS["openpgp"]
    environ: tuple[tuple[str, str], ...] = ()
    """Environment variables for the signing program."""
    ignores: Path | None = None
    """The user's global gitignore file; it need not exist."""


NOBODY = GitUser()


def read_user(git_dir: Path, environ: Mapping[str, str]) -> GitUser:
    """`environ` says where the user's settings are, and what their signing program needs."""
    from sparing.workspace.git.runner import LOOK_SECONDS, start_git

    args = ("config", "--includes", "--list", "-z", "--show-scope")
    environment = {"LC_ALL": "C", **environ, "GIT_DIR": str(git_dir)}
    done = start_git(args, environment, git_dir, None, LOOK_SECONDS)
    if done.returncode != 0:
        raise RepositoryError(
            f"git can't read your settings: {os.fsdecode(done.stderr).strip()}",
            "git config --list --show-origin shows where",
        )
    every, own = _settings(done.stdout)
    name, email = (_plain(every.get(key, "")) for key in ("user.name", "user.email"))
    form = own.get("gpg.format", "openpgp")
    usual = own.get("gpg.program", "") if form == "openpgp" else ""
    return GitUser(
        identity=GitIdentity(name, email) if name and email else None,
        signs=own.get("commit.gpgsign", "false").lower() in YES and form in PROGRAMS,
        key=own.get("user.signingkey", ""),
        form=form,
        program=own.get(f"gpg.{form}.program", usual) or PROGRAMS.get(form, ""),
        environ=tuple((name, environ[name]) for name in SIGNING if name in environ),
        ignores=_ignores(every.get("core.excludesfile"), git_dir, environ),
    )


def _ignores(named: str | None, git_dir: Path, environ: Mapping[str, str]) -> Path | None:
    from sparing.workspace.git.runner import expanded_path

    home = environ.get("HOME")
    if named is None:
        usual = environ.get("XDG_CONFIG_HOME") or (f"{home}/.config" if home else None)
        return Path(usual) / "git" / "ignore" if usual else None
    if home and named.startswith("~/"):
        return Path(home) / named.removeprefix("~/")
    if named.startswith(("~", "%(")):
        return expanded_path("core.excludesFile", git_dir, environ)
    return Path(named) if named else None


def _settings(listing: bytes) -> tuple[dict[str, str], dict[str, str]]:
    """All settings, and those from the user's own files."""
    fields = os.fsdecode(listing).split("\0")
    every: dict[str, str] = {}
    own: dict[str, str] = {}
    for scope, entry in zip(fields[0::2], fields[1::2], strict=False):
        key, _, value = entry.partition("\n")
        every[key] = value
        if scope in OWN_SCOPES:
            own[key] = value
    return every, own


def _plain(text: str) -> str:
    """A name as git stores it: one line without angle brackets."""
    return " ".join("".join(c for c in text if c.isprintable() and c not in "<>").split())


@lazy_dataclass
class CommitSigner:
    key: str
    form: str
    program: str
    environ: tuple[tuple[str, str], ...]
    records: Path
    """A folder of ours that maps unsigned commits to signed ones."""


def signed_commit(
    git: Git,
    unsigned: str,
    args: tuple[str, ...],
    stdin: bytes,
    env: dict[str, str],
    signer: CommitSigner,
) -> str:
    from sparing.workspace.git.object_reader import object_id

    known = (read_plain(signer.records / unsigned) or b"").strip()
    if _ID.fullmatch(known) and object_id(git, known.decode()):
        return known.decode()
    program = "gpg.program" if signer.form == "openpgp" else f"gpg.{signer.form}.program"
    settings = (
        *("-c", f"gpg.format={signer.form}", "-c", f"{program}={signer.program}"),
        # Without a key git asks for the one of the committer; an empty one is nobody's.
        *(("-c", f"user.signingKey={signer.key}") if signer.key else ()),
    )
    own = dict(signer.environ)
    # Never from the folder we stand in.
    folders = own.get("PATH", "").split(os.pathsep)
    own["PATH"] = os.pathsep.join(folder for folder in folders if folder.startswith("/"))
    done = git.ask(*settings, "commit-tree", "-S", *args, stdin=stdin, env={**own, **env})
    if done.returncode != 0:
        raise RepositoryError(
            f"the commit can't be signed: {_reason(done.stderr)}",
            "unlock your key, then: sparing resume; or: sparing config set commits.sign never",
        )
    signed = os.fsdecode(done.stdout).strip()
    _record(signer.records / unsigned, signed)
    return signed


def _record(path: Path, signed: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    fresh = path.with_suffix(".new")
    fresh.write_text(f"{signed}\n")
    fresh.replace(path)


def _reason(stderr: bytes) -> str:
    said = os.fsdecode(stderr).splitlines()
    lines = [line.strip().removeprefix("error: ") for line in said if line.strip()]
    return "; ".join(lines[-2:])[:300] or "no reason given"
