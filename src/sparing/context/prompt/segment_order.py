"""The nested order: first what many dispatches share, last what only this role and turn have.

Three groups share: roles that read the documents (`prd | spec | design | plan | tasks`), roles that
read the code (`design | spec | code`, and only then what one of them also needs) or work on it
(`design | spec | prd | tasks | plan`), and all tasks of a feature (`spec | goals | project`). The
tasks have one role, so its text is shared too and comes before what is specific to a task.

The seed's order and templates: role and rubric, artifacts, lists and schema, then what changes.

Fresh prompts follow the original skeleton, resumed ones its delta templates. The deviations of
single roles (coda, check lists, levels, no iteration section) come from their texts and from
`turns`; nothing here applies to one role only.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

from sparing.artifact import ArtifactName
from sparing.context.prompt import pieces, turn_words
from sparing.context.prompt.brief import REVIEWS, Brief
from sparing.dispatch_policy import Way
from sparing.prompts.render import words
from sparing.segment import Segment, Volatility
from sparing.turn_kind import KINDS, TurnKind

BESIDE_CODE = (ArtifactName.DESIGN, ArtifactName.SPEC)
BEHIND_CODE = (ArtifactName.PRD, ArtifactName.TASKS, ArtifactName.PLAN)
IN_SESSION = {
    TurnKind.PART: turn_words.RESEARCH,
    TurnKind.REDO: turn_words.CHECK_RESULTS,
}
"""By the beginning of its name, what a resumed session was given at the stage's first turn."""


class Layout(NamedTuple):
    trunk: tuple[Segment, ...]
    own: tuple[Segment, ...]


def nested(brief: Brief, way: Way) -> Layout:
    by_path = way is Way.REFERENCE
    if brief.asked.kind is TurnKind.TASK:
        return _task(brief, by_path=by_path)
    builds = bool(brief.stage_texts) and not (brief.code and brief.code.diff)
    if (brief.code is not None and not builds) or _is_phase(brief):
        return _code(brief, by_path=by_path)
    return _documents(brief, by_path=by_path)


def nested_again(brief: Brief) -> tuple[Segment, ...]:
    """For a resumed session: what it must learn, then what to do."""
    told: list[Segment] = []
    known = turn_words.DECIDED if brief.asked.decided else ""
    if known := IN_SESSION.get(brief.asked.kind, known):
        kept = (one for one in brief.materials if not one.name.startswith(known))
        brief = replace(brief, materials=tuple(kept))
    match brief.asked.kind:
        case TurnKind.REVIEW | TurnKind.VALIDATE:
            told = [
                *pieces.delta(brief), *pieces.facts(brief), *pieces.recalled(brief),
                *pieces.fix_summary(brief), *pieces.materials(brief),
            ]  # fmt: skip
        case TurnKind.FIX:
            told = [
                *pieces.findings(brief), *pieces.changed_files(brief), *pieces.files(brief),
                *pieces.materials(brief),
            ]  # fmt: skip
        case TurnKind.TASK:
            told = [
                *pieces.changed_files(brief), *pieces.stale(brief), *pieces.scope(brief),
                *pieces.materials(brief),
            ]  # fmt: skip
        case TurnKind.STAGE | TurnKind.JUDGE:
            builds, back = brief.asked.kind is TurnKind.STAGE, brief.asked.back
            return (
                *pieces.news(brief),
                *pieces.turn(turn_words.resumed_turn(brief)),
                *([] if (builds and not brief.asked.stranger) or back else pieces.role(brief)),
                *([] if back else pieces.stage_texts(brief)),
                *([] if back else pieces.schema(brief)),
                *pieces.findings(brief),
                *pieces.materials(brief),
                *(_handing_over(brief) if builds else []),
            )
        case _:
            told = [*pieces.news(brief), *pieces.findings(brief), *pieces.materials(brief)]
    # In a tier every author's turn ends with a handoff block.
    block = pieces.handoff_again(whole=True) if brief.stage_texts else []
    return (*told, *pieces.turn(turn_words.resumed_turn(brief)), *block)


