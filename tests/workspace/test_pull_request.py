"""A pull request as gh tells it, or two lines that say why not.

Covers: C1, K1
"""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from sparing.errors import RepositoryError
from sparing.workspace.git.repository import find_repository
from sparing.workspace.host.gh_view import PullRequestHead, read_pull_request
from tests.repositories import git, make_repository

FIELDS = {
    "number": 7, "title": "Gate", "body": "", "url": "u", "baseRefName": "main",
    "baseRefOid": "b", "headRefName": "gate", "headRefOid": "h",
}  # fmt: skip


def read(
    folder: Path, said: str, code: int = 0, remote: str = "https://example.com/a/b.git"
) -> PullRequestHead:
    checkout = make_repository(folder / "r")
    if remote:
        git(checkout, "remote", "add", "origin", remote)
    (folder / "bin").mkdir()
    gh = folder / "bin" / "gh"
    gh.write_text(f"#!/bin/sh\ncat <<'E'\n{said}\nE\necho 'log in' >&2\nexit {code}\n")
    gh.chmod(0o755)
    path = f"{folder}/bin:/usr/bin:/bin"
    return read_pull_request(find_repository(checkout), "main", 7, {"PATH": path})


def test_what_gh_knows_of_it(tmp_path: Path) -> None:
    found = read(tmp_path, json.dumps(FIELDS))
    assert found == PullRequestHead(7, "Gate", "", "u", "main", "b", "gate", "h")


@pytest.mark.parametrize(
    ("said", "code"),
    [
        ("", 1), ("[]", 0), ("no json", 0), (json.dumps({**FIELDS, "number": "7"}), 0),
        (json.dumps({**FIELDS, "headRefOid": ""}), 0),
        (json.dumps({**FIELDS, "baseRefName": None}), 0), (json.dumps(FIELDS), 4),
    ],
)  # fmt: skip
def test_what_cannot_be_read_is_said(tmp_path: Path, said: str, code: int) -> None:
    with pytest.raises(RepositoryError) as refused:
        read(tmp_path, said, code)
    assert refused.value.what == "gh can't read pull request 7: log in"
    assert refused.value.repair == "see: gh auth status"


@pytest.mark.parametrize("remote", ["", "../elsewhere"])
def test_a_repository_that_gh_cannot_know(tmp_path: Path, remote: str) -> None:
    with pytest.raises(RepositoryError) as refused:
        read(tmp_path, json.dumps(FIELDS), remote=remote)
    assert refused.value.what.startswith("pull request 7 can't be read: ")
    assert "gh pr checkout 7" in refused.value.repair


def test_without_gh(tmp_path: Path) -> None:
    repo = find_repository(make_repository(tmp_path / "r"))
    with pytest.raises(RepositoryError, match="gh is not installed"):
        read_pull_request(repo, "main", 7, {"PATH": str(tmp_path)})
