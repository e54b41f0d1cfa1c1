"""What can be set of the flow: where it stops, who helps, and where its documents lie."""

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
    """What becomes of an author's open questions."""

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
            "The flow of a feature that names none. `auto` proposes one from the request and the "
            "repository, says why, and asks you if it is a toss-up.",
        ),
    )
    auto: bool = setting(
        False,
        Rule(
            Switch(),
            "Whether a gate passes by rule: its verdict is good, nothing is asked, the checks are "
            "green and no review ended at its cap. Never past what you rejected.",
            SettingScope.USER,
        ),
    )
    effort: Effort = setting(
        Effort.BALANCED,
        Rule(
            OneOf(Effort),
            "How much is done for a feature: `lean`, `balanced` or `thorough`. Sets how reviewers "
            "sit together, rounds, models, caps and deeper tests, as far as you have not set them "
            "yourself; docs/money.md has the table.",
            SettingScope.USER,
        ),
    )
    gates: tuple[str, ...] = setting(
        (OWN_GATES,),
        Rule(
            Names((OWN_GATES, *STAGES)),
            "The stages that stop for a human; `default` stands for the flow's own. "
            "A project may add stages but must keep those already listed.",
            narrow=Narrow.MORE,
        ),
    )
    other_person: tuple[str, ...] = setting(
        (),
        Rule(
            Names(STAGES),
            "The stages whose gate must be approved by somebody else than whoever started the "
            "feature; needs a shared database (docs/fleet.md). A project may add stages but must "
            "keep those already listed.",
            narrow=Narrow.MORE,
        ),
    )
    features_folder: str = setting(
        "docs/features", Rule(FolderPath(), "Where features have their folders, in the repository.")
    )

    knowledge_folder: str = setting(
        "docs/knowledge-bank",
        Rule(FolderPath(), "Where lessons of earlier features are kept, in the repository."),
    )
    knowledge_tokens: int = setting(
        1200,
        Rule(
            Whole(0, 8_000),
            "How many tokens of these lessons a prompt may have; 0: none are given.",
        ),
    )
    logs: Logs = setting(
        Logs.REMOVE,
        Rule(
            OneOf(Logs),
            "What becomes of the review history and the implementation log once a retrospective "
            "has read them: `remove` leaves them in the branch's history only, `keep` leaves them "
            "in its last commit too.",
        ),
    )
    questions: Questions = setting(
        Questions.ASK,
        Rule(
            OneOf(Questions),
            "What becomes of an author's open questions: `ask` pauses the stage until you have "
            "answered, `defaults` takes what the author did for now and records it. A run that "
            "can ask nobody takes the defaults; a question without one pauses it.",
            SettingScope.USER,
        ),
    )
    assistants: tuple[str, ...] = setting(
        ASSISTANTS,
        Rule(
            Names(ASSISTANTS),
            "Roles that help beside authors and reviewers. One that is left out is never asked, "
            "and costs nothing.",
        ),
    )
    waves: int = setting(
        1,
        Rule(
            Whole(1, 16),
            "How many tasks that touch different files are worked on at a time, each in a worktree "
            "of its own; 1: one after the other.",
            SettingScope.USER,
        ),
    )
    continuity: SessionPreference = setting(
        SessionPreference.PRICED,
        Rule(
            OneOf(SessionPreference),
            "How a tier's next stage begins: `continue` in the session that is there as long as "
            "it fits, `hand-off` in a fresh one with a handoff, `priced` whichever is expected to "
            "be cheaper. Under the policy `seed` it is `continue`, under `fresh` and `naive` "
            "neither.",
        ),
    )
    budgets: tuple[str, ...] = setting(
        (),
        Rule(
            CountTable(BUILT, 1, MOST_TOKENS),
            "Tokens that a tier's stage takes of the window; what is not named here is learned "
            "from earlier runs. With less room, and a fifth more, a stage begins with a handoff.",
        ),
    )

    sections: tuple[str, ...] = setting(
        (),
        Rule(
            PhraseTable(DOCUMENTS),
            "Headings of which a document needs at least one, by document, in place of those that "
            "are expected by default. A document with none of them is told as a warning; under "
            "the policy `seed` the `feature` flow demands the original's headings.",
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
        """None for a stage that is not named."""
        named = {name: int(size) for name, _, size in (one.partition(" ") for one in self.budgets)}
        return named.get(stage)

    @property
    def projects_folder(self) -> str:
        """Beside the features' own."""
        return str(PurePosixPath(self.features_folder).parent / "projects")

    def folder_of(self, feature: Feature) -> str:
        """Where a feature or a project has its documents, in the repository."""
        root = self.projects_folder if feature.is_project else self.features_folder
        return f"{root}/{feature.name}"

    def stops(self, own: Iterable[str]) -> frozenset[str]:
        """The stages that stop for a human in a flow with these gates of its own."""
        named = frozenset(self.gates) - {OWN_GATES} | frozenset(self.other_person)
        return named | frozenset(own) if OWN_GATES in self.gates else named
