"""The model behind the double: a few rules that play every role for a real agent client.

It opens the files it is told to, writes what the turn asks for, and ends with the report or verdict
that the role owes. All of it follows from the request alone; nothing here thinks, and nothing that
it says is a model's judgement.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import NamedTuple

from sparing.double import playbook, writing
from sparing.double.agent.play import PLAYED, DrawnAgent, TurnFacts
from sparing.double.answer import ModelWords, ToolCall
from sparing.double.panel import formed
from sparing.double.playbook import Playbook
from sparing.double.recognise import PlayedKind, PlayedTurn, is_nudged, recognise
from sparing.double.request import JsonObject, ModelRequest, asked_form
from sparing.double.toolbox import STRUCTURED, FileEdit, Toolbox
from sparing.double.transcript import first_line, last_findings, quotable
from sparing.double.verdicts import fit, verdict

SCALE = 0.1
NOTHING = TurnFacts()
MOST_FILES = 5
"""Most files of a change that a reviewer or a fixer opens."""


class Act(NamedTuple):
    """A turn, thought out: what is read, then changed, then said."""

    read: tuple[str, ...] = ()
    change: tuple[FileEdit, ...] = ()
    reply: str = "ok"
    object: JsonObject | None = None
    """Said instead of `reply` if not None; an empty one only if the client has a form for it."""


@dataclass(frozen=True, slots=True)
class Model:
    seed: int | None = None
    """Seed of the verdicts; None approves everything at once."""
    scale: float = SCALE
    """Length of documents against the median of real ones."""
    playbook: Playbook = ()
    agent: DrawnAgent | None = None
    """Works realistically in turns without a playbook; None: does as little as possible."""

    def say(self, asked: ModelRequest, told: TurnFacts = NOTHING) -> ModelWords:
        """The next answer of the current turn."""
        turn = recognise(asked)
        tools = Toolbox(asked, turn)
        if self.agent is not None and self._works(turn):
            said = self.agent.say(asked, turn, told)
            if isinstance(said, ModelWords):
                return said
            return self._end(asked, turn, tools, Act(reply=said.text, object=said.object))
        act = self._act(asked, turn, tools, told.feature)
        calls = tools.reads((*turn.references, *act.read)) or tools.changes(act.change)
        return ModelWords(calls=calls) if calls else self._end(asked, turn, tools, act)

    def seconds(self, asked: ModelRequest, told: TurnFacts) -> float:
        """Seconds from the turn's start until a request is sent, at the agent's own pace."""
        if self.agent is None:
            return 0.0
        turn = recognise(asked)
        return self.agent.seconds(asked, turn, told) if self._works(turn) else 0.0

    def _works(self, turn: PlayedTurn) -> bool:
        return turn.kind in PLAYED and playbook.find(self.playbook, turn) is None

    def _end(self, asked: ModelRequest, turn: PlayedTurn, tools: Toolbox, act: Act) -> ModelWords:
        form = asked_form(asked)
        if form is not None:
            return ModelWords(json.dumps(fit(formed(turn.role, act.object or {}, form), form)))
        if act.object is None and is_nudged(asked):
            act = act._replace(object={})
        return _close(act, turn, tools)

    def _act(self, asked: ModelRequest, turn: PlayedTurn, tools: Toolbox, folder: str) -> Act:
        found = playbook.find(self.playbook, turn) if turn.role else None
        if found is None:
            return self._usual(asked, turn, tools)
        played = found.placed(folder or turn.folder)
        changes = tuple(played.changes())
        # A passage can be replaced only in a file that was opened.
        opened = (change.path for change in changes if change.find)
        reply = played.reply
        return Act((*played.read, *opened), changes, reply, playbook.as_object(reply))

    def _usual(self, asked: ModelRequest, turn: PlayedTurn, tools: Toolbox) -> Act:
        match turn.kind:
            case PlayedKind.REVIEW:
                lines = quotable(turn, tools)
                return Act(_under_review(turn), object=verdict(turn, self.seed, lines))
            case PlayedKind.WRITE:
                return Act(change=(self._document(turn),), reply="Written as the documents ask.")
            case PlayedKind.STAGE:
                return self._stage(turn)
            case PlayedKind.REVISE | PlayedKind.REDO | PlayedKind.FIX:
                return _mend(turn, tools)
            case PlayedKind.TASK:
                return _task(turn)
            case PlayedKind.RESOLVE:
                return _resolve(turn, tools)
            case PlayedKind.READ | PlayedKind.FIRST_LINE | PlayedKind.COUNT:
                return _question(asked, turn)
            case _:
                return _plain(turn.kind)

    def _document(self, turn: PlayedTurn) -> FileEdit:
        name = PurePosixPath(turn.target).name
        return FileEdit(turn.target, writing.document(name, _about(turn), self.scale))

    def _stage(self, turn: PlayedTurn) -> Act:
        changes = [self._document(turn)] if turn.target else []
        if turn.stage == "implement":
            stem = writing.identifier(_about(turn))
            paths = (f"{stem}.py", f"tests/test_{stem}.py")
            changes += [FileEdit(path, writing.code(path)) for path in paths]
        files = [change.path for change in changes]
        return Act(change=tuple(changes), reply=writing.handoff(files, turn.stage))


def _under_review(turn: PlayedTurn) -> tuple[str, ...]:
    """The files to open for a review: those of the change, if its diff was not given."""
    return () if "changes.diff" in turn.documents else tuple(turn.files[:MOST_FILES])


def _mend(turn: PlayedTurn, tools: Toolbox) -> Act:
    """Add a line to the file that findings are settled in; if it can't be opened, do nothing."""
    paths = (turn.target,) if turn.target else tuple(turn.files[:MOST_FILES])
    words = f"Settled in round {turn.iteration}: {', '.join(turn.findings) or 'what was said'}."
    known = [path for path in paths if tools.text_of(path)][:1]
    changes = tuple(FileEdit(path, add=writing.remark(path, words)) for path in known)
    place = f"{known[0]}, last lines" if known else ""
    ends = writing.handoff(known, turn.stage) if turn.hands_off else ""
    return Act(paths, changes, writing.fix_report(turn.findings, place) + ends)


