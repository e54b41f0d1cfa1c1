"""What a role gets besides documents: the user's request, and what research has found.

A person's messages to a feature between two turns: delivered with the author's next turn.

A word is heard once. It counts as heard when the turn that brought it has led to a commit; one
that was lost on the way is brought again.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from sparing.artifact import ArtifactName
from sparing.briefing.prior_findings import is_seed
from sparing.briefing.trunk_group import is_tier
from sparing.connection import Connection
from sparing.context.prompt.brief import REVIEWS, Brief, Material
from sparing.context.prompt.turn_words import CHECK_RESULTS, DECIDED, DESCRIPTION, RESEARCH, SAID
from sparing.event import ChecksEvent
from sparing.flow.flows import FLOWS
from sparing.flow.stage import StageWork
from sparing.prompts.render import fill
from sparing.records import events, mailbox
from sparing.records.mailbox import SAY, Letter
from sparing.runtime.events import Teller, tell
from sparing.runtime.persons import SAYS, persons_words
from sparing.runtime.source import Source
from sparing.session import Session
from sparing.turn import TURNS, Turn
from sparing.turn_kind import TurnKind

ROADMAP = "roadmap"
PART = "files in the working folder"
ABOUT_IT = frozenset({Turn.REVIEW, Turn.REVISE, Turn.REDO, Turn.REFINE, Turn.PART})
LONGEST_DESCRIPTION = 24_000


def background(source: Source, kind: TurnKind) -> tuple[Material, ...]:
    """The first author and researchers get the full request; a proposal gets its predecessor."""
    turn, told = source.job.turn, list[Material]()
    description = source.row.background.description
    from_it = turn is Turn.WRITE and not is_tier(source) and _begins(source)
    if description and (turn is Turn.RESEARCH or from_it):
        told.append(Material(DESCRIPTION, description[:LONGEST_DESCRIPTION]))
    if turn in (Turn.WRITE, Turn.PART):
        told += [
            Material(f"{RESEARCH}{role}", source.fetch(digest))
            for role, digest in source.job.research
            if digest
        ]
    told += _checked(source) if turn in (Turn.WRITE, Turn.REDO, Turn.JUDGE) else []
    told += _decided(source) if kind in (*REVIEWS, TurnKind.REVISE, TurnKind.FIX) else []
    cone = source.around.cone(source.row) if TURNS[turn].sees_code else ()
    if cone:
        text = fill("blocks", "worktree_part", folders=", ".join(cone))
        told.append(Material(PART, text))
    roadmap = source.text(f"{source.folder}/roadmap.md") if turn is Turn.PROPOSE else None
    if roadmap and kind is TurnKind.ASSIST:
        told.append(Material(ROADMAP, roadmap))
    return tuple(told)


def _checked(source: Source) -> list[Material]:
    """In a tier: the checks the program ran, for the judge of the code, and for the last author
    if no stage verifies."""
    if not is_tier(source) or not (_judges_code(source) or _sums_up_unverified(source)):
        return []
    with source.around.database.read() as connection:
        past = events.since(connection, 0, source.row.feature.key)
    runs = [one for one in past if one.kind == ChecksEvent.kind]
    if not runs:
        return []
    return [Material(CHECK_RESULTS, results_text(runs[-1].data, runs[-1].text))]


def results_text(passed: Mapping[str, bool], text: str) -> str:
    """A line for each check, and what it comes to if one of them is red."""
    rows = [f"- {name}: {'green' if good else 'red'}" for name, good in passed.items()]
    more = [] if all(passed.values()) else [f"- together: {text}"]
    return "\n".join([*rows, *more] or ["- none were found in the repository"]) + "\n"


def _judges_code(source: Source) -> bool:
    """Whether this stage judges code; the original's judge is in the session that saw the
    checks."""
    judges = source.stage.work is StageWork.JUDGE and ArtifactName.PLAN in source.stage.reads
    return judges and not is_seed(source)


def _sums_up_unverified(source: Source) -> bool:
    stages = FLOWS[source.row.feature.flow].stages
    verified = any(stage.work is StageWork.CHECK for stage in stages)
    return not verified and source.stage == stages[-1]


def _begins(source: Source) -> bool:
    """Whether the request has not been turned into a PRD yet."""
    first = source.stage == FLOWS[source.row.feature.flow].stages[0]
    return first or source.document(ArtifactName.PRD).text is None


def _decided(source: Source) -> list[Material]:
    """What a person answered or wanted changed: reviewers would call it out of scope."""
    said = () if is_seed(source) else persons_words(source, *SAYS, stage=source.job.stage)
    return [Material(DECIDED, "\n\n".join(one.text.strip() for one in said))] if said else []


def knows_decisions(source: Source, session: Session | None) -> bool:
    """Whether all of it was said before the session was last used."""
    said = persons_words(source, *SAYS, stage=source.job.stage) if session else []
    return session is not None and all(one.at <= session.last_activity for one in said)


def request_of(source: Source) -> str:
    """What the user asked for: for every role in a tier, and otherwise for roles that judge or
    change the first document made of it."""
    told = source.job.turn in ABOUT_IT and source.stage.work is StageWork.DOCUMENT
    if not is_tier(source) and not (told and _begins(source)):
        return ""
    feature, asked = source.row.feature, source.row.background
    head = f"Title: {feature.title}\nPriority: {asked.priority}\n"
    said = asked.description[:LONGEST_DESCRIPTION].strip()
    return f"{head}\n{said}\n" if said else head


HEARD = "heard"


def with_words(brief: Brief, source: Source, teller: Teller) -> Brief:
    if not source.role.role_class.writes:
        return brief
    around = source.around
    with around.database.read() as connection:
        letters = mailbox.words_to(connection, teller.feature, SAY)
        new = _unheard(connection, teller, letters) if letters else []
    if not new:
        return brief
    with around.database.write() as tx:
        data = {"letters": [letter.n for letter in new]}
        tell(tx, teller, source.job, HEARD, data=data)
    said = Material(SAID, "\n\n".join(letter.body for letter in new) + "\n")
    return replace(brief, materials=(*brief.materials, said))


def _unheard(connection: Connection, teller: Teller, letters: list[Letter]) -> list[Letter]:
    past = events.since(connection, 0, teller.feature)
    led = {one.key.removesuffix(".commit") for one in past if one.kind == "commit"}
    heard: set[int] = set()
    for event in past:
        dispatch = event.key.removesuffix(f".{HEARD}")
        if event.kind == HEARD and dispatch != teller.id and dispatch in led:
            heard |= set(event.data["letters"])
    return [letter for letter in letters if letter.n not in heard]
