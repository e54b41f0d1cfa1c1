"""What a repository's git settings would start: shown, trusted by hash, doubted when it changes.

Covers: H2
"""

from __future__ import annotations

from pathlib import Path

import pytest

from sparing.errors import RepositoryError
from sparing.workspace.git.config import Effect, Setting, effect_of
from sparing.workspace.git.repository import Repository, confirmed, head, search_repository
from sparing.workspace.git.trusted_programs import (
    is_trusted,
    programs,
    revoke_programs,
    trust_programs,
    trusted_pins,
    was_trusted,
)
from sparing.workspace.git.worktree import ensure_worktree
from tests.repositories import commit_files, git, make_repository, write_files
from tests.terminal import sparing
from tests.workspace.features import BRANCH, commit

SCRIPT = "#!/bin/sh\ntr a-z A-Z\n"


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    """A filter that is a script of the repository, as many have one."""
    files = {"tools/upper.sh": SCRIPT, ".gitattributes": "*.md filter=upper\n", "a.md": "A\n"}
    made = make_repository(tmp_path / "gate", files)
    (made / "tools" / "upper.sh").chmod(0o755)
    commit_files(made, {}, "mode")
    git(made, "config", "filter.upper.clean", "sh tools/upper.sh")
    return made


def trusted(checkout: Path, folder: Path) -> Repository:
    folder.mkdir(exist_ok=True)
    trust_programs(folder, programs(search_repository(checkout)))
    return confirmed(search_repository(checkout), trusted_pins(folder))


def test_all_that_would_start_something_is_listed(tmp_path: Path, checkout: Path) -> None:
    git(checkout, "config", "core.fsmonitor", "watch")
    git(checkout, "config", "merge.x.driver", "join %A")
    git(checkout, "config", "core.sshCommand", "tunnel")
    write_files(checkout, {"team.cfg": "[core]\n\tpager = more\n"})
    git(checkout, "config", "include.path", "../team.cfg")
    found = {one.setting.key: one.effect for one in programs(search_repository(checkout))}
    assert found == {
        "filter.upper.clean": Effect.REFUSED,
        "core.fsmonitor": Effect.NEVER,
        "merge.x.driver": Effect.OFF,
        "core.sshcommand": Effect.PUSH,
        "include.path": Effect.REFUSED,
        "core.pager": Effect.NEVER,
    }


def test_what_is_trusted_is_run(tmp_path: Path, checkout: Path) -> None:
    with pytest.raises(RepositoryError, match=r"filter\.upper\.clean"):
        confirmed(search_repository(checkout), frozenset())
    repo = trusted(checkout, tmp_path / "state")
    worktree = ensure_worktree(repo, tmp_path / "w", BRANCH, head(repo).commit)
    write_files(worktree.path, {"b.md": "loud\n"})
    commit(worktree)
    assert git(checkout, "show", f"{BRANCH}:b.md") == "LOUD"


def test_a_script_that_an_agent_changed_in_its_worktree_is_not_run(
    tmp_path: Path, checkout: Path
) -> None:
    """H2: it would run as the user, outside of the sandbox."""
    repo, mark = trusted(checkout, tmp_path / "state"), tmp_path / "mark"
    worktree = ensure_worktree(repo, tmp_path / "w", BRANCH, head(repo).commit)
    write_files(worktree.path, {"tools/upper.sh": f": > {mark}\n{SCRIPT}", "b.md": "loud\n"})
    with pytest.raises(RepositoryError, match=r"filter\.upper\.clean"):
        commit(worktree)
    assert not mark.exists()


@pytest.mark.parametrize("change", ["value", "script", "include"])
def test_a_change_ends_the_trust(tmp_path: Path, checkout: Path, change: str) -> None:
    write_files(checkout, {"team.cfg": "[alias]\n\tst = status\n"})
    git(checkout, "config", "include.path", "../team.cfg")
    folder = tmp_path / "state"
    trusted(checkout, folder)
    match change:
        case "value":
            git(checkout, "config", "filter.upper.clean", "sh tools/upper.sh --loud")
        case "script":
            write_files(checkout, {"tools/upper.sh": SCRIPT + "# more\n"})
        case _:
            write_files(checkout, {"team.cfg": "[core]\n\tfsmonitor = watch\n"})
    key = "include.path" if change == "include" else "filter.upper.clean"
    with pytest.raises(RepositoryError, match=key):
        confirmed(search_repository(checkout), trusted_pins(folder))
    found = next(p for p in programs(search_repository(checkout)) if p.setting.key == key)
    assert (is_trusted(folder, found), was_trusted(folder, found)) == (False, True)
    assert trusted(checkout, folder).trusted


def test_trust_can_be_taken_back_and_a_damaged_list_trusts_nothing(
    tmp_path: Path, checkout: Path
) -> None:
    folder = tmp_path / "state"
    trusted(checkout, folder)
    assert (folder / "trusted-git.json").stat().st_mode & 0o777 == 0o600
    assert (revoke_programs(folder), trusted_pins(folder)) == (1, frozenset())
    (folder / "trusted-git.json").write_text("{")
    assert trusted_pins(folder) == frozenset()


@pytest.mark.parametrize(
    ("key", "value", "effect"),
    [
        ("filter.lfs.clean", "anything: ours is put in its place", None),
        ("filter.lfs.x.clean", "x", Effect.REFUSED),
        ("filter.x.required", "true", None),
        ("alias.st", "status", None),
        ("alias.st", "!x", Effect.NEVER),
        ("remote.origin.url", "git@example.com:ada/gate.git", None),
        ("remote.origin.url", "https://example.com/ada/gate", None),
        ("remote.origin.url", "../gate.git", Effect.PUSH),
        ("remote.origin.url", "ext::sh -c x", Effect.PUSH),
        ("remote.origin.url", "file:///srv/gate", Effect.PUSH),
        ("remote.origin.url", "-oProxyCommand=x:y", Effect.PUSH),
        ("user.name", "Ada", None),
    ],
)
def test_what_a_setting_does(key: str, value: str, effect: Effect | None) -> None:
    assert effect_of(Setting(key, value)) is effect


def test_a_person_reads_it_and_decides(checkout: Path) -> None:
    """H2: the refusal names the command; that shows the words and the script, and then it works."""
    refused = sparing(checkout, "start", "Rate limits")
    assert refused.code == 1
    assert refused.complaint[1].startswith("fix: look at it and decide: sparing trust;")
    said = sparing(checkout, "trust", "--yes")
    assert "git filter.upper.clean  new\n" in said.out
    assert "│ sh tools/upper.sh\n" in said.out
    assert "│ tr a-z A-Z\n" in said.out
    assert said.out.endswith("1 of 1 git settings newly trusted\n")
    assert sparing(checkout, "start", "Rate limits").code == 0
    row = sparing(checkout, "trust", "--json").json["settings"][0]
    assert (row["key"], row["standing"]) == ("filter.upper.clean", "trusted")
