"""What a person can do on the page. Each act is one that a command does, too.

An act on a feature says which state of it the person had seen; if that is not how it stands, it
is refused. Words come in as JSON and are checked against the act's own form before anything else.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

from sparing.codec import load
from sparing.context.documents.comments import Comment
from sparing.desk.features import orders, view
from sparing.desk.features.engine_presence import engine_runs
from sparing.desk.features.jumps import jump, plan_back, plan_skip
from sparing.desk.features.rerun import rerun
from sparing.desk.gates import answers, questions
from sparing.desk.gates.edits import draft, take_files, take_text
from sparing.desk.gates.ideas import stop
from sparing.desk.gates.line_comments import reject_with
from sparing.desk.gates.repeated_feedback import NOTE, repeats
from sparing.desk.gates.rulings import VERBS, RulingRequest, rule
from sparing.desk.gates.stale_answer import refuse_stale
from sparing.desk.money.caps import raise_caps
from sparing.errors import UsageError
from sparing.web.cap_form import CapForm, cap_request
from sparing.web.markup import rendered
from sparing.web.start_form import StartForm, StartPlan, begin_feature, plan_start
from sparing.web.visit import Visit

FEATURE = "/r/{repo}/f/{id}"


@dataclass(frozen=True)
class Seen:
    """Which state of the feature was on the page."""

    shown: str = ""
    gate: str = ""


@dataclass(frozen=True)
class Judged(Seen):
    said: str = ""
    comments: tuple[Comment, ...] = ()


@dataclass(frozen=True)
class Edited(Seen):
    document: str = ""
    """Empty for the files in the feature's worktree."""
    text: str = ""


@dataclass(frozen=True)
class Words(Seen):
    words: str = ""
    number: int | None = None
    """Which question is answered; None for all."""


@dataclass(frozen=True)
class Ruled(Seen):
    finding: str = ""
    stage: str = ""
    ruling: str = ""
    words: str = ""


@dataclass(frozen=True)
class ToStage(Seen):
    stage: str = ""


@dataclass(frozen=True)
class Raised(Seen):
    caps: CapForm = CapForm()


@dataclass(frozen=True)
class Draft:
    text: str = ""


class ActReceipt(NamedTuple):
    words: str
    runs: bool
    """An engine is running and goes on by itself."""
    next_command: str
    notes: tuple[str, ...] = ()


class Preview(NamedTuple):
    html: str


class Act(NamedTuple):
    path: str
    form: type[Any]
    do: Callable[[Visit, Any], object]
    bound: bool = True
    """To what was shown: it is refused if that has changed."""


def act_body(act: Act, given: Mapping[str, object]) -> object:
    try:
        return load(act.form, given)
    except (ValueError, TypeError) as error:
        raise UsageError(f"the form has a mistake: {error}", "reload the page") from None


def _checked(visit: Visit, seen: Seen) -> None:
    if not seen.shown:
        raise UsageError("the request does not say what was shown", "reload the page, then again")
    refuse_stale(visit.records, visit.row, seen.shown, seen.gate)


def _told(visit: Visit, words: str, *notes: str) -> ActReceipt:
    runs, number = engine_runs(visit.records), visit.row.feature.id
    command = f"sparing watch {number}" if runs else f"sparing run {number}"
    return ActReceipt(words, runs, command, notes)


def _approve(visit: Visit, seen: Seen) -> ActReceipt:
    _checked(visit, seen)
    handed = answers.asks_handoff(visit.row)
    stage = answers.approve(visit.office, visit.row, visit.who, visit.at)
    what = f"a new session before {stage}" if handed else stage
    return _told(visit, f"{what} is approved")


def _reject(visit: Visit, form: Judged) -> ActReceipt:
    _checked(visit, form)
    office, row = visit.office, visit.row
    stage = reject_with(office, row, form.said, form.comments, visit.who, visit.at)
    notes = (NOTE,) if form.said and repeats(office, row, form.said) else ()
    return _told(visit, f"{stage} is rejected", *notes)


def _edit(visit: Visit, form: Edited) -> ActReceipt:
    _checked(visit, form)
    office, row = visit.office, visit.row
    given = draft(office, row, form.document) if form.document else None
    if given is None:
        taken = take_files(office, row, visit.who, visit.at)
    else:
        taken = take_text(office, row, given, form.text.replace("\r\n", "\n"), visit.who, visit.at)
    done = f"your version is commit {taken.commit[:10]}" if taken.commit else "nothing was changed"
    return _told(visit, done, *taken.warnings)


def _answer(visit: Visit, form: Words) -> ActReceipt:
    _checked(visit, form)
    found = questions.answer(visit.office, visit.row, form.words, form.number, visit.who, visit.at)
    left = len(found.left)
    words = f"{left} still wait for an answer" if left else f"{found.stage} continues"
    return _told(visit, f"answered; {words}")