def _handing_over(brief: Brief) -> list[Segment]:
    """How a tier's author ends its reply; whoever joins another role's session is told in full."""
    if not brief.asked.stranger:
        return pieces.handoff_again(whole=brief.asked.back)
    return [
        Segment("handoff", turn_words.handoff_form(last=brief.asked.last), Volatility.ITERATION)
    ]


def _documents(brief: Brief, *, by_path: bool) -> Layout:
    given = [] if by_path else pieces.documents(brief)
    at_hand = [] if by_path and pieces.by_reference(brief) else pieces.subject(brief)
    return Layout(
        (*pieces.rules(brief), *given, *at_hand),
        (*pieces.project(brief), *pieces.handed(brief), *_own(brief, by_path=by_path)),
    )


def _is_phase(brief: Brief) -> bool:
    """Whether it is a turn of a two-phase role, whose second phase starts like its first."""
    return brief.asked.kind is TurnKind.ASSIST and bool(brief.asked.phase)


def _code(brief: Brief, *, by_path: bool) -> Layout:
    """Documents behind the code belong to one role; without code, all documents go into the
    trunk and are shared by all roles that work on the code."""
    if by_path:
        return Layout(
            tuple(pieces.rules(brief)), (*pieces.files(brief), *_own(brief, by_path=True))
        )
    known = [*BESIDE_CODE, *BEHIND_CODE]
    others = [one.name for one in brief.documents if one.name not in known]
    front = (
        *pieces.rules(brief),
        *pieces.documents(brief, BESIDE_CODE),
        *pieces.sheet(brief, [one.behind for one in brief.sheet if one.behind not in BESIDE_CODE]),
    )
    brief = replace(brief, sheet=())  # all of it is said
    if brief.code is None or not brief.code.diff:
        behind = pieces.documents(brief, [*BEHIND_CODE, *others])
        return Layout((*front, *behind), (*_own(brief, by_path=False),))
    return Layout(
        (*front, *pieces.code(brief), *pieces.since(brief)),
        (
            *pieces.documents(brief, [*BEHIND_CODE, *others], Volatility.ROLE),
            *_own(brief, by_path=False),
        ),
    )


def _task(brief: Brief, *, by_path: bool) -> Layout:
    given = [] if by_path else [*pieces.documents(brief), *pieces.goals(brief), *_quoted(brief)]
    paths = pieces.references(brief) if by_path else []
    return Layout(
        (*pieces.rules(brief), *given, *pieces.project(brief), *pieces.role(brief)),
        (
            *paths,
            *([] if by_path else pieces.stale(brief)),
            *pieces.scope(brief),
            *pieces.materials(brief),
            *pieces.turn(turn_words.fresh_turn(brief)),
        ),
    )


def _quoted(brief: Brief) -> list[Segment]:
    """Quoted facts for documents that the task gets in part or not at all."""
    given = {one.name for one in brief.documents}
    return pieces.sheet(brief, [one.behind for one in brief.sheet if one.behind not in given])


def _own(brief: Brief, *, by_path: bool) -> list[Segment]:
    """Everything from the role's text onwards."""
    early, late = pieces.materials(brief), list[Segment]()
    if brief.asked.kind is not TurnKind.ASSIST or _is_phase(brief):
        early, late = late, early
    return [
        *pieces.request(brief),
        *early,
        *pieces.role(brief),
        *pieces.stage_texts(brief),
        *(pieces.references(brief) if by_path else []),
        *pieces.schema(brief),
        *pieces.outcome(brief),
        *(pieces.files(brief) if KINDS[brief.asked.kind].lists_files and not by_path else []),
        *([] if by_path else pieces.stale(brief)),
        *pieces.facts(brief),
        *pieces.earlier(brief),
        *late,
        *pieces.noted(brief),
        *pieces.last_changes(brief),
        *pieces.turn(turn_words.fresh_turn(brief)),
        *pieces.names_facts(brief),
    ]


