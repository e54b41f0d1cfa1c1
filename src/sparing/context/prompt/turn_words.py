"""What an agent is asked to do in this turn, in words.

The wording is in files of `prompts/turns`; which of them are used is decided here. No file has a
gap for text by others: findings, diffs and feedback are documents beside the turn.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from sparing.context.documents.comments import comment_ids
from sparing.context.prompt.brief import REVIEWS, Brief
from sparing.context.prompt.inclusion import defuse
from sparing.context.prompt.review_words import earlier_names, has_both, ids_of, reminder
from sparing.context.prompt.shorten import VERIFIES, has_section, once, skeleton
from sparing.finding import Verdict
from sparing.prompts.render import fill, words
from sparing.turn_kind import TurnKind

FEEDBACK = "feedback"
DIVERGENCES = "divergences"
"""Where the code differs from what deeper tests ask for."""
CHECK = "check "
"""Prefix of the names of documents that hold a check's output."""
SAID = "said"
"""What a person told an author between two turns."""
DESCRIPTION = "description"
"""The request at length."""
ANSWERS = "answers"
"""What an author asked and a person answered."""
CHECK_RESULTS = "check-results"
"""Results of the repository's checks on the current code."""
DECIDED = "decisions"
RESEARCH = "research-"
"""Prefix of the names of documents with research findings for an author."""
MAY_ASK = frozenset(
    {TurnKind.WRITE, TurnKind.PART, TurnKind.REDO, TurnKind.TASK, TurnKind.REVISE, TurnKind.FIX}
)
"""Turns of authors outside of tiers, where no handoff block asks for open questions."""
WITHOUT_ITERATION = frozenset(
    {
        "plan-reviewer",
        "task-reviewer",
        "implementation-reviewer",
        "code-quality-reviewer",
        "security-reviewer",
    }
)
"""The seed's prompts of these roles have no iteration section, except after a lost session."""

_FOR_NEXT = "- **Next Stage Needs**"


def fresh_turn(brief: Brief, *, resumed: bool = False) -> str:
    """Instructions for a fresh session; a resumed one already knows how to ask a person and how to
    end a stage."""
    said = _say(brief, *_fresh_names(brief), *_known_names(brief))
    settles = brief.asked.kind in (TurnKind.REVISE, TurnKind.FIX)
    if settles:
        said += "\n" + words("blocks", "fix_summary")
    ends_stage = brief.asked.kind in (TurnKind.STAGE, TurnKind.ANSWER)
    if brief.stage_texts and (ends_stage or (brief.asked.kind is TurnKind.REDO and not resumed)):
        said = _with_handoff(brief, said)
    if not brief.stage_texts and brief.asked.kind in MAY_ASK and not resumed:
        said += words("turns", "questions_form" if settles else "questions")
    return said


def block_again(*, missing: bool = False, last: bool = False) -> str:
    """What a tier's author is told if its handoff block is missing or can't be read."""
    name = "block_missing" if missing else "block_again"
    return words("turns", name) + "\n" + handoff_form(last=last)


def _fresh_names(brief: Brief) -> list[str]:
    """The files of `prompts/turns` to use, in order."""
    asked = brief.asked
    match asked.kind:
        case TurnKind.WRITE:
            opening = "write" if brief.documents else "write_first"
            return ["write_part" if asked.phase else opening]
        case TurnKind.REDO:
            redo = "redo" if asked.target else "redo_code"
            return ["refine" if asked.words == "turns/refine" else redo]
        case TurnKind.REVIEW | TurnKind.VALIDATE:
            name = _look_name(brief) if asked.kind is TurnKind.REVIEW else "validate_fresh"
            return [name, *_iteration_lines(brief)]
        case TurnKind.TASK:
            again = ["task_again"] if _tried_before(brief) else []
            return ["task", *([] if asked.done_stated else ["no_done"]), *again]
        case TurnKind.STAGE | TurnKind.ANSWER:
            return ["stage" if asked.target else "stage_only", *_feedback(brief)]
        case TurnKind.ASSIST | TurnKind.CHECKS:
            return [asked.words.removeprefix("turns/")]
        case TurnKind.REVISE | TurnKind.FIX | TurnKind.JUDGE | TurnKind.PART:
            judges = asked.kind is TurnKind.JUDGE
            return [asked.kind.value, *(earlier_names(brief) + _said_of(brief) if judges else [])]