def _rule(visit: Visit, form: Ruled) -> ActReceipt:
    _checked(visit, form)
    kind = VERBS.get(form.ruling)
    if kind is None:
        raise UsageError("a ruling must be uphold or dismiss", "choose one of the two")
    wish = RulingRequest(form.finding, kind, form.words, form.stage)
    found = rule(visit.records, visit.row, wish, visit.who, visit.at)
    left = len(found.left)
    return _told(visit, f"{found.finding.id} is {kind.value}; {left} without a ruling")


def _raise(visit: Visit, form: Raised) -> ActReceipt:
    _checked(visit, form)
    row = visit.row
    raised = raise_caps(visit.records, row, cap_request(form.caps), visit.who, visit.at)
    if raised.stands is not None:
        return _told(visit, f"raised, but not enough: {raised.stands.words}")
    return _told(
        visit, "raised; it continues" if raised.parked else "raised, from the next turn on"
    )


def _pause(visit: Visit, seen: Seen) -> ActReceipt:
    _checked(visit, seen)
    found = orders.pause(visit.records, visit.row, visit.who, visit.at)
    return _told(visit, f"{found.stage} pauses {found.counts.value}")


def _abandon(visit: Visit, seen: Seen) -> ActReceipt:
    _checked(visit, seen)
    found = orders.abandon(visit.office, visit.row, visit.who, visit.at)
    return _told(visit, f"abandoned, {found.counts.value}")


def _resume(visit: Visit, seen: Seen) -> ActReceipt:
    _checked(visit, seen)
    return _told(visit, f"{orders.resume(visit.office, visit.row, visit.who, visit.at)} continues")


def _rerun(visit: Visit, form: ToStage) -> ActReceipt:
    _checked(visit, form)
    plan = rerun(visit.office, visit.row, form.stage, visit.who, visit.at)
    return _told(visit, f"{plan.stage} runs again; the old commits are kept under {plan.ref}")


def _skip(visit: Visit, form: ToStage) -> ActReceipt:
    _checked(visit, form)
    plan = plan_skip(visit.office, visit.row, form.stage)
    jump(visit.office, visit.row, plan, visit.who, visit.at)
    return _told(visit, f"continues with {plan.to}; {'; '.join(plan.lost)}")


def _back(visit: Visit, form: ToStage) -> ActReceipt:
    _checked(visit, form)
    plan = plan_back(visit.office, visit.row, form.stage)
    jump(visit.office, visit.row, plan, visit.who, visit.at)
    return _told(visit, f"goes back to {plan.to}; {'; '.join(plan.lost)}")


def _stop(visit: Visit, seen: Seen) -> ActReceipt:
    _checked(visit, seen)
    return _told(visit, "it ends here", stop(visit.office, visit.row, visit.who, visit.at).command)


def _say(visit: Visit, form: Words) -> ActReceipt:
    found = orders.say(visit.records, visit.row, form.words, visit.who, visit.at)
    return _told(visit, f"sent; it is read {found.counts.value}")


def _run(visit: Visit, seen: Seen) -> ActReceipt:
    _checked(visit, seen)
    office, row = visit.records, visit.row
    if not answers.retry_handover(office, row, visit.who, visit.at):
        answers.request_start(office, view.reload(office, row), visit.at)
    return _told(visit, "it starts as soon as an engine runs")


def _start(visit: Visit, form: StartForm) -> ActReceipt:
    row = begin_feature(visit.office, form, visit.who, visit.at)
    runs, number = engine_runs(visit.records), row.feature.id
    words = (
        f"feature {number} begins"
        if runs
        else f"feature {number} is created, but no engine is running yet"
    )
    command = f"sparing {'watch' if runs else 'run'} {number}"
    return ActReceipt(words, runs, command, (f"/r/{visit.path['repo']}/f/{number}",))


def _plan(visit: Visit, form: StartForm) -> StartPlan:
    return plan_start(visit.office, form, visit.at)


def _preview(_visit: Visit, form: Draft) -> Preview:
    return Preview(str(rendered(form.text)))


def _of_feature(verb: str, form: type[Any], do: Callable[[Visit, Any], object]) -> Act:
    return Act(f"{FEATURE}/{verb}", form, do)


ACTS = (
    _of_feature("approve", Seen, _approve),
    _of_feature("reject", Judged, _reject),
    _of_feature("edit", Edited, _edit),
    _of_feature("answer", Words, _answer),
    _of_feature("rule", Ruled, _rule),
    _of_feature("raise", Raised, _raise),
    _of_feature("pause", Seen, _pause),
    _of_feature("resume", Seen, _resume),
    _of_feature("rerun", ToStage, _rerun),
    _of_feature("skip", ToStage, _skip),
    _of_feature("back", ToStage, _back),
    _of_feature("stop", Seen, _stop),
    _of_feature("abandon", Seen, _abandon),
    _of_feature("run", Seen, _run),
    _of_feature("say", Words, _say)._replace(bound=False),
    Act("/r/{repo}/start", StartForm, _start, bound=False),
    Act("/r/{repo}/plan", StartForm, _plan, bound=False),
    Act("/preview", Draft, _preview, bound=False),
)
"""Everything that can be done, by its address."""
