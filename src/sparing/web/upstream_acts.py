"""Actions that respond to others' work: a base branch that moved, a pull request with findings.

Each is done exactly as offered: for the commit, or the findings, that were on the page.
"""

from __future__ import annotations

from sparing.config.process_environment import network_environment
from sparing.desk.upstream.fix_round import plan_fix, start_fix
from sparing.desk.upstream.sync import plan_sync, sync
from sparing.errors import FeatureError, UsageError
from sparing.web.act_forms import Accepted, ActReceipt, checked, told
from sparing.web.visit import Visit


def sync_base(visit: Visit, form: Accepted) -> ActReceipt:
    checked(visit, form)
    plan = plan_sync(visit.office, visit.row)
    if plan.move is None or plan.move.tip != form.about:
        raise FeatureError(
            "the base branch is not where it was when you looked", "reload the page, then try again"
        )
    branch = plan.move.branch
    if sync(visit.office, visit.row, plan, visit.who, visit.at):
        return told(visit, f"{branch} is to be brought in")
    return told(visit, f"it will begin from {branch} at {plan.move.tip[:10]}")


def fix_findings(visit: Visit, form: Accepted) -> ActReceipt:
    checked(visit, form)
    only = tuple(filter(None, form.about.split(",")))
    if not only:
        raise UsageError(
            "the request does not say what was shown", "reload the page, then try again"
        )
    plan = plan_fix(visit.office, visit.row, only)
    start_fix(visit.office, visit.row, plan, network_environment(), visit.at, visit.who)
    return told(visit, f"pull request #{plan.number}: {', '.join(only)} are to be fixed")
