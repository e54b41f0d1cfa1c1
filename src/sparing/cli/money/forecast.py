"""The forecast of a feature before anything is spent: for `start` and `run --dry-run`."""

from __future__ import annotations

from typing import NamedTuple

from sparing.cli.clock import now
from sparing.cli.screen import WIDTH, echo, style
from sparing.cli.setup.init import show_prospect
from sparing.codec import JsonObject
from sparing.config.load import sources_here
from sparing.config.process_environment import inherited_environment
from sparing.desk.money.cost import limits_of
from sparing.desk.money.forecast import outlook, outlook_brief, outlook_words, stages_ahead
from sparing.desk.office import Office, settings_of
from sparing.desk.setup.repository_scan import RepositoryScan
from sparing.economy.forecast import ENOUGH
from sparing.errors import ConfigError, SparingError
from sparing.flow.flows import FLOWS
from sparing.money import Billing, dollars
from sparing.printable import printable
from sparing.records.features import FeatureRow
from sparing.report.prompt import PromptPage, prompt_text
from sparing.report.spending import tokens

LABEL = 9
FIRST_LINES = 25
PLAYED = ("scripted", "claude-double")


class Agent(NamedTuple):
    words: str
    repair: str
    """What to do if there is none; empty if there is one."""


def show_plan(office: Office, row: FeatureRow, found: RepositoryScan, why: str) -> bool:
    """Whether it could run as it is."""
    feature, flow = row.feature, FLOWS[row.feature.flow]
    stops = office.loaded.settings.flow.stops([one.name for one in flow.stages if one.gate])
    gates = sum(one.name in stops for one in flow.stages)
    agent = agent_of(office, row)
    _say("flow", f"{flow.name}: {len(flow.stages)} stages, {gates} ask you ({why})")
    _say("branch", feature.branch)
    _say("agent", agent.words)
    if agent.repair:
        _say("", style(agent.repair, fg="cyan"))
        _say("", f"or see it all without an agent: {style('sparing demo', fg='cyan')}")
    _say("models", models_words(office, row))
    show_prospect(found)
    ahead = outlook(office, row)
    _say("cost", f"{outlook_brief(ahead)}, capped at {cap_words(office, row)}")
    if not ahead.learned and ahead.high.tokens:
        _say("", style(_assumed(office, row), dim=True))
    return not agent.repair


def _assumed(office: Office, row: FeatureRow) -> str:
    """Until the ledger has learned what features take here, a forecast is a guess."""
    words = f"a guess, until {ENOUGH} features are finished here"
    played = settings_of(office, row).agent.backend.value in PLAYED
    return f"{words}; scripted agents take far less" if played else words


def agent_of(office: Office, row: FeatureRow) -> Agent:
    """The backend and its login, in words; or why there is none."""
    from sparing.runtime.surroundings import Surroundings

    around = Surroundings(
        office.folder, office.database, office.repository,
        sources_here(office.repository.checkout), headless=True, environ=inherited_environment(),
    )  # fmt: skip
    try:
        backend = around.backend(row)
    except SparingError as error:
        return Agent(f"none: {error.what}", error.repair)
    login = str(getattr(backend, "login", "")) or "no login needed"
    billing = settings_of(office, row).agent.billing
    paid = ", paid by subscription" if billing is Billing.SUBSCRIPTION else ""
    return Agent(f"{backend.name}, {login}{paid}", "")


def models_words(office: Office, row: FeatureRow) -> str:
    """The classes that the flow uses."""
    settings = settings_of(office, row)
    backend = settings.agent.backend.value
    used = {one.model.value for one in FLOWS[row.feature.flow].stages}
    classes = [name for name in ("strong", "standard", "cheap") if name in used]
    return ", ".join(f"{settings.models.of(name, backend)} ({name})" for name in classes)


def cap_words(office: Office, row: FeatureRow) -> str:
    limit = limits_of(office, row, now()).feature
    return f"{dollars(limit.nano_usd)} or {tokens(limit.tokens)} tokens"


def show_dry_run(office: Office, row: FeatureRow) -> None:
    """Starts nothing: next stages, first prompt, forecast, cap."""
    stops = office.loaded.settings.flow.stops(
        [one.name for one in FLOWS[row.feature.flow].stages if one.gate]
    )
    echo(f"{style(row.feature.id, bold=True)} {printable(row.feature.title)}")
    for stage in stages_ahead(row):
        reviewers = ", ".join(role for group in stage.reviewers for role in group)
        who = f"{stage.author or 'the program'}" + (f"; judged by {reviewers}" if reviewers else "")
        gate = style(" then asks you", fg="cyan") if stage.name in stops else ""
        echo(f"  {stage.name:<14} {who}{gate}")
    echo(f"  {'cost':<14} {outlook_words(outlook(office, row))}")
    echo(f"  {'cap':<14} {cap_words(office, row)}")
    echo(f"  {'agent':<14} {agent_of(office, row).words}")
    page = first_prompt(office, row)
    if page is not None:
        _show_beginning(row, page)
    run = style(f"sparing run {row.feature.id}", fg="cyan")
    echo(f"\nnothing was started; to run it: {run}")


def _show_beginning(row: FeatureRow, page: PromptPage) -> None:
    """Enough to know what it is; a command shows all of it."""
    lines = prompt_text(page, system=False).splitlines()
    echo("\nthe first prompt:")
    for line in lines[:FIRST_LINES]:
        cut = printable(line)[: WIDTH - 2]
        echo(f"  {cut if len(cut) == len(line) else cut[:-1] + '…'}")
    rest = len(lines) - FIRST_LINES
    if rest > 0:
        role, stage = page.facts["role"], page.facts["stage"]
        whole = f"sparing show prompt {role} --feature {row.feature.id} --stage {stage}"
        echo(f"  … {rest} more lines: {style(whole, fg='cyan')}")


def dry_json(office: Office, row: FeatureRow) -> JsonObject:
    page = first_prompt(office, row)
    return {
        "feature": row.feature.id,
        "stages": [stage.name for stage in stages_ahead(row)],
        "agent": agent_of(office, row).words,
        "forecast": outlook_words(outlook(office, row)),
        "cap": cap_words(office, row),
        "first_prompt": None if page is None else [one.text for one in page.segments],
    }


def first_prompt(office: Office, row: FeatureRow) -> PromptPage | None:
    """The next author's prompt; None if the program itself comes next."""
    from sparing.cli.look.prompt import PromptOptions, page_of

    stage = next((one for one in stages_ahead(row) if one.author), None)
    if stage is None:
        return None
    wanted = PromptOptions(
        role=stage.author,
        feature=row.feature.id,
        stage=stage.name,
        iteration=None,
        task=None,
        way="compose",
        order=None,
    )
    try:
        return page_of(office, row, wanted)[0]
    except ConfigError:
        raise
    except SparingError:
        return None  # tasks that are not written yet have no prompt


def _say(label: str, words: str) -> None:
    echo(f"  {label:<{LABEL}} {words}")