def _resolve(turn: PlayedTurn, tools: Toolbox) -> Act:
    """Keep both sides of every conflict, one after the other; skip files without markers."""
    shown = [text for name, text in turn.documents.items() if name.startswith("conflict ")]
    paths = tuple(text.partition("\n")[0].partition(":")[0] for text in shown)
    found = {path: writing.both_sides(tools.text_of(path) or []) for path in paths}
    changes = [FileEdit(path, both, part) for path, (part, both) in found.items() if part]
    named = ", ".join(change.path for change in changes) or "none"
    return Act(paths, tuple(changes), f"## Fix summary\nBoth sides are kept in: {named}.\n")


def _task(turn: PlayedTurn) -> Act:
    new = {path.removesuffix("(new)").strip(): path.endswith("(new)") for path in turn.files}
    words = f"Task {turn.task} is done here."
    changes = tuple(
        FileEdit(path, writing.code(path)) if is_new
        else FileEdit(path, add=writing.remark(path, words))
        for path, is_new in new.items()
    )  # fmt: skip
    opened = tuple(path for path, is_new in new.items() if not is_new)
    return Act(opened, changes, writing.report(list(new)))


def _question(asked: ModelRequest, turn: PlayedTurn) -> Act:
    """The answer to a question of the resume check."""
    if turn.kind is PlayedKind.READ:
        return Act((turn.target,), reply=turn.reply or f"Read {turn.target}.")
    if turn.kind is PlayedKind.COUNT:
        return Act(reply=str(last_findings(asked, turn.place)))
    return Act(reply=first_line(asked, turn.target))


def _plain(kind: PlayedKind) -> Act:
    """A turn in which nothing is read or changed."""
    match kind:
        case PlayedKind.CHECKS:
            return Act(reply=writing.report(()))
        case PlayedKind.HAND_OVER:
            return Act(reply=writing.hand_over())
        case PlayedKind.ASSIST:
            return Act(reply="No findings: the double searched for nothing.")
        case PlayedKind.KEEP_ALIVE:
            return Act()
        case PlayedKind.TITLE:
            return Act(object={"title": "A session with the double"})
        case _:
            return Act(object={})


def _about(turn: PlayedTurn) -> str:
    """The feature, as far as the path of its document tells."""
    return PurePosixPath(turn.folder).name.lstrip("0123456789-") or turn.stage or "feature"


def _close(act: Act, turn: PlayedTurn, tools: Toolbox) -> ModelWords:
    read = tools.lines_read() if turn.references else []
    names = ", ".join(f"{PurePosixPath(path).name} ({count} lines)" for path, count in read)
    confirmed = f"Files read: {names}\n" if read else ""
    tool = tools.tools.get(STRUCTURED)
    if act.object is None or (tool is None and not act.object):
        return ModelWords(confirmed + act.reply)
    if tool is None:
        return ModelWords(confirmed + json.dumps(act.object))
    if any(done.name == STRUCTURED for done in tools.done):
        return ModelWords("Done.")
    schema: JsonObject = tool.get("input_schema") or {}
    said = fit(formed(turn.role, act.object, schema), schema)
    return ModelWords(confirmed, (ToolCall(STRUCTURED, said),))
