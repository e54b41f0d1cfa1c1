"""Starting a feature from the page: first shows what would happen and what it may cost."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

from sparing.config.settings import AUTO
from sparing.desk.features.dry_run import (
    StageAhead,
    agent_of,
    ahead_of,
    cap_words,
    first_prompt,
    models_words,
)
from sparing.desk.gates import answers
from sparing.desk.money.forecast import outlook, outlook_words
from sparing.desk.office import Office
from sparing.desk.setup.proposed_root import ROOT, given_root, proposed_root
from sparing.desk.setup.repository_scan import has_changes
from sparing.desk.setup.role_agents import check_ready
from sparing.desk.setup.tiers import proposal, tell_tier
from sparing.flow.propose import Proposal
from sparing.money import to_usd
from sparing.records.features import FeatureRow
from sparing.report.prompt import prompt_text
from sparing.web.cap_form import nano_of
from sparing.workspace.git.base_branch import resolve_base

FIRST_CHARS = 4_000
NEXT = 1_000_000
"""Placeholder number for a feature that is only planned; no real feature has it."""


@dataclass(frozen=True)
class StartForm:
    title: str = ""
    flow: str = AUTO
    cap_usd: str = ""
    run: bool = True
    """True to begin as soon as an engine runs."""


class StartPlan(NamedTuple):
    title: str
    flow: str
    why: tuple[str, ...]
    """Reasons for this flow."""
    stages: tuple[StageAhead, ...]
    forecast: str
    cap: str
    agent: str
    agent_repair: str
    models: str
    first_prompt: str
    root: str
    """The package that the request names; empty for the whole repository."""
    dirty: bool
    """True if there are uncommitted changes, which are left alone and not included."""


def plan_start(office: Office, form: StartForm, at: float) -> StartPlan:
    """The preview; nothing is written and nothing is sent."""
    title = answers.checked_title(form.title)
    found = _proposed(office, title, form)
    given = _overrides(office, form)
    row = _planned(office, title, found, given, at)
    agent = agent_of(office, row)
    prompt = first_prompt(office, row)
    return StartPlan(
        title=title,
        flow=found.tier,
        why=tuple(found.why),
        stages=ahead_of(office, row),
        forecast=outlook_words(outlook(office, row)),
        cap=cap_words(office, row, at),
        agent=agent.words,
        agent_repair=agent.repair,
        models=models_words(office, row),
        first_prompt=prompt_text(prompt)[:FIRST_CHARS] if prompt else "",
        root=str(given.get(ROOT, "")),
        dirty=has_changes(office),
    )


def begin_feature(office: Office, form: StartForm, sender: str, at: float) -> FeatureRow:
    title = answers.checked_title(form.title)
    found = _proposed(office, title, form)
    given = _overrides(office, form)
    if form.run:
        check_ready(office, _planned(office, title, found, given, at), at)
    row = answers.start(office, title, found.tier, given, at)
    if form.flow == AUTO:
        tell_tier(office, row, found, sender, at)
    if form.run:
        answers.request_start(office, row, at)
    return row


def _planned(
    office: Office, title: str, found: Proposal, given: dict[str, object], at: float
) -> FeatureRow:
    """The feature as it would be, without writing it."""
    base = resolve_base(office.repository, office.loaded.settings.workspace.base_branch)
    at_base = (base.branch or "", base.commit)
    return answers.new_row(office, title, found.tier, NEXT, at_base, given, at)


def _proposed(office: Office, title: str, form: StartForm) -> Proposal:
    if form.flow != AUTO:
        return Proposal(answers.check_flow(form.flow), ("you chose it",))
    return proposal(office, title)


def _overrides(office: Office, form: StartForm) -> dict[str, object]:
    named = proposed_root(office, form.title)
    root = given_root(named.root if named else None)
    if not form.cap_usd.strip():
        return {**root}
    return {**root, "caps.feature_usd": float(to_usd(nano_of(form.cap_usd)))}
