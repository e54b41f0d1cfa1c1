"""Models whose reviews fall with a lever lose it, and the report says so. Covers: E11, E7, E8."""

from __future__ import annotations

from pathlib import Path

import pytest

from sparing.agents.backend import EVERY_MODEL
from sparing.agents.claude.backend import ClaudeBackend
from sparing.agents.claude.login import Login, LoginKind
from sparing.agents.claude.options import Setup
from sparing.config.settings import Settings
from sparing.config.spending import EconomySettings
from sparing.economy.review_quality import pairs
from sparing.finding import Finding, Severity, Verdict
from sparing.money import Amount, Billing
from sparing.records import ledger, verdicts
from sparing.records.verdicts import VerdictRow
from sparing.report.lever_quality import LookSide, QualityRow
from sparing.runtime.lever_record import looks_by_tools, lost_by_look, lost_by_sheet
from sparing.runtime.own_tools import ToolSources, compares, offer_tools, tool_names
from sparing.runtime.surroundings import Surroundings
from sparing.sent import NaivePrompt, SentRecord
from sparing.tool import ToolMode
from sparing.usage import Origin, Usage
from tests.payment.spending import new_feature, surroundings

GOOD = "found"


@pytest.fixture
def around(tmp_path: Path) -> Surroundings:
    return surroundings(tmp_path)


def looked(around: Surroundings, number: int, findings: int, model: str = "m", **sent: str) -> None:
    """A first look in the ledger and among the verdicts."""
    key, dispatch = new_feature(around, number + 1).feature.key, f"d{number}"
    attempt = ledger.Attempt(
        dispatch, key, 1, "specify", "spec-reviewer", 1, "", "review", "compose", "", "claude",
        model, Billing.API, "p", 10, NaivePrompt(), float(number), "trunk",
        SentRecord.load(sent),
    )  # fmt: skip
    result = ledger.AttemptResult("s", Usage(1), Origin.MEASURED, 1, [], 1, 1.0, [], "r")
    found = tuple(Finding(Severity.WARNING, f"finding {n}") for n in range(findings + number % 2))
    verdict = Verdict("spec-reviewer", approved=False, findings=found)
    row = VerdictRow(
        dispatch, key, "specify", 1, "c0", False, verdict, float(number), (GOOD,) * findings
    )
    with around.database.write() as tx:
        ledger.finish(tx, dispatch, ledger.begin(tx, attempt, Amount(0, 0)), result)
        verdicts.put(tx, row)


def offered(around: Surroundings, mode: ToolMode, feature: int = 1) -> ClaudeBackend:
    setup = Setup(Path("/c"), "2.1", around.folder.path, Login(LoginKind.API_KEY, "k"))
    backend = ClaudeBackend(setup)
    sources = ToolSources(around.folder, around.database, around.repository)
    offer_tools(backend, Settings(economy=EconomySettings(tools=mode)), sources, feature)
    return backend


def test_readers_of_a_model_that_finds_less_get_the_client_s_tools_back(
    around: Surroundings,
) -> None:
    """E11: and only they; whoever says `look` or `own` in the settings keeps it."""
    for number in range(60):
        looked(around, number, 2 if number < 30 else 5, own="look" if number < 30 else "")
    with around.database.read() as connection:
        assert lost_by_look(connection, "claude") == {
            "m": "findings per review fell from 5.5 to 2.5"
        }
        assert lost_by_look(connection, "scripted") == {}
        assert lost_by_sheet(connection, "claude") == {}, "nobody was shown a sheet"
    can = offered(around, ToolMode.AUTO).capabilities
    assert [can.own_tools(writes=False, model=one) for one in ("m", "other")] == ["", "look"]
    assert [can.base_of(writes=False, model=one) for one in ("m", "other")] == [2_200, 435]
    own = offered(around, ToolMode.OWN).capabilities
    assert (own.own_lost, own.own_writers) == (frozenset(), {EVERY_MODEL})


def test_a_sheet_with_which_less_is_found_is_lost(around: Surroundings) -> None:
    """E11: by what the ledger says each look was shown."""
    for number in range(60):
        looked(around, number, 2 if number < 30 else 5, sheet="shown" if number < 30 else "kept")
    with around.database.read() as connection:
        assert set(lost_by_sheet(connection, "claude")) == {"m"}
        (pair,) = pairs(looks_by_tools(connection, "claude"))
    assert (pair.aided.looks, pair.bare.looks) == (0, 60)


def test_one_feature_in_sixteen_is_reviewed_with_the_client_s_tools(around: Surroundings) -> None:
    """E11: or there would be nothing to compare with. Only where the program chooses."""
    auto, own = (
        Settings(economy=EconomySettings(tools=mode)) for mode in (ToolMode.AUTO, ToolMode.OWN)
    )
    assert [n for n in range(1, 33) if compares(auto, n)] == [8, 24]
    assert not any(compares(own, n) for n in range(1, 33))
    assert tool_names(auto, 8) != tool_names(auto, 9), "they share no backend"
    assert not offered(around, ToolMode.AUTO, 8).capabilities.own_readers


def test_the_report_says_what_was_lost_and_why() -> None:
    """E11: and where nothing can be compared, that too."""
    side = LookSide(30, 2.5, 60, 0.9)
    lost = QualityRow("fact sheet", "m", side, side, "findings per review fell from 5.5 to 2.5")
    assert lost.verdict == "lost for this model: findings per review fell from 5.5 to 2.5"
    alone = QualityRow("fact sheet", "m", side, LookSide(0, 0.0, 0, 0.0), "")
    assert alone.verdict == "nothing to compare with yet"
    assert side.words == "30 reviews, 2.5 findings each, 90 % of 60 quotes verified"
