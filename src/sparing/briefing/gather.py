"""Gathering everything that a job's dispatch may say.

Which documents a role gets is defined in its file and in the flow; here they are fetched. A
document that is being judged is not given a second time among the known ones, and one that comes
after it is not given at all.
"""

from __future__ import annotations

from dataclasses import dataclass

from sparing.artifact import ArtifactName
from sparing.briefing.background import background, knows_decisions, request_of
from sparing.briefing.fit_documents import repair_of
from sparing.briefing.lessons import knowledge_for
from sparing.briefing.prior_findings import (
    changes_of,
    delta_of,
    findings_of,
    fixes_of,
    hears_author,
    is_seed,
    mentioned_in,
    outcome_of,
    refreshed,
)
from sparing.briefing.program_handoff import going_on, summaries
from sparing.briefing.project import project_of
from sparing.briefing.refined_excerpt import excerpt
from sparing.briefing.retro import record
from sparing.briefing.session_memory import is_stranger, last_look, was_here
from sparing.briefing.trunk_group import form_of, is_tier, roles_text, stage_texts
from sparing.change import FileChange
from sparing.context.documents.fix_summary import answers
from sparing.context.documents.literal import literal_scope, literal_tasks
from sparing.context.documents.scope import index_document, scope_prd, scope_task
from sparing.context.documents.tasks import parse_tasks
from sparing.context.prompt import turn_words
from sparing.context.prompt.brief import (
    REVIEWS,
    Brief,
    Code,
    Document,
    Material,
    PromptRole,
    TurnSubject,
    part_of,
)
from sparing.context.prompt.check_output import printed
from sparing.context.prompt.shorten import literal_references, without_digested
from sparing.errors import FeatureError
from sparing.flow.flows import FLOWS
from sparing.flow.stage import StageWork
from sparing.roles.load import Role, RoleClass
from sparing.runtime.levers import is_chained
from sparing.runtime.source import Source
from sparing.session import Session
from sparing.task import Task
from sparing.turn import TURNS, Turn
from sparing.turn_kind import KINDS, Actor, TurnKind

CANONICAL = (
    ArtifactName.PRD, ArtifactName.SPEC, ArtifactName.DESIGN, ArtifactName.PLAN, ArtifactName.TASKS,
)  # fmt: skip
SCOPED = (ArtifactName.PLAN, ArtifactName.DESIGN, ArtifactName.TASKS)
"""Documents of which each task is given its own parts."""


@dataclass(frozen=True, slots=True)
class Scoped:
    """What a task is given beside the spec."""

    task: Task
    goals: str
    sections: tuple[Material, ...]
    warnings: tuple[str, ...]


def gather(source: Source) -> Brief:
    kind, role = _kind(source), source.role
    scoped = _scoped(source) if kind is TurnKind.TASK else None
    subject = _subject(source, kind)
    full = tuple(
        source.document(name) for name in _names(source, role, kind) if _before(name, subject)
    )
    papers = tuple(excerpt(source, one) for one in full)
    known = summaries(source, without_digested(papers)) if is_tier(source) else papers
    project = project_of(source) if role.role_class is not RoleClass.RESEARCHER else None
    session = source.session if source.session and source.knows(source.session.commit) else None
    delta = delta_of(source, session) if kind in REVIEWS and session else ""
    found = findings_of(source, kind)
    fixes = fixes_of(source) if session or hears_author(source, kind, found) else ""
    said = roles_text(source.roles, source.job.turn)
    brief = Brief(
        key=source.key,
        role=PromptRole(
            role.name,
            literal_references(said) if is_seed(source) else said,
            frozenset(role.artifacts),
            role.tools,
        ),
        asked=_asked(source, kind, scoped),
        rules=None if role.role_class is RoleClass.RESEARCHER else source.rules,
        documents=tuple(one for one in known if scoped is None or one.name is ArtifactName.SPEC),
        subject=_at_hand(source, subject),
        code=_code(source, kind),
        goals=scoped.goals if scoped else "",
        project=project.text if project else "",
        request=request_of(source),
        sections=scoped.sections if scoped else (),
        task=scoped.task.body if scoped else "",
        stage_texts=stage_texts(source),
        materials=(*_said(source, kind), *background(source, kind), *record(source)),
        outcome=outcome_of(source) if kind is TurnKind.REVIEW else "",
        knowledge=knowledge_for(source),
        findings=found,
        mentioned=mentioned_in(source, fixes, found) if kind in REVIEWS else (),
        delta=delta,
        fix_summary=fixes,
        changed=_changed(source, kind, session),
        facts=source.fetch(source.job.facts) if kind in REVIEWS and not is_seed(source) else "",
        schema=form_of(source.job.turn, panel=bool(source.job.panel)),
        resumable=_resumable(source, role, kind, bool(delta or answers(fixes))),
        full=full,
        warnings=(*(scoped.warnings if scoped else ()), *(project.warnings if project else ())),
    )
    return going_on(brief, source) if source.job.going.thread else brief


