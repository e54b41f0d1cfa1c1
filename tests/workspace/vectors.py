"""Ways in which a repository makes git run a program, as data: how to plant one, what fires it.

The program is `site.payload`: it leaves a mark and copies its input, so that it can stand for a
filter too. Numbers above 24 are variants that we thought of ourselves.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from tests.repositories import commit_files, git, make_repository, write_files


@dataclass(frozen=True)
class Site:
    """A repository with a planted vector, and the mark that must never appear."""

    checkout: Path
    payload: Path
    mark: Path

    def git(self, *args: str, stdin: bytes = b"") -> str:
        return git(self.checkout, *args, stdin=stdin, ok=False)

    def set(self, key: str, value: str = "") -> None:
        git(self.checkout, "config", key, value or str(self.payload))

    def attributes(self, line: str) -> None:
        commit_files(self.checkout, {".gitattributes": f"{line}\n"}, "attributes")

    def edit(self) -> None:
        write_files(self.checkout, {"README.md": "# Edited\n"})

    def hook(self, name: str, folder: str = ".git/hooks") -> None:
        place = self.checkout / folder / name
        place.parent.mkdir(exist_ok=True)
        place.symlink_to(self.payload)


Act = Callable[[Site], object]


@dataclass(frozen=True)
class Vector:
    number: int
    title: str
    plant: Act
    fire: Act
    """What makes plain git run the program: the proof that it was planted right."""
    refused: str = ""
    """The setting that we refuse; empty if the work goes on with the program switched off."""

    def __str__(self) -> str:
        return f"{self.number}-{self.title}"


def make_site(folder: Path) -> Site:
    folder.mkdir(parents=True, exist_ok=True)
    payload, mark = folder / "payload", folder / "mark"
    payload.write_text(f"#!/bin/sh\n: > {mark}\ntimeout 0.3 cat\n")
    payload.chmod(0o755)
    return Site(make_repository(folder / "r", {"README.md": "# Sample\n"}), payload, mark)


def _commit(site: Site) -> None:
    site.edit()
    site.git("commit", "--quiet", "-a", "-m", "x")


def _checkout(site: Site) -> None:
    site.git("worktree", "add", "--quiet", "--detach", str(site.checkout.parent / "w"))


def _remote(site: Site, url: str) -> None:
    site.set("remote.o.url", url)
    site.set("remote.o.fetch", "+refs/heads/*:refs/remotes/o/*")


def _with_filter(kind: str) -> Act:
    def plant(site: Site) -> None:
        # The attribute comes first: then the files in history were stored without the filter.
        site.attributes("*.md filter=x")
        site.set(f"filter.x.{kind}")

    return plant


def _with_diff(key: str) -> Act:
    def plant(site: Site) -> None:
        site.attributes("*.md diff=x")
        site.set(key)
        site.edit()

    return plant


def _husky(site: Site) -> None:
    site.hook("pre-commit", ".husky")
    site.set("core.hooksPath", ".husky")


def _include(site: Site) -> None:
    write_files(site.checkout, {"team.cfg": f"[core]\n\tfsmonitor = {site.payload}\n"})
    site.set("include.path", "../team.cfg")


def _include_if(site: Site) -> None:
    write_files(site.checkout, {"team.cfg": f"[core]\n\tfsmonitor = {site.payload}\n"})
    site.set("includeIf.onbranch:main.path", "../team.cfg")


def _sign(site: Site) -> None:
    site.set("commit.gpgSign", "true")
    site.set("gpg.program")


def _ssh(site: Site) -> None:
    site.set("core.sshCommand")
    _remote(site, "ssh://host.invalid/r")


def _ext(site: Site) -> None:
    site.set("protocol.ext.allow", "always")
    _remote(site, f"ext::{site.payload}")


def _uploadpack(site: Site) -> None:
    _remote(site, str(site.checkout))
    site.set("remote.o.uploadpack")


def _driver(site: Site) -> None:
    site.attributes("*.md merge=x")
    site.set("merge.x.driver", f"{site.payload} %A")


def _merge_other(site: Site) -> None:
    site.git("switch", "--quiet", "-c", "other")
    commit_files(site.checkout, {"README.md": "# Other\n"}, "other")
    site.git("switch", "--quiet", "main")
    commit_files(site.checkout, {"README.md": "# Main\n"}, "main")
    site.git("merge", "--quiet", "other")


def make_evil_repository(folder: Path, payload: Path) -> Path:
    make_repository(folder, {"README.md": "# Evil\n", ".gitattributes": "*.md filter=x\n"})
    for key in ("core.fsmonitor", "filter.x.clean", "filter.x.smudge", "filter.x.process"):
        git(folder, "config", key, str(payload))
    return folder


def _repoint(site: Site) -> None:
    """In a linked worktree, as an agent would; the test does the same to ours."""
    evil = make_evil_repository(site.checkout.parent / "evil", site.payload)
    _checkout(site)
    write_files(site.checkout.parent / "w", {".git": f"gitdir: {evil / '.git'}\n"})


def _embedded(site: Site) -> None:
    evil = make_evil_repository(site.checkout / "fixtures", site.payload)
    for entry in sorted((evil / ".git").iterdir()):
        entry.rename(evil / entry.name)
    (evil / ".git").rmdir()
    git(site.checkout, "config", "-f", str(evil / "config"), "core.worktree", str(evil))


def _gitlink(site: Site) -> None:
    make_evil_repository(site.checkout / "inner", site.payload)
    site.git("-c", "advice.addEmbeddedRepo=false", "add", "inner")
    site.git("commit", "--quiet", "-m", "gitlink")


def _promisor(site: Site) -> None:
    """A partial clone fetches what is missing by itself, from a remote of its own choice."""
    _uploadpack(site)
    site.set("extensions.partialClone", "o")
    site.set("remote.o.promisor", "true")
    site.set("core.repositoryFormatVersion", "1")


def _missing_object(site: Site) -> None:
    site.git("cat-file", "-p", "1" * 40)


def _worktree_config(site: Site) -> None:
    site.attributes("*.md filter=x")
    site.set("extensions.worktreeConfig", "true")
    site.git("config", "--worktree", "filter.x.clean", str(site.payload))


def _almost_lfs(site: Site) -> None:
    """A filter whose name only begins like the one that is approved."""
    site.attributes("*.md filter=lfs.x")
    site.set("filter.lfs.x.clean")


def _verify(site: Site) -> None:
    site.set("merge.verifySignatures", "true")
    site.set("gpg.program")


def _merge_signed(site: Site) -> None:
    signed = site.git("cat-file", "commit", "HEAD").replace(
        "\n\n", "\ngpgsig -----BEGIN PGP SIGNATURE-----\n \n -----END PGP SIGNATURE-----\n\n", 1
    )
    text = signed.replace("\ncommitter", f"\nparent {site.git('rev-parse', 'HEAD')}\ncommitter")
    commit = site.git("hash-object", "-t", "commit", "-w", "--stdin", stdin=text.encode())
    site.git("merge", "--ff-only", commit)


def _touch_and(*args: str) -> Act:
    def fire(site: Site) -> None:
        # Same size, other time: git must look at the content, through the filter.
        os.utime(site.checkout / "README.md", (1, 1))
        site.git(*args)

    return fire


def _runs(*args: str, stdin: bytes = b"") -> Act:
    return lambda site: site.git(*args, stdin=stdin)


_HOST = b"protocol=https\nhost=example.invalid\n\n"

VECTORS = (
    Vector(1, "hook pre-commit", lambda s: s.hook("pre-commit"), _commit),
    Vector(2, "hook post-checkout", lambda s: s.hook("post-checkout"), _checkout),
    Vector(3, "hook on refs", lambda s: s.hook("reference-transaction"), _runs("branch", "b")),
    Vector(4, "core.hooksPath", _husky, _commit),
    Vector(5, "core.fsmonitor", lambda s: s.set("core.fsmonitor"), _runs("status")),
    Vector(6, "include", _include, _runs("status"), "include.path"),
    Vector(7, "clean on add", _with_filter("clean"), _commit, "filter.x.clean"),
    Vector(8, "clean on status", _with_filter("clean"), _touch_and("status"), "filter.x.clean"),
    Vector(9, "process", _with_filter("process"), _touch_and("diff"), "filter.x.process"),
    Vector(10, "smudge", _with_filter("smudge"), _checkout, "filter.x.smudge"),
    Vector(11, "diff.external", _with_diff("diff.external"), _runs("diff")),
    Vector(12, "diff command", _with_diff("diff.x.command"), _runs("diff")),
    Vector(13, "diff textconv", _with_diff("diff.x.textconv"), _runs("diff")),
    Vector(14, "gpg.program", _sign, _commit),
    Vector(15, "core.sshCommand", _ssh, _runs("fetch", "o")),
    Vector(16, "ext remote", _ext, _runs("fetch", "o")),
    Vector(17, "uploadpack", _uploadpack, _runs("fetch", "o")),
    Vector(18, "merge driver", _driver, _merge_other),
    Vector(19, "core.editor", lambda s: s.set("core.editor"), _runs("commit", "--allow-empty")),
    Vector(20, "alias", lambda s: s.set("alias.st", f"!{s.payload}"), _runs("st")),
    Vector(
        21,
        "credential helper",
        lambda s: s.set("credential.helper", f"!{s.payload}"),
        _runs("credential", "fill", stdin=_HOST),
    ),
    Vector(22, "repointed .git", _repoint, lambda s: git(s.checkout.parent / "w", "add", "-A")),
    Vector(23, "embedded bare", _embedded, lambda s: git(s.checkout / "fixtures", "status")),
    Vector(24, "gitlink", _gitlink, _runs("status")),
    Vector(25, "lazy fetch", _promisor, _missing_object),
    Vector(26, "includeIf", _include_if, _runs("status"), "includeif.onbranch:main.path"),
    Vector(27, "config.worktree", _worktree_config, _commit, "filter.x.clean"),
    Vector(28, "verify on merge", _verify, _merge_signed),
    Vector(29, "almost git-lfs", _almost_lfs, _commit, "filter.lfs.x.clean"),
)
