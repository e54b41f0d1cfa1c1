"""A login in a repository's own settings: agents and checks don't see it, nothing writes it down.

Covers: H5, H11
"""

from __future__ import annotations

from pathlib import Path

import pytest

from sparing.redact import Redactor
from sparing.runtime.sandbox import covered_files
from sparing.workspace.git.config import Setting, credentials
from sparing.workspace.git.repository import search_repository
from sparing.workspace.sandbox.launcher import level_reached
from sparing.workspace.sandbox.policy import SandboxAccess, SandboxLevel
from tests.repositories import git
from tests.workspace.launched import launch, make_place

WORD = "-".join(("c0ffee", "5even", "7ables", "value"))


@pytest.mark.parametrize(
    ("key", "value", "secret"),
    [
        ("remote.origin.url", f"https://ada:{WORD}@example.org/a.git", WORD),
        ("remote.origin.url", f"https://{WORD}@example.org/a.git", WORD),
        ("remote.origin.url", f"https://{WORD}:x-oauth-basic@example.org/a.git", WORD),
        ("remote.origin.pushurl", "https://ada:p%40ssw%2Fword@example.org/a.git", "p@ssw/word"),
        ("http.https://example.org/.extraheader", f"AUTHORIZATION: basic {WORD}", WORD),
        (f"url.https://ada:{WORD}@example.org/.insteadof", "https://example.org/", WORD),
    ],
)
def test_a_login_in_a_setting_is_a_known_secret(key: str, value: str, secret: str) -> None:
    """H11: it stays out of logs, events and transcripts like one of the environment."""
    found = credentials([Setting(key, value)])
    assert secret in found
    assert secret not in Redactor(found).clean(f"fatal: could not read from {value}, {secret}")


@pytest.mark.parametrize(
    "value",
    [
        "git@example.org:a.git",
        "ssh://git@example.org/a.git",
        "https://ada@example.org/a",
        "https://acme-engineering@dev.example.org/acme-engineering/shop/_git/shop",
        "https://AdaLovelace.Byron2@dev.example.org/a",
    ],
)
def test_a_name_is_no_secret(value: str) -> None:
    """H11: words of anybody's code are not taken out of texts."""
    assert credentials([Setting("remote.origin.url", value)]) == ()


@pytest.mark.parametrize("access", list(SandboxAccess))
@pytest.mark.skipif(
    level_reached().level < SandboxLevel.SEALED, reason="needs a mount namespace of its own"
)
def test_what_is_confined_sees_no_login(tmp_path: Path, access: SandboxAccess) -> None:
    """H11: git works there all the same, and the file itself is as it was."""
    place = make_place(tmp_path)
    git(place.main, "remote", "add", "origin", f"https://ada:{WORD}@example.org/a.git")
    git(place.main, "config", "core.autocrlf", "input")
    before = (place.main / ".git" / "config").read_text()
    policy = place.policy(access, covered=covered_files(search_repository(place.main)))
    script = (
        f"cat {place.main}/.git/config; git config --list; git remote -v; git log --oneline;"
        " git status --short; git config core.autocrlf"
    )
    ended = launch(place, policy, "bash", "-c", script)
    assert ended.code == 0, ended
    assert WORD not in ended.out + ended.err
    assert "origin" not in ended.out
    assert ended.out.endswith("input\n")
    assert (place.main / ".git" / "config").read_text() == before