def _changed(source: Source, kind: TurnKind, session: Session | None) -> tuple[FileChange, ...]:
    """Files that a session has seen and that are not as they were then."""
    if session is None:
        return ()
    if kind is TurnKind.TASK and source.job.chain:
        return source.changed(session.commit)
    return refreshed(source, session) if kind is TurnKind.FIX else ()


def _kind(source: Source) -> TurnKind:
    on_code = source.stage.work is StageWork.IMPLEMENT
    kinds = TURNS[source.job.turn].kinds
    return kinds.here(on_code=on_code, in_tier=is_tier(source), final=source.final)


def _names(source: Source, role: Role, kind: TurnKind) -> tuple[ArtifactName, ...]:
    """Documents for this turn: from the flow, or from the role's own file."""
    listed = role.artifacts if KINDS[kind].own_documents else source.stage.reads
    if is_tier(source):  # a tier without the stage never has its document
        made = {stage.writes for stage in FLOWS[source.row.feature.flow].stages}
        listed = tuple(name for name in listed if name in made)
    return tuple(dict.fromkeys(name for name in (*CANONICAL, *listed) if name in listed))


def _before(name: ArtifactName, subject: ArtifactName | None) -> bool:
    if subject is None or subject not in CANONICAL or name not in CANONICAL:
        return name is not subject
    return CANONICAL.index(name) < CANONICAL.index(subject)


def _subject(source: Source, kind: TurnKind) -> ArtifactName | None:
    """The document that is judged or changed in this turn."""
    at_hand = source.stage.work is StageWork.DOCUMENT and KINDS[kind].has_subject
    return source.stage.writes if at_hand else None


def _at_hand(source: Source, subject: ArtifactName | None) -> Document | None:
    return excerpt(source, source.document(subject)) if subject else None


def _asked(source: Source, kind: TurnKind, scoped: Scoped | None) -> TurnSubject:
    job, writes, session = source.job, source.stage.writes, source.session
    judged = writes.filename if writes else "the work"
    stated = scoped and (scoped.task.done_when or "done when" in scoped.task.body.lower())
    return TurnSubject(
        kind,
        job.stage,
        title=source.row.feature.title,
        target=source.path(writes) if writes else "",
        subject="the code changes" if source.stage.work is StageWork.IMPLEMENT else judged,
        iteration=job.look if kind is TurnKind.REVISE and job.look else job.iteration,
        cap=source.cap,
        seen=last_look(source, session) if session else 0,
        decided=knows_decisions(source, session),
        task=scoped.task.number if scoped else "",
        done_stated=bool(stated),
        last=FLOWS[source.row.feature.flow].is_last(job.stage),
        phase=source.phase or job.part,
        words=TURNS[job.turn].words,
        panel=job.panel,
        back=source.transition and session is not None and was_here(source, session),
        stranger=source.inside and session is not None and is_stranger(source, session),
    )


def _code(source: Source, kind: TurnKind) -> Code | None:
    """What the feature changed outside of its own folder."""
    base, stage = source.row.feature.base_commit, source.stage
    if kind is TurnKind.FIX or _lists_files(source, kind):
        return Code("", source.changed(base))
    reviews = kind in REVIEWS and stage.work is StageWork.IMPLEMENT
    if not reviews and not (kind is TurnKind.JUDGE and source.job.stage == "code_review"):
        return None
    base = source.job.refined.since or base
    files = source.changed(base)
    return Code(changes_of(source, base, 3), files)