def seed(brief: Brief, way: Way) -> Layout:
    by_path = way is Way.REFERENCE
    return Layout(
        (
            *pieces.rubric(brief),
            *pieces.stage_texts(brief),
            *pieces.rules(brief),
            *_artifacts(brief, by_path=by_path),
            *pieces.project(brief),
            *pieces.request(brief),
            *pieces.handed(brief),
            *pieces.checks(brief),
            *pieces.schema(brief, form=True),
        ),
        (
            *_at_hand(brief, by_path=by_path),
            *pieces.facts(brief),
            *pieces.scope(brief),
            *pieces.outcome(brief),
            *pieces.materials(brief),
            *pieces.noted(brief),
            *_closing(brief),
        ),
    )


def seed_again(brief: Brief) -> tuple[Segment, ...]:
    """The original's resumed messages; kinds it does not know are said as in the nested order."""
    again = nested_again(brief)
    match brief.asked.kind:
        case TurnKind.REVIEW | TurnKind.VALIDATE if brief.delta:
            told = [
                *pieces.delta(brief),
                *pieces.facts(brief),
                *_headed("## Previous Issues", pieces.recalled(brief)),
                *_headed("## Fix Summary", pieces.fix_summary(brief)),
            ]
        case TurnKind.FIX:
            told = [
                *_headed("## New Issues to Fix", pieces.findings(brief)),
                *_headed("## Changed Files to Re-read", pieces.changed_files(brief)),
                *_headed("## All Implementation Files (for reference)", pieces.files(brief)),
                *pieces.materials(brief),
            ]
        case TurnKind.VALIDATE:
            return tuple(pieces.turn(turn_words.seed_closing(brief)))
        case TurnKind.JUDGE:
            return _judged_by_builder(brief)
        case TurnKind.REVISE:
            headed = _headed("## Issues to Fix", pieces.findings(brief))
            return tuple(headed[0] if one.name == "findings" else one for one in again)
        case _:
            return again
    opening = _headed(turn_words.seed_opening(brief).rstrip("\n"), told[:1])
    return (*opening, *told[1:], *pieces.turn(turn_words.seed_closing(brief)))


def _judged_by_builder(brief: Brief) -> tuple[Segment, ...]:
    """Under the seed, a tier's work is judged in the session that built it: it is not told to
    judge as an outsider, and must be given the form and the changed files."""
    back = brief.asked.back
    return (
        *pieces.news(brief),
        *pieces.turn(turn_words.resumed_turn(brief)),
        *([] if back else [Segment("role", words("turns", "judge_own"), Volatility.ROLE)]),
        *([] if back else pieces.stage_texts(brief)),
        *([] if back else pieces.schema(replace(brief, documents=()), form=True)),
        *_headed("## Implementation Files", pieces.files(brief)),
        *pieces.findings(brief),
        *pieces.materials(brief),
    )


def _artifacts(brief: Brief, *, by_path: bool) -> list[Segment]:
    if by_path:
        return pieces.references(brief)
    return [*_headed("## Required Artifacts", pieces.documents(brief)), *pieces.goals(brief)]


def _at_hand(brief: Brief, *, by_path: bool) -> list[Segment]:
    """The artifact or the files that are judged or changed."""
    if brief.code is not None:
        diff = [] if by_path else pieces.code(brief)
        return [*_headed("## Implementation Files", pieces.files(brief)), *diff]
    if brief.subject is None or (by_path and pieces.by_reference(brief)):
        return []
    stands = "under review" if brief.asked.kind in REVIEWS else "as it stands"
    return _headed(f"## {brief.subject.name.filename} {stands}", pieces.subject(brief))


def _closing(brief: Brief) -> list[Segment]:
    if brief.asked.kind in REVIEWS:
        text = turn_words.seed_iteration(brief)
        return [*pieces.turn(text), *(pieces.findings(brief) if text else [])]
    found = _headed("## Issues to Fix", pieces.findings(brief))
    return [*found, *pieces.turn(turn_words.seed_iteration(brief)), *pieces.names_facts(brief)]


def _headed(heading: str, segments: Sequence[Segment]) -> list[Segment]:
    if not segments:
        return []
    first, *rest = segments
    return [replace(first, text=f"{heading}\n{first.text}"), *rest]
