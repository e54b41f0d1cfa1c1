"""What each effort may cost, before a feature starts and beside its bill. Covers: E12, E5."""

from __future__ import annotations

import json

import pytest

from sparing.cli.main import main
from sparing.desk.gates import answers
from sparing.desk.money.efforts import by_ratio, effort_outlooks, efforts_words, other_efforts
from sparing.desk.money.figures import feature_report
from sparing.desk.office import Office, settings_of
from sparing.economy.cost_model import Range
from sparing.money import Amount, to_nano
from sparing.records.features import FeatureRow
from sparing.report.figures import effort_words, report_json
from tests.desk.reviewing import asked
from tests.desk.standing import NOW

PRICES = {
    "models.prices": [
        "claude-opus-5-5 4 20 0.2 5 8", "claude-sonnet-5 2 10 0.2 2.5 4",
        "claude-haiku-4-5 1 5 0.1 1.25 2",
    ]
}  # fmt: skip


def started(office: Office, **own: object) -> FeatureRow:
    return answers.start(office, "Add rate limits", "feature", {**PRICES, **own}, NOW)


def test_each_effort_is_forecast_before_anything_is_spent(office: Office) -> None:
    """E12, E5: the more is done, the more it may cost; what is chosen is stored with it."""
    row = started(office, **{"flow.effort": "lean"})
    found = effort_outlooks(office, row)
    highs = [one.ahead.high.nano_usd or 0 for one in found]
    assert [one.effort.value for one in found] == ["lean", "balanced", "thorough"]
    assert highs == sorted(highs)
    assert len(set(highs)) == 3
    assert [one.chosen for one in found] == [True, False, False]
    assert settings_of(office, row).review.cap == 2
    words = efforts_words(found)
    assert words.startswith("lean; with --effort balanced: about $")
    assert words.endswith("(estimated)")


def test_a_forecast_from_history_is_not_compared_with_an_assumption() -> None:
    """E12: with three cheap features behind it, "lean" looked thirteen times as expensive."""

    def ranged(tokens: int, usd: str | None, learned: int = 0) -> Range:
        ends = [Amount(tokens * n, to_nano(usd) * n if usd else None) for n in (1, 2, 3)]
        return Range(ends[0], ends[1], ends[2], 3, learned)

    known = ranged(1_000, "0.02", learned=3)
    lean = by_ratio(known, ranged(300_000, "0.3"), ranged(600_000, "0.6"))
    assert lean.median == Amount(1_000, to_nano("0.02"))
    assert (lean.learned, lean.stages) == (0, 3)
    assert by_ratio(known, ranged(5, "0.3"), ranged(5, "0.3")) == known  # "the same"
    assert by_ratio(known, ranged(5, None), ranged(6, None)) == ranged(5, None)


def test_the_report_says_what_others_would_have_cost(office: Office) -> None:
    """E12: from the bill, by how the efforts differ; and that it is an estimate."""
    row = started(office)
    assert other_efforts(office, row, None) == ()
    asked(office, row, "d1", stage="specify", role="spec-reviewer", nano_usd=to_nano("1.00"))
    found = feature_report(office, row)
    assert found.spending.cost_usd == 1
    lean, thorough = found.efforts
    assert (lean.effort, thorough.effort, lean.instead_of) == ("lean", "thorough", "balanced")
    assert 0 < lean.cost_usd < 1 < thorough.cost_usd
    told = report_json(found)["other_efforts"]
    assert [one["origin"] for one in told] == ["estimated"] * 2
    assert effort_words(found).startswith("effort: balanced; instead lean about $0.")
    assert "estimated" in effort_words(found)


def test_start_with_an_effort(
    office: Office, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """E12: `start --effort` keeps it, and shows what the others may cost."""
    monkeypatch.chdir(office.repository.checkout)
    assert main(["start", "Add rate limits", "--effort", "thorough", "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert {name for name, one in told["efforts"].items() if one["chosen"]} == {"thorough"}
    row = answers.find(office, told["feature"])
    assert row.overrides["flow.effort"] == "thorough"
