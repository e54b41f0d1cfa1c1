"""Commits as a team wants them: whose they are, what they say, signed once. Covers: H3."""

from __future__ import annotations

import subprocess
from dataclasses import replace
from pathlib import Path

import pytest

from sparing.change import MergeHistory
from sparing.commit_purpose import Purpose, as_words
from sparing.commits.message import commit_stamp, merge_stamp
from sparing.config.commits import CommitSettings
from sparing.config.settings import AgentSettings, Settings
from sparing.errors import RepositoryError
from sparing.feature import Feature
from sparing.workspace.git.merge_trees import rebased, squashed
from sparing.workspace.git.objects import make_commit
from sparing.workspace.git.repository import Repository, confirmed, head, search_repository
from tests.repositories import commit_files, git, make_repository

SPEC = Purpose("docs", "write spec.md", "spec-author")
SIGNER = """#!/bin/sh
# Signs as gpg would be asked to, with another signature each time.
cat > /dev/null
echo "$$" >> "$HOME/signatures"
echo "[GNUPG:] SIG_CREATED " >&2
printf -- '-----BEGIN PGP SIGNATURE-----\\n\\n%s\\n-----END PGP SIGNATURE-----\\n' "$$"
"""


def repository(path: Path, *subjects: str) -> Repository:
    make_repository(path)
    for number, subject in enumerate(subjects):
        commit_files(path, {"a.txt": f"{number}\n"}, subject)
    return Repository(path, path / ".git")


def feature_of(repo: Repository) -> Feature:
    return Feature(
        key="k-001", number=1, slug="rate-limits", title="Rate limits", flow="L1",
        repository=str(repo.checkout), base_branch="main", base_commit=head(repo).commit,
        created=0.0,
    )  # fmt: skip


def subject(repo: Repository, form: str = "auto") -> str:
    settings = Settings(commits=CommitSettings(subject=form))
    return commit_stamp(repo, settings, feature_of(repo), SPEC, "s1", 0.0).subject


@pytest.mark.parametrize(
    ("title", "words"),
    [
        ("Add a --version flag", "add a --version flag"),
        ("HTTP proxy support", "HTTP proxy support"),
        ("isPrerelease tells what is one", "isPrerelease tells what is one"),
        ("A  greeting\n by name", "a greeting by name"),
        ("", ""),
    ],
)
def test_a_title_becomes_words(title: str, words: str) -> None:
    """H3: "feat: hTTP proxy support" is nobody's subject."""
    assert as_words(title) == words


@pytest.mark.parametrize(
    ("subjects", "said"),
    [
        ((), "Write spec.md (001)"),
        (("feat: one", "fix(api): two", "chore!: three"), "docs: write spec.md (001)"),
        (("Add one", "Fix two", "Remove three"), "Write spec.md (001)"),
        (("add one", "fix two", "remove three", "add four"), "write spec.md (001)"),
    ],
)
def test_a_subject_follows_the_repository(
    tmp_path: Path, subjects: tuple[str, ...], said: str
) -> None:
    """H3: what most of the last commits do."""
    assert subject(repository(tmp_path / "r", *subjects)) == said


def test_a_template_says_it_otherwise(tmp_path: Path) -> None:
    """H3"""
    repo = repository(tmp_path / "r")
    assert subject(repo, "[{type}] {words}, {feature}") == "[docs] write spec.md, 001"


def test_a_long_subject_is_cut_before_its_number(tmp_path: Path) -> None:
    """H3"""
    repo = repository(tmp_path / "r")
    long = Purpose("feat", "word " * 60)
    line = commit_stamp(repo, Settings(), feature_of(repo), long, "s", 0.0).subject
    assert len(line) <= 100
    assert line.endswith("… (001)")


def test_the_author_is_the_user_and_the_agent_is_in_a_trailer(tmp_path: Path) -> None:
    """H3: as the user's own git configuration names them; nobody's agent in a person's commit."""
    make_repository(tmp_path / "r")
    (tmp_path / ".gitconfig").write_text("[user]\n\tname = Grace <x>\n\temail = g@example.com\n")
    found = search_repository(tmp_path / "r")
    repo = confirmed(found, frozenset(), {"HOME": str(tmp_path), "GIT_CONFIG_NOSYSTEM": "1"})
    settings = Settings(agent=AgentSettings(backend="claude"))
    stamp = commit_stamp(repo, settings, feature_of(repo), SPEC, "s1", 0.0)
    assert stamp.author == ("Grace x", "g@example.com")
    assert stamp.text == (
        "Write spec.md (001)\n\n"
        "Assisted-by: Claude Code (spec-author)\nRun-Id: 001-rate-limits\nStep-Id: s1\n"
    )
    by_hand = SPEC._replace(role="")
    assert "Assisted" not in commit_stamp(repo, settings, feature_of(repo), by_hand, "s", 0.0).text


