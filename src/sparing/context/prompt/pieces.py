"""The segments a prompt is made of, each from one part of the brief.

A piece knows its text and how soon that changes; its position is decided by the order. All text
written by others is wrapped here; none is ever left bare.
"""

from __future__ import annotations

from collections.abc import Iterable

from sparing.artifact import ArtifactName
from sparing.change import FileChange
from sparing.context.prompt import turn_words
from sparing.context.prompt.brief import JUDGING, Brief, Document, Material
from sparing.context.prompt.inclusion import absent, defuse, required, wrap
from sparing.context.prompt.review_words import (
    LAST_CHANGES,
    finding_list,
    short_list,
    shows_last_changes,
    verdict_words,
)
from sparing.context.prompt.shorten import for_stage, split_rubric
from sparing.prompts.render import words
from sparing.segment import Segment, Volatility
from sparing.turn_kind import TurnKind

KNOWLEDGE = "knowledge"
LESSONS = "lessons of earlier features"
SHEET, QUOTED = "sheet", "quoted facts"


def rules(brief: Brief) -> list[Segment]:
    """The repository's rules file, lessons from earlier features, and the repository map."""
    told = [("rules", brief.rules)] if brief.rules else []
    told += [(KNOWLEDGE, Material(LESSONS, brief.knowledge))] if brief.knowledge else []
    told += [("map", Material("repository map", brief.map))] if brief.map else []
    return [_data(brief, name, material, Volatility.FEATURE) for name, material in told]


def documents(
    brief: Brief,
    names: Iterable[ArtifactName] | None = None,
    volatility: Volatility = Volatility.FEATURE,
) -> list[Segment]:
    """Documents in the order of `names` or of the workflow, each followed by its quoted facts."""
    known = {document.name: document for document in brief.documents}
    wanted = known if names is None else [name for name in names if name in known]
    told = ((document(brief, known[one], volatility), one) for one in wanted)
    return [part for first, one in told for part in (first, *sheet(brief, (one,), volatility))]


def sheet(
    brief: Brief, behind: Iterable[ArtifactName], volatility: Volatility = Volatility.FEATURE
) -> list[Segment]:
    """Quoted facts of the stages that wrote these documents."""
    wanted = set(behind)
    parts = [(one.stage, one.text) for one in brief.sheet if one.behind in wanted]
    told = [(f"{SHEET}-{stage}", Material(f"{QUOTED}, {stage}", text)) for stage, text in parts]
    return [_data(brief, name, material, volatility) for name, material in told]


def stale(brief: Brief) -> list[Segment]:
    """Which of the lines quoted above have been changed by commits."""
    if not brief.stale:
        return []
    told = Material(f"{QUOTED}, changes", brief.stale)
    return [_data(brief, f"{SHEET}-changes", told, Volatility.ITERATION)]


def names_facts(brief: Brief) -> list[Segment]:
    if not brief.names_facts:
        return []
    return [Segment("name-facts", words("blocks", "name_facts"), Volatility.ITERATION)]


def document(brief: Brief, one: Document, volatility: Volatility) -> Segment:
    if one.text is None:
        return Segment(one.name.value, absent(one.name) + "\n", volatility)
    name = Material(one.label or one.name.filename, one.text)
    return _data(brief, one.name.value, name, volatility)


def references(brief: Brief) -> list[Segment]:
    """Required Artifacts: the one place for absolute paths."""
    whole = [one for one in brief.full if one.name is ArtifactName.PRD] if brief.goals else []
    listed = [*whole, *brief.documents, *([brief.subject] if by_reference(brief) else [])]
    papers = [one for one in listed if one is not None]
    text = required(papers, brief.schema)
    return [Segment("references", text, Volatility.ROLE)] if papers else []


def by_reference(brief: Brief) -> bool:
    """Whether the document at hand is one of the role's artifacts: it is then read, not given."""
    return brief.subject is not None and brief.subject.name in brief.role.artifacts


def subject(brief: Brief) -> list[Segment]:
    if not brief.subject:
        return []
    told = sheet(brief, (brief.subject.name,), Volatility.STAGE)
    return [document(brief, brief.subject, Volatility.STAGE), *told]


def code(brief: Brief) -> list[Segment]:
    if brief.code is None or not brief.code.diff:
        return []
    material = Material("changes.diff", brief.code.diff)
    return [_data(brief, "code", material, Volatility.STAGE)]


def since(brief: Brief) -> list[Segment]:
    """Changes since the code was first reviewed, one segment for each later change."""
    later = brief.code.since if brief.code is not None else ()
    return [
        _data(brief, f"after-{n}", Material(f"changes-after-{n}.diff", text), Volatility.STAGE)
        for n, text in enumerate(later, 1)
    ]


def files(brief: Brief) -> list[Segment]:
    if brief.code is None or not brief.code.files:
        return []
    soon = Volatility.STAGE if brief.asked.kind in JUDGING else Volatility.ITERATION
    return [_data(brief, "files", _listed("files", brief.code.files), soon)]


def changed_files(brief: Brief) -> list[Segment]:
    if not brief.changed:
        return []
    listed = _listed("changed-files", brief.changed)
    return [_data(brief, "changed-files", listed, Volatility.ITERATION)]


def goals(brief: Brief) -> list[Segment]:
    if not brief.goals:
        return []
    material = Material("prd.md, problem and goals", brief.goals)
    return [_data(brief, "goals", material, Volatility.FEATURE)]


def project(brief: Brief) -> list[Segment]:
    if not brief.project:
        return []
    return [_data(brief, "project", Material("project", brief.project), Volatility.STAGE)]


