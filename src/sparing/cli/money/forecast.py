"""The forecast of a feature before anything is spent: for `start` and `run --dry-run`."""

from __future__ import annotations

import shlex
from typing import TYPE_CHECKING

from sparing.backend_name import is_played
from sparing.change import MergeHistory
from sparing.cli.clock import now
from sparing.cli.screen import echo, line_width, style
from sparing.cli.setup.init import show_prospect
from sparing.codec import JsonObject
from sparing.config.workspace import HandOver
from sparing.desk.features.dry_run import (
    agent_of,
    ahead_of,
    cap_words,
    first_prompt,
    models_words,
    stops_of,
)
from sparing.desk.gates.actions import TRUST
from sparing.desk.money.efforts import effort_outlooks, efforts_json, efforts_words
from sparing.desk.money.forecast import outlook, outlook_json, outlook_likely, stages_ahead
from sparing.desk.office import Office, settings_of
from sparing.desk.setup.repository_scan import RepositoryScan
from sparing.economy.cost_model import ENOUGH
from sparing.flow.flows import FLOWS
from sparing.printable import printable
from sparing.records.features import FeatureRow

if TYPE_CHECKING:
    from sparing.report.prompt import PromptPage

LABEL = 9
FIRST_LINES = 20
CHOSEN = "your choice"
"""Why a flow is used that was named on the command line."""
DEMO = "or see the workflow without it: sparing demo"


def show_plan(
    office: Office, row: FeatureRow, found: RepositoryScan, why: str, *, begun: bool = True
) -> bool:
    """Show the plan; returns whether it could run as it is. `begun`: the feature is stored."""
    feature, flow, stops = row.feature, FLOWS[row.feature.flow], stops_of(office, row)
    ahead = stages_ahead(row)
    gates = sum(one.name in stops for one in ahead)
    left = "" if len(ahead) == len(flow.stages) else f" from {ahead[0].name} on"
    _say("flow", f"{flow.name}: {len(ahead)} stages{left}, {gates} ask you ({why})")
    _say("branch", feature.branch)
    agent = agent_of(office, row)  # loads much, so it is asked for after the first lines
    _say("agent", agent.words)
    if agent.repair:
        for line in agent.repair.removesuffix(DEMO).rstrip("; ").split("; "):
            _say("", line)
        _say("", f"or see it all without an agent: {style('sparing demo', fg='cyan')}")
        tier = f" --tier {flow.name}" if why == CHOSEN else ""
        new = f"start {shlex.quote(feature.title)}{tier}"
        again = f"run {feature.id}" if begun else new
        free = style(f"sparing {again} --backend claude-double", fg="cyan")
        if not is_played(office.loaded.settings.agent.backend):  # it needs what is missing, too
            _say("", f"or try it here for free, with a stand-in for the model: {free}")
    _say("models", models_words(office, row))
    show_prospect(found)
    if end := _hand_over(office, row):
        _say("hand-over", end)
    likely = outlook(office, row)
    _say("cost", f"{outlook_likely(likely)}, capped at {cap_words(office, row, now())}")
    if not likely.learned and likely.high.tokens:
        _say("", style(_assumed(office, row), dim=True))
    _say("effort", efforts_words(effort_outlooks(office, row)))
    return not agent.repair


def _hand_over(office: Office, row: FeatureRow) -> str:
    """What happens to the finished branch; empty if a person merges it."""
    settings, base = settings_of(office, row), row.feature.base_branch
    alike = {MergeHistory.SQUASH: ", as one commit", MergeHistory.REBASE: ", rebased onto it"}
    shape = alike.get(settings.commits.history, "")
    match settings.workspace.hand_over:
        case HandOver.MERGE:
            return f"merged into {base} when it is finished{shape}"
        case HandOver.PULL_REQUEST:
            words = f"pushed for a pull request into {base} when it is finished{shape}"
            return f"{words}{_before_push(office, base)}"
        case _:
            return ""


