"""Settings for the flow: where it stops, who helps, and where its documents are."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from enum import StrEnum
from pathlib import PurePosixPath

from sparing.artifact import ArtifactName
from sparing.config.effort import Effort
from sparing.config.rules import Narrow, Rule, SettingScope, setting
from sparing.config.table_forms import CountTable, PhraseTable
from sparing.config.value_forms import FolderPath, Names, OneOf, Switch, Whole
from sparing.feature import Feature
from sparing.lazy_dataclass import lazy_dataclass
from sparing.turn import TURNS


class FlowName(StrEnum):
    AUTO = "auto"
    """One of the tiers, proposed from the request and the repository."""
    FEATURE = "feature"
    L1 = "L1"
    L2 = "L2"
    L3 = "L3"


class Logs(StrEnum):
    REMOVE = "remove"
    KEEP = "keep"


class Questions(StrEnum):
    """What happens to an author's open questions."""

    ASK = "ask"
    DEFAULTS = "defaults"


class SessionPreference(StrEnum):
    """What the stages of a tier do with the session that is there."""

    PRICED = "priced"
    CONTINUE = "continue"
    HAND_OFF = "hand-off"


OWN_GATES = "default"
"""In a list of gates: those the flow has of its own."""
STAGES = (
    *("brainstorm", "specify", "design", "create-plan", "create-tasks", "implement", "finish"),
    *("design_review", "plan", "code_review", "verify", "done", "decompose"),
)
BUILT = ("brainstorm", "design_review", "plan", "implement", "code_review", "verify", "done")
"""Stages of the tiers."""
MOST_TOKENS = 2_000_000
DOCUMENTS = tuple(name.value for name in ArtifactName)
ASSISTANTS = tuple(dict.fromkeys(role for row in TURNS.values() for role in row.roles))
"""Roles that help beside authors and reviewers."""


@lazy_dataclass
class FlowSettings:
    default: FlowName = setting(
        FlowName.AUTO,
        Rule(
            OneOf(FlowName),
            "The flow of a feature that is started without --tier. `auto` proposes one from the "
            "request and the repository, says why, and asks you if it is a toss-up.",
        ),
    )
    auto: bool = setting(
        False,
        Rule(
            Switch(),
            "Whether a gate passes automatically if its reviews passed, there are no open "
            "questions, the checks are green and no review ended at its cap. Never for a stage "
            "that you have rejected.",
            SettingScope.USER,
        ),
    )
    effort: Effort = setting(
        Effort.BALANCED,
        Rule(
            OneOf(Effort),
            "How much is done for a feature: `lean`, `balanced` or `thorough`. Sets review "
            "rounds, the panel, models, caps and deeper tests, unless you have set them "
            "yourself; docs/money.md has the table.",
            SettingScope.USER,
        ),
    )
    gates: tuple[str, ...] = setting(
        (OWN_GATES,),
        Rule(
            Names((OWN_GATES, *STAGES)),
            "The stages that stop for a person; `default` stands for the flow's own. A project "
            "may add stages but must keep those already listed.",
            narrow=Narrow.MORE,
        ),
    )
    other_person: tuple[str, ...] = setting(
        (),
        Rule(
            Names(STAGES),
            "The stages whose gate must be approved by somebody other than the person who "
            "started the feature; needs a shared database (docs/fleet.md). A project may add "
            "stages but must keep those already listed.",
            narrow=Narrow.MORE,
        ),
    )
    features_folder: str = setting(
        "docs/features", Rule(FolderPath(), "The repository's folder for the features' documents.")
    )

    knowledge_folder: str = setting(
        "docs/knowledge-bank",
        Rule(FolderPath(), "The repository's folder for lessons from earlier features."),
    )
    knowledge_tokens: int = setting(
        1200,
        Rule(
            Whole(0, 8_000),
            "How many tokens of lessons from earlier features a prompt may contain; 0: none.",
        ),
    )
    logs: Logs = setting(
        Logs.REMOVE,
        Rule(
            OneOf(Logs),
            "What happens to the review history and the implementation log once a retrospective "
            "has read them: `remove` leaves them only in the branch's history, `keep` also in "
            "its last commit.",
        ),
    )
    questions: Questions = setting(
        Questions.ASK,
        Rule(
            OneOf(Questions),
            "What happens with an author's open questions: `ask` pauses the stage until you have "
            "answered, `defaults` accepts the author's assumptions and records them. A run "
            "without a terminal takes the defaults; a question without one pauses it.",
            SettingScope.USER,
        ),
    )
    assistants: tuple[str, ...] = setting(
        ASSISTANTS,
        Rule(
            Names(ASSISTANTS),
            "Roles that assist authors and reviewers. One that is left out is never asked, and "
            "costs nothing.",
        ),
    )
    waves: int = setting(
        1,
        Rule(
            Whole(1, 16),
            "How many tasks that change different files run in parallel, each in its own "
            "worktree; 1: one after the other.",
            SettingScope.USER,
        ),
    )
    continuity: SessionPreference = setting(
        SessionPreference.PRICED,
        Rule(
            OneOf(SessionPreference),
            "How a tier's next stage begins: `continue`: in the existing session as long as it "
            "fits; `hand-off`: in a new one with a handoff; `priced`: whichever is expected to "
            "be cheaper. Under the policy `seed` it is `continue`; under `fresh` and `naive` "
            "every stage starts a new session.",
        ),
    )
    budgets: tuple[str, ...] = setting(
        (),
        Rule(
            CountTable(BUILT, 1, MOST_TOKENS),
            "How many tokens of the context window a tier's stage needs; stages not listed here "
            "are learned from earlier runs. If less than that plus a fifth is left, the stage "
            "begins with a handoff.",
        ),
    )

    sections: tuple[str, ...] = setting(
        (),
        Rule(
            PhraseTable(DOCUMENTS),
            "For each document, headings of which it needs at least one, in place of the "
            "default ones. A document with none of them causes a warning; under the policy "
            "`seed` the `feature` flow requires the original workflow's headings.",
        ),
    )

    @property
    def required_sections(self) -> Mapping[ArtifactName, Sequence[str]]:
        """Headings of which a document needs one, for the documents that are named."""
        lines = (line.partition(": ") for line in self.sections)
        return {
            ArtifactName(name): [one for one in phrases.split(" | ") if one]
            for name, _, phrases in lines
        }

    def budget(self, stage: str) -> int | None:
        """The budget that is set for a stage; None if there is none."""
        named = {name: int(size) for name, _, size in (one.partition(" ") for one in self.budgets)}
        return named.get(stage)

    @property
    def projects_folder(self) -> str:
        """The projects' folder, beside that of the features."""
        return str(PurePosixPath(self.features_folder).parent / "projects")

    def folder_of(self, feature: Feature) -> str:
        """Where a feature or a project has its documents, in the repository."""
        root = self.projects_folder if feature.is_project else self.features_folder
        return f"{root}/{feature.name}"

    def stops(self, own: Iterable[str]) -> frozenset[str]:
        """The stages that stop for a human in a flow with these gates of its own."""
        named = frozenset(self.gates) - {OWN_GATES} | frozenset(self.other_person)
        return named | frozenset(own) if OWN_GATES in self.gates else named
