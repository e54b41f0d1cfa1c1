"""The model as a representative agent: explores, writes, changes, runs, and answers.

Its work is drawn from the turn's identity, which the client's headers give: a prompt may say the
same thing in many ways, and none of them may change the work.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import NamedTuple

from sparing.double import writing
from sparing.double.agent.memory import AgentMemory
from sparing.double.agent.panel_turn import needs_of, seats_of
from sparing.double.agent.phrases import module, quotable, verdict
from sparing.double.agent.tools import MOST_FILES, AgentTools, Wish
from sparing.double.agent.work import AgentWork, modules, opened
from sparing.double.agent_draws import (
    TurnIdentity,
    TurnNeeds,
    share,
    whole,
)
from sparing.double.agent_kinds import AGENTS, AgentKind
from sparing.double.answer import ModelWords
from sparing.double.panel import Half, is_panel, joined
from sparing.double.recognise import PlayedKind, PlayedTurn, working_folder
from sparing.double.request import JsonObject, ModelRequest
from sparing.double.toolbox import STRUCTURED
from sparing.double.verdicts import QuotableLine
from sparing.double.verdicts import seats as seats_turns

PLAYED = frozenset(
    {
        PlayedKind.WRITE,
        PlayedKind.REVISE,
        PlayedKind.REDO,
        PlayedKind.REVIEW,
        PlayedKind.TASK,
        PlayedKind.FIX,
        PlayedKind.STAGE,
        PlayedKind.ASSIST,
    }
)
"""Turns that are real work; in the others the agent is only asked something."""
RETRO_CHARS = 4_000
TRUST = 50
MOST_NAMED = 8
"""Most source files that an author names when asked to."""
MOST_TARGETS = 3
"""Files in which findings are settled."""


class TurnFacts(NamedTuple):
    """What the headers of a request say about its turn."""

    feature: str = ""
    """The feature's folder."""
    who: TurnIdentity | None = None
    worktree: str = ""
    """Path of the client's folder on this machine, if different from what the client says."""


class Answer(NamedTuple):
    """The final answer of a turn."""

    text: str = ""
    object: JsonObject | None = None