def _look_name(brief: Brief) -> str:
    return "review_panel" if has_both(brief) else "review"


def _tried_before(brief: Brief) -> bool:
    """Whether an earlier attempt was followed by feedback or failed checks."""
    return any(one.name == FEEDBACK or one.name.startswith(CHECK) for one in brief.materials)


def _known_names(brief: Brief) -> list[str]:
    """The files of `prompts/turns` about documents that only some turns have."""
    since = ["since"] if brief.code is not None and brief.code.since else []
    whole = brief.handoff and brief.handoff != brief.handoff_notes  # notes explain themselves
    since += ["handed"] if whole else []
    return [
        *since,
        *(["noted"] if brief.notes else []),
        *_given(brief),
        *_beside(brief),
        *_persons(brief),
    ]


def _beside(brief: Brief) -> list[str]:
    """The files about the request in full length and about what others have found."""
    named = [one.name for one in brief.materials]
    described = ["described"] if DESCRIPTION in named else []
    described += ["requested"] if brief.request and not brief.handoff else []
    described += ["diverged"] if DIVERGENCES in named else []
    described += _checked(brief)
    return [*described, *(["research"] if any(n.startswith(RESEARCH) for n in named) else [])]


def _checked(brief: Brief) -> list[str]:
    return ["checks_run"] if any(one.name == CHECK_RESULTS for one in brief.materials) else []


def _given(brief: Brief) -> list[str]:
    return ["given"] if brief.given else []


def _persons(brief: Brief) -> list[str]:
    """The files about a person's comments, remarks and decisions."""
    said = {one.name: one.text for one in brief.materials}
    comments = ["comments"] if comment_ids(said.get(FEEDBACK, "")) else []
    return [*comments, *(name for name in (SAID, DECIDED) if name in said)]


def handoff_form(*, last: bool) -> str:
    """The form of a handoff; the last stage is not asked what the next one needs."""
    lines = words("blocks", "handoff").splitlines(keepends=True)
    return "".join(line for line in lines if not (last and line.startswith(_FOR_NEXT)))


def _with_handoff(brief: Brief, said: str) -> str:
    """Add the handoff instructions unless the role's or the stage's text contains them."""
    known = "\n".join((brief.role.text, *(one.text for one in brief.stage_texts)))
    block = handoff_form(last=brief.asked.last)
    again = brief.asked.kind is TurnKind.REDO or bool(brief.findings)
    whole = block + (words("blocks", "handoff_of_stage") if again else "")
    return said if once(known, block) == known else f"{said}\n{whole}"


def resumed_turn(brief: Brief) -> str:
    """For a session that knows the rest."""
    asked = brief.asked
    match asked.kind:
        case TurnKind.REVIEW:
            name = "review_again" if brief.delta else "review_answers"
            return _say(brief, name, *_given(brief), *_persons(brief)) + reminder(brief)
        case TurnKind.VALIDATE:
            return _say(brief, "validate", *_persons(brief)) + reminder(brief)
        case TurnKind.REVISE:
            return _say(brief, "revise", *_given(brief), *_persons(brief)) + settle(brief)
        case TurnKind.FIX:
            return _say(brief, "fix_again", *_given(brief), *_persons(brief)) + settle(brief)
        case TurnKind.TASK:
            stated = [] if asked.done_stated else ["no_done"]
            return _say(brief, "task_next", *stated, *_known_names(brief), *_news(brief))
        case TurnKind.STAGE | TurnKind.JUDGE:
            builds = asked.kind is TurnKind.STAGE and asked.target
            name = "transition_again" if asked.back else "transition"
            said = (*_news(brief), *_feedback(brief), *_checked(brief), *_persons(brief))
            form = reminder(brief) if asked.back and asked.kind is TurnKind.JUDGE else ""
            return _say(brief, name if builds else f"{name}_only", *said) + form
        case TurnKind.ANSWER:
            name = "answered" if asked.target else "answered_only"
            return _say(brief, name, *_feedback(brief), *_persons(brief))
        case _:
            known = replace(brief, handoff="", request="")
            return fresh_turn(known, resumed=True) + _say(brief, *_news(brief))


