"""What can be set of commits: whose they are, what they say, and how a finished branch arrives."""

from __future__ import annotations

from enum import StrEnum

from sparing.change import MergeHistory
from sparing.config.rules import Rule, SettingScope, setting
from sparing.config.value_forms import OneOf, Switch, Text, Whole
from sparing.lazy_dataclass import lazy_dataclass

AUTO = "auto"
SUBJECT = r"(?:auto|conventional|plain|(?=.*\{words\})(?:[^{}]|\{(?:type|words|feature|title)\})*)"
TRAILER = r"(?:|[A-Za-z][A-Za-z0-9-]*: (?:[^{}]|\{(?:agent|role)\})+)"


class CommitAuthor(StrEnum):
    USER = "user"
    SPARING = "sparing"


class CommitSigning(StrEnum):
    AUTO = "auto"
    NEVER = "never"


class SyncMethod(StrEnum):
    MERGE = "merge"
    REBASE = "rebase"


@lazy_dataclass
class CommitSettings:
    author: CommitAuthor = setting(
        CommitAuthor.USER,
        Rule(
            OneOf(CommitAuthor),
            "Author and committer of every commit: `user` takes `user.name` and `user.email` "
            "from your git configuration, `sparing` uses Sparing's name.",
        ),
    )
    trailer: str = setting(
        "Assisted-by: {agent} ({role})",
        Rule(
            Text("a git trailer such as `Assisted-by: {agent}`, or nothing", TRAILER),
            "The trailer of commits that an agent wrote; `{agent}` and `{role}` are filled in. "
            "Empty: none.",
        ),
    )
    subject: str = setting(
        AUTO,
        Rule(
            Text("auto, conventional, plain, or a template with {words}", SUBJECT),
            "The form of a commit's subject. `auto` follows the last commits of the base branch: "
            "`conventional` (`docs: write spec.md (001)`) or `plain` (`Write spec.md (001)`). A "
            "template may use `{type}`, `{words}`, `{feature}` and `{title}`.",
        ),
    )
    sign: CommitSigning = setting(
        CommitSigning.AUTO,
        Rule(
            OneOf(CommitSigning),
            "`auto` signs commits if your own git configuration has `commit.gpgSign`; `never` "
            "does not.",
            SettingScope.USER,
        ),
    )
    history: MergeHistory = setting(
        MergeHistory.ALL,
        Rule(
            OneOf(MergeHistory),
            "Which commits the base branch or the pull request gets: `all` of them, one `squash`, "
            "or all on top of the base without a merge (`rebase`).",
        ),
    )
    sync: SyncMethod = setting(
        SyncMethod.MERGE,
        Rule(
            OneOf(SyncMethod),
            "How `sparing sync FEATURE` brings in a base branch that has moved: with a `merge` "
            "commit, or by a `rebase` of the feature's own commits. Conflicts are always "
            "resolved by a merge.",
        ),
    )
    poll_seconds: int = setting(
        120,
        Rule(
            Whole(0, 86_400),
            "How often, in seconds, a run asks `gh` about the pull requests of its features: "
            "review comments, failed checks, a merge. 0: never.",
            SettingScope.USER,
        ),
    )
    draft: bool = setting(False, Rule(Switch(), "Whether pull requests are opened as drafts."))