def _lists_files(source: Source, kind: TurnKind) -> bool:
    """Whether it is told which files the feature changed. A tier's builder is where it changes its
    code again, and not where a handoff names them."""
    work, again = source.stage.work, kind is not TurnKind.STAGE or bool(source.job.open)
    built = work is StageWork.BUILD and again and not source.job.going.handoff
    told = KINDS[kind].lists_files and TURNS[source.job.turn].sees_code
    return told and (built or work is StageWork.IMPLEMENT)


def _scoped(source: Source) -> Scoped:
    task = task_of(source, source.job.task)
    plan, design = (source.document(name).text for name in (ArtifactName.PLAN, ArtifactName.DESIGN))
    goals = scope_prd(source.document(ArtifactName.PRD).text)
    literal = literal_scope(task, plan, design) if is_seed(source) else None
    if literal is None:
        found = scope_task(task, index_document(plan), index_document(design))
        texts, warnings = (found.plan.text, found.design.text), found.plan.warnings
        warnings += found.design.warnings
    else:
        texts, warnings = literal[:2], literal.warnings
    named = zip(("plan.md", "design.md"), texts, (plan, design), strict=True)
    sections = tuple(part_of(name, text, whole) for name, text, whole in named if text)
    return Scoped(task, goals.text, sections, (*warnings, *goals.warnings))


def _said(source: Source, kind: TurnKind) -> tuple[Material, ...]:
    """Feedback from a person, the checks or an earlier phase."""
    if not KINDS[kind].feedback:
        return ()
    text = source.fetch(source.job.feedback)
    if kind is TurnKind.ASSIST:
        name = "outlines" if source.phase else "notes"
        return (Material(name, text),) if text.strip() else ()
    if kind is TurnKind.ANSWER:
        return (Material(turn_words.ANSWERS, text),)
    found = printed(text)
    if not found:
        return (Material(turn_words.FEEDBACK, text),) if text.strip() else ()
    mends = source.job.turn is Turn.MEND
    return (
        (*found, Material(turn_words.DIVERGENCES, source.fetch(source.job.note)))
        if mends
        else found
    )


def _resumable(source: Source, role: Role, kind: TurnKind, news: bool) -> bool:
    session = source.session
    alone = role.always_fresh and not source.inside
    if session is None or alone or not source.knows(session.commit):
        return False
    if kind in REVIEWS:
        # Whoever looks after a specialist begins by itself, also where they share a session.
        behind = source.job.panel[1:]
        told = news or (kind is TurnKind.VALIDATE and _unchanged(source, session))
        return told and not (source.job.role in behind and source.job.iteration == 1)
    subject = _subject(source, kind)
    if subject is not None and not source.untouched(subject, session.commit) and not source.inside:
        return False  # somebody else has changed what it wrote, and nobody tells it
    # A session of whoever settles something needs to be told nothing but the turn.
    row = KINDS[kind]
    if kind is TurnKind.TASK:
        reads = (one for one in source.stage.reads if one not in SCOPED)
        same = all(source.untouched(name, session.commit) for name in reads)
        return same and is_chained(source)
    return row.actor is Actor.FIXER or (row.enters and source.transition)


def _unchanged(source: Source, session: Session) -> bool:
    """Whether nothing at all changed; only `seed`, like the original, still asks then."""
    return all(source.untouched(name, session.commit) for name in source.stage.reads)


def task_of(source: Source, number: str) -> Task:
    found = next((task for task in read_tasks(source) if task.number == number), None)
    if found is None:
        feature = source.row.feature.id
        raise FeatureError(
            f"tasks.md no longer has a task {number}",
            f"put it back: sparing edit {feature} tasks, then: sparing resume {feature}",
        )
    return found


def read_tasks(source: Source) -> tuple[Task, ...]:
    """Read the tasks leniently; under `seed` as the original does."""
    artifact = source.artifact(ArtifactName.TASKS)
    if artifact is None:
        made_again = repair_of(source.row.feature, ArtifactName.TASKS)
        raise FeatureError("there is no tasks.md", made_again)
    tasks = literal_tasks(artifact.text) if is_seed(source) else ()
    return tasks or parse_tasks(artifact.text, source.row.feature.id)