def signing(tmp_path: Path, script: str, key: str = "\tsigningkey = K\n") -> Repository:
    """A repository of somebody who signs with this program, and names another one in `.git`."""
    path = make_repository(tmp_path / "r")
    program = tmp_path / "signer"
    program.write_text(script)
    program.chmod(0o755)
    (tmp_path / ".gitconfig").write_text(
        f"[user]\n\tname = Ada\n\temail = a@example.com\n{key}"
        f"[commit]\n\tgpgsign = true\n[gpg]\n\tprogram = {program}\n"
    )
    git(path, "config", "gpg.program", "/nonexistent/of-the-repository")
    environ = {"HOME": str(tmp_path), "GIT_CONFIG_NOSYSTEM": "1", "PATH": "/usr/bin:/bin"}
    found = confirmed(search_repository(path), frozenset(), environ)
    return replace(found, locks=tmp_path / "locks")


def test_who_signs_signs_here_too_and_only_once(tmp_path: Path) -> None:
    """H3: a replay finds the signed commit; another program of the repository's is never run."""
    repo = signing(tmp_path, SIGNER)
    stamp = commit_stamp(repo, Settings(), feature_of(repo), SPEC, "s1", 0.0)
    tree = git(repo.checkout, "rev-parse", "HEAD^{tree}")
    made = [make_commit(repo.git(), tree, (head(repo).commit,), stamp) for _ in range(2)]
    assert made[0] == made[1]
    assert "gpgsig -----BEGIN PGP SIGNATURE-----" in git(
        repo.checkout, "cat-file", "commit", made[0]
    )
    assert len((tmp_path / "signatures").read_text().splitlines()) == 1


def test_without_a_named_key_the_one_of_the_committer_signs(tmp_path: Path) -> None:
    """H3: as git does it; most people who sign have set no `user.signingKey`."""
    repo = signing(tmp_path, SIGNER.replace('$$" >>', '$*" >>'), key="")
    stamp = commit_stamp(repo, Settings(), feature_of(repo), SPEC, "s1", 0.0)
    tree = git(repo.checkout, "rev-parse", "HEAD^{tree}")
    make_commit(repo.git(), tree, (head(repo).commit,), stamp)
    asked = (tmp_path / "signatures").read_text()
    assert asked.endswith(" Ada <a@example.com>\n"), asked


def test_an_ssh_key_signs_whatever_reaches_the_base(tmp_path: Path) -> None:
    """H3, D6: commits of the branch, and those that a squash or a rebase makes of them."""
    key = tmp_path / "key"
    subprocess.run(("ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", str(key)), check=True)
    (tmp_path / "allowed").write_text(f"a@example.com {key.with_suffix('.pub').read_text()}")
    (tmp_path / ".gitconfig").write_text(
        "[user]\n\tname = Ada\n\temail = a@example.com\n"
        f"\tsigningkey = {key}.pub\n[commit]\n\tgpgsign = true\n[gpg]\n\tformat = ssh\n"
    )
    path = make_repository(tmp_path / "r")
    environ = {"HOME": str(tmp_path), "GIT_CONFIG_NOSYSTEM": "1", "PATH": "/usr/bin:/bin"}
    found = confirmed(search_repository(path), frozenset(), environ)
    repo = replace(found, locks=tmp_path / "locks")
    base, tree = head(repo).commit, git(path, "hash-object", "-t", "tree", "-w", "/dev/null")
    stamp = commit_stamp(repo, Settings(), feature_of(repo), SPEC, "s1", 0.0)
    tip = make_commit(repo.git(), tree, (base,), stamp)
    commit_files(path, {"b.txt": "b\n"}, "ours")
    moved = git(path, "rev-parse", "main")
    squash = squashed(repo, moved, tip, stamp._replace(step_id="merge"), "").commit
    rebase = rebased(repo, moved, tip, stamp.signer).commit
    allowed = f"gpg.ssh.allowedSignersFile={tmp_path / 'allowed'}"
    for commit in (tip, squash, rebase):
        assert git(path, "-c", allowed, "log", "-1", "--format=%G? %GS", commit) == (
            "G a@example.com"
        )
    assert len({tip, squash, rebase}) == 3


def test_a_key_that_is_locked_makes_no_commit(tmp_path: Path) -> None:
    """K1: what git's signing program says, and the two ways on."""
    repo = signing(tmp_path, "#!/bin/sh\necho 'no secret key' >&2\nexit 2\n")
    stamp = commit_stamp(repo, Settings(), feature_of(repo), SPEC, "s1", 0.0)
    tree = git(repo.checkout, "rev-parse", "HEAD^{tree}")
    with pytest.raises(RepositoryError, match="can't be signed: .*") as caught:
        make_commit(repo.git(), tree, (head(repo).commit,), stamp)
    assert "sparing config set commits.sign never" in caught.value.repair
    assert not (tmp_path / "locks").exists() or not list((tmp_path / "locks").rglob("????????*"))


@pytest.mark.parametrize(
    ("history", "said"),
    [
        (MergeHistory.ALL, "Merge feature/001-rate-limits: Rate limits"),
        (MergeHistory.SQUASH, "Rate limits (001)"),
    ],
)
def test_what_brings_a_branch_into_its_base(
    tmp_path: Path, history: MergeHistory, said: str
) -> None:
    """D6"""
    repo = repository(tmp_path / "r")
    settings = Settings(commits=CommitSettings(history=history))
    assert merge_stamp(repo, settings, feature_of(repo)).subject == said
