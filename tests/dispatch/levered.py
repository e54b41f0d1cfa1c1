"""Turns of a sample feature, with levers on and off, for tests of what is sent."""

from __future__ import annotations

from dataclasses import replace
from typing import NamedTuple

import pytest

from sparing.briefing.extras import aided
from sparing.briefing.gather import gather
from sparing.context.prompt.brief import Brief
from sparing.dispatch.alternatives import Alternative, Terms, ways_of
from sparing.dispatch.prompt import choose
from sparing.dispatch.way_choice import Chosen
from sparing.dispatch_policy import Lever, Way, off
from sparing.economy.cache_contents import Base
from sparing.economy.cost_model import TYPICAL
from sparing.money import Amount, Billing
from sparing.records import ledger
from sparing.runtime.source import Source
from sparing.sent import NaivePrompt, SentRecord
from sparing.usage import Origin, Usage
from tests.briefing.sample import Sample, make_sample

NAMED = ("all", "map", "notes")
"""With what is off until it was seen to spare calls."""
REVIEWERS = ("implementation-reviewer", "code-quality-reviewer", "security-reviewer")


def lever_sample(tmp_path_factory: pytest.TempPathFactory) -> Sample:
    """A sample whose feature has a scripted agent."""
    where = tmp_path_factory.mktemp("sample")
    made = make_sample(where)
    (where / "script.toml").write_text("base_tokens = 5000\n")
    own: dict[str, object] = {
        "agent.backend": "scripted", "agent.script": str(where / "script.toml"),
        "models.strong": "m", "models.standard": "m", "models.cheap": "m",
        "economy.levers": NAMED,
    }  # fmt: skip
    row = replace(made.rows["feature"], overrides=own)
    return made._replace(rows={**made.rows, "feature": row})


def without(sample: Sample, *levers: Lever) -> Sample:
    row = sample.rows["feature"]
    own = {**row.overrides, "economy.levers": (*NAMED, *map(off, levers))}
    around = replace(sample.around, _loaded={})  # settings are kept by feature
    rows = {**sample.rows, "feature": replace(row, overrides=own)}
    return sample._replace(around=around, rows=rows)


def sent(source: Source, at: float = 100.0) -> tuple[Brief, Chosen]:
    brief = aided(gather(source), source)
    return brief, choose(source, brief, at)


def composed(source: Source) -> Alternative:
    """The composed prompt, whichever way is the cheapest."""
    terms = Terms({}, TYPICAL, Base("base", 100))
    return ways_of(source, aided(gather(source), source), terms, "")[Way.COMPOSE]


def names(source: Source) -> list[str]:
    return [one.name for one in composed(source).composed.segments]


class Turned(NamedTuple):
    role: str
    stage: str
    iteration: int
    at: float
    reads: tuple[str, ...] = ()
    session: str = ""
    sent: tuple[tuple[str, object], ...] = ()
    template: str = "review"


def turned(sample: Sample, one: Turned, reply: str = "{}") -> None:
    """A turn that came to a good end, in the ledger."""
    key = sample.rows["feature"].feature.key
    attempt = ledger.Attempt(
        f"{key}.g1.1.{one.role}.{one.iteration}", key, 1, one.stage, one.role, one.iteration, "",
        one.template, "compose", "", "scripted", "m", Billing.API, "", 10,
        NaivePrompt(), one.at, "trunk", SentRecord.load(dict(one.sent)),
    )  # fmt: skip
    result = ledger.AttemptResult(
        one.session, Usage(10, 0, 0, 0, 5), Origin.SIMULATED, 0, [], 10, 20.0, list(one.reads),
        sample.around.folder.keep(reply),
    )  # fmt: skip
    with sample.around.database.write() as tx:
        ledger.finish(tx, attempt.dispatch, ledger.begin(tx, attempt, Amount(0, 0)), result)
