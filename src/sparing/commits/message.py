"""What a commit of a feature says: one form for all of them, as the repository words its own."""

from __future__ import annotations

from functools import lru_cache

from sparing.backend_name import BACKENDS, SCRIPTED
from sparing.change import MergeHistory
from sparing.commit_purpose import Convention, Purpose, as_words, read_convention
from sparing.config.commits import AUTO, CommitAuthor, CommitSettings, CommitSigning
from sparing.config.settings import Settings
from sparing.feature import Feature
from sparing.workspace.git.objects import CommitStamp
from sparing.workspace.git.repository import Repository
from sparing.workspace.git.user import SPARING, CommitSigner

LAST = 50


def commit_stamp(
    repo: Repository, settings: Settings, feature: Feature, why: Purpose, step: str, at: float
) -> CommitStamp:
    known = repo.user.identity if settings.commits.author is CommitAuthor.USER else None
    return CommitStamp(
        subject=subject_line(repo, settings.commits, feature, why),
        run_id=feature.name,
        step_id=step,
        at=at,
        author=known or SPARING,
        trailer=_trailer(settings, why.role),
        signer=_signer(repo, settings.commits),
    )


def subject_line(repo: Repository, commits: CommitSettings, feature: Feature, why: Purpose) -> str:
    form = commits.subject
    form = convention_of(repo, feature.base_commit).value if form == AUTO else form
    return why.worded(form, feature.id, feature.title)


def merge_stamp(
    repo: Repository, settings: Settings, feature: Feature, at: float = 0.0
) -> CommitStamp:
    """What the commit says that brings a finished branch into its base."""
    title = " ".join(feature.title.split())
    why = Purpose("feat", as_words(title))
    stamp = commit_stamp(repo, settings, feature, why, "merge", at)
    if settings.commits.history is MergeHistory.SQUASH:
        return stamp
    return stamp._replace(subject=f"Merge {feature.branch}: {title}")


def _trailer(settings: Settings, role: str) -> str:
    if not role or not settings.commits.trailer:
        return ""
    return settings.commits.trailer.format_map(
        {"agent": _agent(settings.agent.backend), "role": role}
    )


def _agent(backend: str) -> str:
    """The agent's name for the trailer; under `auto` Claude Code, which is tried first."""
    row = BACKENDS[backend]
    if backend == SCRIPTED:
        return "a scripted agent"
    words = BACKENDS[row.client].words if row.client else row.words
    return f"{words} with a stand-in for the model" if row.played else words


def _signer(repo: Repository, commits: CommitSettings) -> CommitSigner | None:
    user = repo.user
    if commits.sign is CommitSigning.NEVER or not user.signs:
        return None
    records = (repo.locks or repo.git_dir) / "signed-commits"
    return CommitSigner(user.key, user.form, user.program, user.environ, records)


@lru_cache(64)
def convention_of(repo: Repository, commit: str) -> Convention:
    args = ("--no-merges", "-n", str(LAST), "--format=%s", commit)
    return read_convention(repo.git().text("log", *args, "--").splitlines())