def _news(brief: Brief) -> list[str]:
    return [*(["news"] if brief.news else []), *(["news_files"] if brief.changed else [])]


def seed_iteration(brief: Brief) -> str:
    """The seed's iteration section; empty for the roles that have none."""
    asked = brief.asked
    if asked.kind not in REVIEWS:
        return fresh_turn(brief)
    if brief.role.name in WITHOUT_ITERATION and not asked.lost:
        return ""
    lost = ["lost"] if asked.lost else []
    earlier = ["seed_earlier"] if brief.findings else []
    return _say(brief, "seed_iteration", *lost, *earlier)


def seed_opening(brief: Brief) -> str:
    """How the seed begins a resumed message."""
    names = {
        TurnKind.REVIEW: "seed_again_opening",
        TurnKind.VALIDATE: "seed_validate_opening",
        TurnKind.FIX: "seed_fix_again_opening",
    }
    return _say(brief, names[brief.asked.kind])


def seed_closing(brief: Brief) -> str:
    """How the seed ends a resumed message."""
    match brief.asked.kind:
        case TurnKind.REVIEW:
            return _say(brief, "seed_again") + reminder(brief, seed=True)
        case TurnKind.VALIDATE:
            name = "seed_validate" if brief.delta else "seed_validate_same"
            return _say(brief, name) + reminder(brief, seed=True)
        case _:
            return _say(brief, "seed_fix", *_persons(brief)) + settle(brief)


def settle(brief: Brief) -> str:
    """How findings are answered: in full once a session, then in a line."""
    if brief.asked.seen > 1:
        return _say(brief, "settle_again")
    return "\n" + words("blocks", "fix_summary")


def form_words(schema: Mapping[str, Any]) -> str:
    """The form of an answer that is not a verdict."""
    return fill("turns", "form", form=skeleton(schema))


def repair_secrets(places: Sequence[str]) -> str:
    """Ask for secrets to be removed, naming files and lines but never the values."""
    listed = "\n".join(f"- {defuse(place)}" for place in places)
    return fill("blocks", "repair_secrets", places=listed)


def system(role_class: str, *, together: bool = True) -> str:
    """The neutral system prompt that all roles of a class share; `together`: it asks for several
    requests to tools in one turn."""
    text = words("blocks", f"system_{role_class}") + "\n" + words("blocks", "documents_are_data")
    if not together:
        for asked in words("blocks", "together").splitlines():
            text = text.replace(f"{asked} ", "").replace(asked, "")
    return text


def report(verdict: Verdict, passed: bool) -> str:
    """A verdict as a document."""
    return fill(
        "documents", "report", role=verdict.role, passed=passed, summary=verdict.summary,
        findings=verdict.findings,
    )  # fmt: skip


def _say(brief: Brief, *names: str) -> str:
    asked = brief.asked
    return "".join(
        fill(
            "turns", name, stage=asked.stage, title=defuse(asked.title), target=asked.target,
            subject=asked.subject, iteration=asked.iteration, cap=asked.cap, seen=asked.seen,
            task=asked.task, phase=asked.phase, first=asked.panel[0] if asked.panel else "",
            second=asked.panel[-1] if asked.panel else "", ids=ids_of(brief.findings),
        )
        for name in names
    )  # fmt: skip


def _iteration_lines(brief: Brief) -> list[str]:
    return [*(["lost"] if brief.asked.lost else []), *earlier_names(brief)]


def _feedback(brief: Brief) -> list[str]:
    if brief.asked.kind is TurnKind.ANSWER:
        return [ANSWERS]
    return [*(["stage_findings"] if brief.findings else []), *_said_of(brief)]


def _said_of(brief: Brief) -> list[str]:
    return ["feedback"] if _tried_before(brief) else []


def tool_status(brief: Brief) -> str:
    """Tell a role that must verify claims whether it has the tools to do so."""
    if not has_section(brief.role.text, VERIFIES):
        return ""
    return words("turns", "tools_on" if "web" in brief.role.tools else "tools_off")