def _before_push(office: Office, base: str) -> str:
    """What would keep the branch from being pushed at the end."""
    from sparing.workspace.git.push import refused_settings, remote_of

    remote = remote_of(office.repository, base)
    if remote is None:
        return "; there is no remote to push to"
    if refused_settings(office.repository, remote):
        return f"; that needs your approval of {remote.name} once: {style(TRUST, fg='cyan')}"
    return ""


def _assumed(office: Office, row: FeatureRow) -> str:
    """Basis of a forecast that is a guess, until enough features have been finished here."""
    words = f"a guess until {ENOUGH} features are finished here"
    backend = settings_of(office, row).agent.backend
    who = "scripted agents take" if backend == "scripted" else "a stand-in for the model takes"
    return f"{words}; {who} far less" if is_played(backend) else words


def show_dry_run(office: Office, row: FeatureRow, *, begun: bool = True) -> None:
    """Starts nothing: next stages, first prompt, forecast, cap."""
    if begun:
        echo(f"{style(row.feature.id, bold=True)} {printable(row.feature.title)}")
    if not begun:
        echo("\nthe stages:")
    _show_stages(office, row)
    if begun:
        ahead = outlook(office, row)
        echo(f"  {'cost':<14} {outlook_likely(ahead)}, {ahead.basis}")
        echo(f"  {'cap':<14} {cap_words(office, row, now())}")
        echo(f"  {'effort':<14} {efforts_words(effort_outlooks(office, row))}")
        echo(f"  {'agent':<14} {agent_of(office, row).words}")
    page = first_prompt(office, row)
    if page is not None:
        _show_beginning(row, page, begun=begun)
    if begun:
        run = style(f"sparing run {row.feature.id}", fg="cyan")
        echo(f"\nnothing was started; to run it: {run}")
    else:
        echo("\nnothing was started or written; to start, run the same command without --dry-run")


def _show_stages(office: Office, row: FeatureRow) -> None:
    for stage in ahead_of(office, row):
        judged = f"; reviewed by {', '.join(stage.reviewers)}" if stage.reviewers else ""
        who = f"{stage.who}{judged}"
        gate = style(", then asks you", fg="cyan") if stage.asks else ""
        echo(f"  {stage.name:<14} {who}{gate}")


def _show_beginning(row: FeatureRow, page: PromptPage, *, begun: bool) -> None:
    """Show enough to recognise the prompt; a command shows all of it."""
    lines = [line for one in page.segments for line in one.text.splitlines()]
    size = f"about {page.tokens:,} tokens (estimated)"
    echo(f"\nthe first prompt, to {page.facts['role']} on {page.facts['model']}, {size}:")
    for line in lines[:FIRST_LINES]:
        echo(f"  {_cut(printable(line), line_width() - 2)}")
    rest = len(lines) - FIRST_LINES
    if rest > 0:
        role, stage = page.facts["role"], page.facts["stage"]
        whole = f"sparing show prompt {role} --feature {row.feature.id} --stage {stage}"
        where = f": {style(whole, fg='cyan')}" if begun else ""
        echo(f"  … {rest} more lines{where}")


def _cut(line: str, width: int) -> str:
    """Shorten a line, between words if possible."""
    if len(line) <= width:
        return line
    whole, space, _ = line[:width].rpartition(" ")
    return f"{whole if space and whole.strip() else line[: width - 1]}…"


def dry_json(office: Office, row: FeatureRow) -> JsonObject:
    page = first_prompt(office, row)
    return {
        "feature": row.feature.id,
        "stages": [stage.name for stage in stages_ahead(row)],
        "agent": agent_of(office, row).words,
        "forecast": outlook_json(outlook(office, row)),
        "efforts": efforts_json(effort_outlooks(office, row)),
        "cap": cap_words(office, row, now()),
        "first_prompt": None if page is None else [one.text for one in page.segments],
    }


def _say(label: str, words: str) -> None:
    echo(f"  {label:<{LABEL}} {words}")