def request(brief: Brief) -> list[Segment]:
    """The user's request, unless a handoff contains it."""
    if not brief.request or brief.handoff:
        return []
    return [_data(brief, "request", Material("request", brief.request), Volatility.ROLE)]


def scope(brief: Brief) -> list[Segment]:
    """Sections of plan and design, then the task itself."""
    own = [*brief.sections, *([Material("task", brief.task)] if brief.task else [])]
    return [
        _data(brief, one.name.partition(".")[0], one, Volatility.ITERATION) for one in own
    ]  # each task has its own


def role(brief: Brief) -> list[Segment]:
    text = for_stage(brief.role.text, brief.asked.stage)
    return [Segment("role", text + turn_words.tool_status(brief), Volatility.ROLE)]


def rubric(brief: Brief) -> list[Segment]:
    """The role's text without its check lists."""
    text = split_rubric(for_stage(brief.role.text, brief.asked.stage)).role
    return [Segment("role", text + turn_words.tool_status(brief), Volatility.ROLE)]


def checks(brief: Brief) -> list[Segment]:
    text = split_rubric(for_stage(brief.role.text, brief.asked.stage)).checks
    return [Segment("checks", text, Volatility.ROLE)] if text else []


def stage_texts(brief: Brief) -> list[Segment]:
    return [Segment(one.name, one.text, Volatility.ROLE) for one in brief.stage_texts]


def schema(brief: Brief, *, form: bool = False) -> list[Segment]:
    if brief.asked.kind is TurnKind.ASSIST and brief.schema is not None:
        return [Segment("schema", turn_words.form_words(brief.schema), Volatility.ROLE)]
    if brief.asked.kind not in JUDGING:
        return []
    return [Segment("schema", verdict_words(brief, form=form), Volatility.ROLE)]


def outcome(brief: Brief) -> list[Segment]:
    if not brief.outcome:
        return []
    material = Material("domain-reviewer-outcome", brief.outcome)
    return [_data(brief, "outcome", material, Volatility.ITERATION)]


def facts(brief: Brief) -> list[Segment]:
    if not brief.facts:
        return []
    return [_data(brief, "facts", Material("facts", brief.facts), Volatility.ITERATION)]


def materials(brief: Brief) -> list[Segment]:
    once = brief.asked.kind is TurnKind.ASSIST and not brief.asked.phase
    soon = Volatility.ROLE if once else Volatility.ITERATION
    return [_data(brief, one.name, one, soon) for one in brief.materials]


def findings(brief: Brief) -> list[Segment]:
    return _findings(brief, finding_list(brief.findings))


def earlier(brief: Brief) -> list[Segment]:
    """What a fresh session learns about earlier rounds: an author what to settle, a reviewer
    also the author's answers."""
    if brief.asked.kind not in JUDGING:
        return findings(brief)
    listed = finding_list(brief.findings) + short_list(brief.mentioned)
    return [*_findings(brief, listed), *fix_summary(brief)]


def recalled(brief: Brief) -> list[Segment]:
    """For a reviewer that knows the rest: a short explanation of each finding id it will see."""
    return _findings(brief, short_list((*brief.findings, *brief.mentioned)))


def _findings(brief: Brief, listed: str) -> list[Segment]:
    told = [Material("findings", listed)] if listed else []
    return [_data(brief, one.name, one, Volatility.ITERATION) for one in told]


def delta(brief: Brief) -> list[Segment]:
    if not brief.delta:
        return []
    return [_data(brief, "delta", Material("changes.diff", brief.delta), Volatility.ITERATION)]


def fix_summary(brief: Brief) -> list[Segment]:
    if not brief.fix_summary.strip():
        return []
    told = Material("fix-summary", brief.fix_summary.strip() + "\n")
    return [_data(brief, "fix-summary", told, Volatility.ITERATION)]


def last_changes(brief: Brief) -> list[Segment]:
    """For a reviewer asked what the change broke, if it has no notes that include the change."""
    if brief.notes or not shows_last_changes(brief):
        return []
    told = Material(LAST_CHANGES, brief.delta)
    return [_data(brief, "last-changes", told, Volatility.ITERATION)]


def noted(brief: Brief) -> list[Segment]:
    """For a role in a fresh session: notes on its earlier turns, from the ledger."""
    if not brief.notes:
        return []
    told = [Material("notes", brief.notes)]
    if brief.delta and not (brief.code and brief.code.since):
        told.append(Material(LAST_CHANGES, brief.delta))
    return [_data(brief, one.name.partition(".")[0], one, Volatility.ITERATION) for one in told]


def handed(brief: Brief) -> list[Segment]:
    """The handoff, for a session that starts where another one ended."""
    if not brief.handoff:
        return []
    return [_data(brief, "handed", Material("handoff", brief.handoff), Volatility.STAGE)]


def news(brief: Brief) -> list[Segment]:
    """For a resumed session: what others have written or changed in the meantime."""
    told = [document(brief, one, Volatility.ITERATION) for one in brief.news]
    return [*told, *changed_files(brief)]


def turn(text: str) -> list[Segment]:
    return [Segment("turn", text, Volatility.ITERATION)] if text else []


def handoff_again(*, whole: bool) -> list[Segment]:
    """`whole`: the stage has ended with one before, which this one replaces."""
    name = "handoff_whole" if whole else "handoff_again"
    return [Segment("handoff", words("turns", name), Volatility.ITERATION)]


def _listed(name: str, changes: Iterable[FileChange]) -> Material:
    rows = (f"{change.path} (+{change.added} -{change.removed})\n" for change in changes)
    return Material(name, "".join(rows))


def _data(brief: Brief, name: str, material: Material, volatility: Volatility) -> Segment:
    return Segment(name, wrap(material.text, brief.key, defuse(material.name)), volatility)
