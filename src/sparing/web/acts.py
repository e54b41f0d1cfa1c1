"""What a person can do on the page. For each action there is an equivalent command.

Input arrives as JSON and is checked against the action's own form before anything else.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from sparing.codec import load
from sparing.desk.features import orders, view
from sparing.desk.features.engine_presence import engine_runs
from sparing.desk.features.rerun import rerun
from sparing.desk.features.skip_and_back import jump, plan_back, plan_skip
from sparing.desk.gates import answers, questions
from sparing.desk.gates.edits import draft, take_files, take_text
from sparing.desk.gates.ideas import stop
from sparing.desk.gates.line_comments import reject_with
from sparing.desk.gates.repeated_feedback import NOTE, repeats
from sparing.desk.gates.rulings import VERBS, RulingRequest, rule
from sparing.desk.money.caps import raise_caps
from sparing.desk.setup.role_agents import check_ready
from sparing.errors import UsageError
from sparing.web.act_forms import (
    Accepted,
    ActReceipt,
    Draft,
    Edited,
    Judged,
    Preview,
    Raised,
    Ruled,
    Seen,
    ToStage,
    Words,
    checked,
    told,
)
from sparing.web.cap_form import cap_request
from sparing.web.markup import rendered
from sparing.web.start_form import StartForm, StartPlan, begin_feature, plan_start
from sparing.web.upstream_acts import fix_findings, sync_base
from sparing.web.visit import Visit

FEATURE = "/r/{repo}/f/{id}"


class Act(NamedTuple):
    path: str
    form: type[Any]
    do: Callable[[Visit, Any], object]
    bound: bool = True
    """True if bound to what was shown: refused if that has changed."""


def act_body(act: Act, given: Mapping[str, object]) -> object:
    try:
        return load(act.form, given)
    except (ValueError, TypeError) as error:
        raise UsageError(f"the form has a mistake: {error}", "reload the page") from None


def _approve(visit: Visit, seen: Seen) -> ActReceipt:
    checked(visit, seen)
    handed = answers.asks_handoff(visit.row)
    stage = answers.approve(visit.office, visit.row, visit.who, visit.at)
    what = f"a new session before {stage}" if handed else stage
    return told(visit, f"{what} is approved")


def _reject(visit: Visit, form: Judged) -> ActReceipt:
    checked(visit, form)
    office, row = visit.office, visit.row
    stage = reject_with(office, row, form.said, form.comments, visit.who, visit.at)
    notes = (NOTE,) if form.said and repeats(office, row, form.said) else ()
    return told(visit, f"{stage} is rejected", *notes)


def _edit(visit: Visit, form: Edited) -> ActReceipt:
    checked(visit, form)
    office, row = visit.office, visit.row
    given = draft(office, row, form.document) if form.document else None
    if given is None:
        taken = take_files(office, row, visit.who, visit.at)
    else:
        taken = take_text(office, row, given, form.text.replace("\r\n", "\n"), visit.who, visit.at)
    done = f"your version is commit {taken.commit[:10]}" if taken.commit else "nothing was changed"
    return told(visit, done, *taken.warnings)


def _answer(visit: Visit, form: Words) -> ActReceipt:
    checked(visit, form)
    found = questions.answer(visit.office, visit.row, form.words, form.number, visit.who, visit.at)
    left = len(found.left)
    words = f"{left} still wait for an answer" if left else f"{found.stage} continues"
    return told(visit, f"answered; {words}")


def _rule(visit: Visit, form: Ruled) -> ActReceipt:
    checked(visit, form)
    kind = VERBS.get(form.ruling)
    if kind is None:
        raise UsageError("a ruling must be uphold or dismiss", "choose one of the two")
    wish = RulingRequest(form.finding, kind, form.words, form.stage)
    found = rule(visit.records, visit.row, wish, visit.who, visit.at)
    left = len(found.left)
    return told(visit, f"{found.finding.id} is {kind.value}; {left} without a ruling")


def _raise(visit: Visit, form: Raised) -> ActReceipt:
    checked(visit, form)
    row = visit.row
    raised = raise_caps(visit.records, row, cap_request(form.caps), visit.who, visit.at)
    if raised.stands is not None:
        return told(visit, f"raised, but not enough: {raised.stands.words}")
    return told(visit, "raised; it continues" if raised.parked else "raised, from the next turn on")


def _pause(visit: Visit, seen: Seen) -> ActReceipt:
    checked(visit, seen)
    found = orders.pause(visit.records, visit.row, visit.who, visit.at)
    return told(visit, f"{found.stage} pauses {found.counts.value}")


def _abandon(visit: Visit, seen: Seen) -> ActReceipt:
    checked(visit, seen)
    found = orders.abandon(visit.office, visit.row, visit.who, visit.at)
    return told(visit, f"abandoned, {found.counts.value}")


def _resume(visit: Visit, seen: Seen) -> ActReceipt:
    checked(visit, seen)
    return told(visit, f"{orders.resume(visit.office, visit.row, visit.who, visit.at)} continues")


def _rerun(visit: Visit, form: ToStage) -> ActReceipt:
    checked(visit, form)
    plan = rerun(visit.office, visit.row, form.stage, visit.who, visit.at)
    return told(visit, f"{plan.stage} runs again; the old commits are kept under {plan.ref}")


def _skip(visit: Visit, form: ToStage) -> ActReceipt:
    checked(visit, form)
    plan = plan_skip(visit.office, visit.row, form.stage)
    jump(visit.office, visit.row, plan, visit.who, visit.at)
    return told(visit, f"continues with {plan.to}; {'; '.join(plan.lost)}")


def _back(visit: Visit, form: ToStage) -> ActReceipt:
    checked(visit, form)
    plan = plan_back(visit.office, visit.row, form.stage)
    jump(visit.office, visit.row, plan, visit.who, visit.at)
    return told(visit, f"goes back to {plan.to}; {'; '.join(plan.lost)}")


def _stop(visit: Visit, seen: Seen) -> ActReceipt:
    checked(visit, seen)
    return told(visit, "it ends here", stop(visit.office, visit.row, visit.who, visit.at).command)


def _say(visit: Visit, form: Words) -> ActReceipt:
    found = orders.say(visit.records, visit.row, form.words, visit.who, visit.at)
    return told(visit, f"sent; it is read {found.counts.value}")


def _run(visit: Visit, seen: Seen) -> ActReceipt:
    checked(visit, seen)
    office, row = visit.records, visit.row
    if not answers.retry_handover(office, row, visit.who, visit.at):
        check_ready(visit.office, row, visit.at)
        answers.request_start(office, view.reload(office, row), visit.at)
    return told(visit, "it starts as soon as an engine runs")


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
    _of_feature("sync", Accepted, sync_base),
    _of_feature("fix", Accepted, fix_findings),
    _of_feature("say", Words, _say)._replace(bound=False),
    Act("/r/{repo}/start", StartForm, _start, bound=False),
    Act("/r/{repo}/plan", StartForm, _plan, bound=False),
    Act("/preview", Draft, _preview, bound=False),
)
"""All actions, by address."""