@dataclass(frozen=True, slots=True)
class DrawnAgent:
    kind: AgentKind
    seed: int = 1
    trust: int = TRUST
    """Percentage of files quoted in a fact sheet that it therefore does not open."""
    files: int = MOST_FILES
    """Files that it requests at once if a tool takes a list."""

    def needs(self, who: TurnIdentity) -> TurnNeeds:
        return needs_of(self.kind, self.seed, who)

    def seconds(self, asked: ModelRequest, turn: PlayedTurn, told: TurnFacts) -> float:
        """How long after the turn's start this request of it is sent."""
        if turn.kind not in PLAYED:
            return 0.0
        answers = [one for one in asked.messages[turn.place :] if one.role == "assistant"]
        return len(answers) * self.needs(identity(turn, told)).call_seconds

    def say(self, asked: ModelRequest, turn: PlayedTurn, told: TurnFacts) -> ModelWords | Answer:
        """The next step of the turn, or how it ends."""
        who, folder = identity(turn, told), working_folder(asked)
        tools, memory = (
            AgentTools(asked, folder, self.files),
            AgentMemory(asked, turn.place, folder),
        )
        needs = self.needs(who)
        works = [
            AgentWork(self.kind, self.seed, one, self.needs(one), memory, self.trust)
            for one in seats_of(self.kind, self.seed, who)
        ]
        files, targets = self._files(turn, who, needs), _targets(turn)
        wishes = self._wishes(works, turn, files, targets, told.worktree or folder)
        step = works[0].next_step(wishes, tools)
        if step:
            chars = whole(AGENTS[self.kind].step_chars, self.seed, *who, memory.steps)
            words = writing.prose(chars, self.seed, *who, memory.steps)
            return ModelWords(words, tools.calls(step))
        said = self._answer(turn, who, told, memory, [*files, *targets])
        formed = turn.kind is PlayedKind.REVIEW or any(t["name"] == STRUCTURED for t in asked.tools)
        return said if formed else said._replace(object=None)

    def _wishes(
        self,
        works: Sequence[AgentWork],
        turn: PlayedTurn,
        files: Mapping[str, str],
        targets: Sequence[str],
        folder: str,
    ) -> list[Wish]:
        changed = tuple(turn.files) if turn.kind is PlayedKind.REVIEW else ()
        names = modules(folder)
        looks = [wish for one in works for wish in one.looks((*turn.references, *changed), names)]
        work = works[0]
        changes = work.changes(dict(files), targets)
        runs = work.commands([path for path in files if "test" in path])
        before = [opened(path) for path in targets]
        if not runs:
            return [*before, *looks, *changes]
        return [*before, *work.to_and_fro(looks, changes, runs)]

    def _files(self, turn: PlayedTurn, who: TurnIdentity, needs: TurnNeeds) -> dict[str, str]:
        """The files that are written whole."""
        if turn.kind is PlayedKind.TASK:
            paths = [one.removesuffix("(new)").strip() for one in turn.files if "(new)" in one]
            return {path: self._module(path, who, needs) for path in paths}
        found: dict[str, str] = {}
        if turn.kind is PlayedKind.STAGE and turn.stage == "implement":
            stem = writing.identifier(_about(turn))
            paths = [f"{stem}.py", f"tests/test_{stem}.py"]
            found = {path: self._module(path, who, needs) for path in paths}
        if turn.kind in (PlayedKind.WRITE, PlayedKind.STAGE) and turn.target:
            found[turn.target] = self._document(turn.target)
        return found

    def _document(self, path: str) -> str:
        habits, name = AGENTS[self.kind], PurePosixPath(path).name
        chars = whole(habits.document_chars, self.seed, name, "chars")
        parts = whole(habits.tasks, self.seed, "tasks")
        about = PurePosixPath(path).parent.name.lstrip("0123456789-") or "feature"
        return writing.long_document(name, about, chars, parts)

    def _module(self, path: str, who: TurnIdentity, needs: TurnNeeds) -> str:
        lines = whole(AGENTS[self.kind].module_lines, self.seed, *who, path)
        return module(path, lines, needs.changes)

    def _answer(
        self,
        turn: PlayedTurn,
        who: TurnIdentity,
        told: TurnFacts,
        memory: AgentMemory,
        files: Sequence[str],
    ) -> Answer:
        chars = whole(AGENTS[self.kind].report_chars, self.seed, *who, "report")
        prose = writing.prose(chars, self.seed, *who, "report")
        match turn.kind:
            case PlayedKind.REVIEW:
                papers = [name for name in memory.documents if name.endswith(".md")]
                changed = sorted({*turn.files, *memory.diffed})
                lines = quotable(
                    told.worktree or memory.folder, told.feature, turn, papers, changed
                )
                return Answer(object=self._verdict(who, turn, lines))
            case PlayedKind.TASK:
                return Answer(f"{prose}\n{writing.report(list(files))}")
            case PlayedKind.REVISE | PlayedKind.REDO | PlayedKind.FIX:
                place = f"{files[0]}, where it stood" if files else ""
                return Answer(writing.fix_report(turn.findings, place) + prose)
            case PlayedKind.STAGE:
                return Answer(f"{prose}\n{writing.handoff(list(files), turn.stage)}")
            case PlayedKind.ASSIST:
                return Answer(prose, self._found(who, memory))
            case _:
                return Answer(f"Written as the documents ask.\n{prose}{_named(memory)}")

    def _verdict(
        self, who: TurnIdentity, turn: PlayedTurn, lines: Sequence[QuotableLine]
    ) -> JsonObject:
        """The verdict, or for a panel both; the second without the first one's categories."""
        seats = zip(seats_of(self.kind, self.seed, who), seats_turns(turn), strict=False)
        said = [
            Half(seat.role, verdict(self.kind, self.seed, seat, own, lines)) for seat, own in seats
        ]
        return joined(said) if is_panel(who.role) else said[0].said

    def _found(self, who: TurnIdentity, memory: AgentMemory) -> JsonObject:
        """Findings of an agent that explored; a form keeps only what it has a field for."""
        read = [path for used in memory.turn if used.reads for path in used.files][:6]
        return {
            "findings": [
                {
                    "finding": writing.prose(160, self.seed, *who, path),
                    "source": f"{memory.relative(path)}:{1 + int(40 * share(path))}",
                    "relevance": writing.prose(90, self.seed, *who, path, "why"),
                }
                for path in read
            ],
            "no_findings_reason": "",
            "retro_md": writing.prose(RETRO_CHARS, self.seed, *who, "retro"),
        }


def identity(turn: PlayedTurn, told: TurnFacts) -> TurnIdentity:
    """The turn's identity from the headers, else from the prompt as far as possible."""
    if told.who is not None and told.who.role:
        return told.who
    return TurnIdentity(turn.role, turn.after or turn.stage, turn.task, turn.iteration)


def read_identity(text: str) -> TurnIdentity | None:
    """Parse an identity header; None if it is empty."""
    if not text:
        return None
    role, stage, task, iteration = json.loads(text)
    return TurnIdentity(str(role), str(stage), str(task), int(iteration))


def _targets(turn: PlayedTurn) -> list[str]:
    """Existing files that are to be changed."""
    match turn.kind:
        case PlayedKind.REVISE | PlayedKind.REDO | PlayedKind.FIX:
            code = [path for path in turn.files if path.endswith(".py") and "test" not in path]
            return [turn.target] if turn.target else code[:MOST_TARGETS]
        case PlayedKind.TASK:
            return [path for path in turn.files if "(new)" not in path]
        case _:
            return []


def _named(memory: AgentMemory) -> str:
    """The files that the turn has opened, if it was asked to name its sources."""
    if not memory.names_facts:
        return ""
    read = dict.fromkeys(
        memory.relative(path) for used in memory.turn if used.reads for path in used.files
    )
    code = [path for path in read if path.endswith(".py")][:MOST_NAMED]
    rows = [f"- {path} | What does {PurePosixPath(path).stem} define?" for path in code]
    return "\n".join(("\n", "```facts", *rows, "```", ""))


def _about(turn: PlayedTurn) -> str:
    return PurePosixPath(turn.folder).name.lstrip("0123456789-") or turn.stage or "feature"
