"""Cost and finds by vendor in the report. Covers: E2, E4, G5."""

from __future__ import annotations

from io import StringIO
from pathlib import Path

from rich.console import Console

from sparing.desk.money.figures import feature_report
from sparing.desk.office import Office
from sparing.report.figures import report_json
from sparing.report.html import report_html
from sparing.report.page import full_page
from tests.desk.reviewing import CONCERN, DEFECT, asked, looked
from tests.desk.standing import started
from tests.repositories import make_repository
from tests.terminal import sparing

OPENAI = {"backend": "codex", "model": "gpt-5.5"}


def test_each_vendor_has_its_cost_and_what_its_reviewers_found(office: Office) -> None:
    """G5: an author of one vendor, reviewers of two; a blocker counts for who found it."""
    row = started(office)
    asked(office, row, "d1", backend="claude", stage="specify", nano_usd=50_000_000)
    looked(office, row, "spec-reviewer", 1, DEFECT, nano_usd=30_000_000, **OPENAI)
    looked(office, row, "spec-reviewer", 2, nano_usd=10_000_000, **OPENAI)
    looked(office, row, "phase-reviewer", 3, CONCERN, backend="claude", nano_usd=20_000_000)
    report = feature_report(office, row)
    anthropic, openai = report.vendors
    assert (anthropic.vendor, anthropic.turns, anthropic.cost) == ("Anthropic", 2, "$0.070")
    assert (anthropic.looks, anthropic.accepted, anthropic.each_words) == (1, 0, "")
    assert openai[:3] == ("OpenAI", ("codex",), ("gpt-5.5",))
    assert (openai.looks, openai.blockers, openai.accepted) == (2, 1, 1)
    assert (openai.cost, openai.each_words) == ("$0.040", "$0.040")
    console = Console(width=80, file=StringIO(), record=True, force_terminal=False)
    console.print(full_page(report))
    shown = console.export_text()
    (line,) = [one for one in shown.splitlines() if one.startswith("OpenAI")]
    assert line.split() == ["OpenAI", "2", "$0.040", "2", "1", "1", "$0.040"]
    assert "<td>OpenAI</td><td>codex</td><td>gpt-5.5</td>" in report_html(report)


def test_what_nobody_knows_is_not_zero(office: Office) -> None:
    """E2: neither a turn without an end, nor a model without a price."""
    row = started(office)
    asked(office, row, "d1", backend="claude", nano_usd=50_000_000)
    asked(office, row, "d2", backend="claude", usage=None)
    looked(office, row, "spec-reviewer", 1, DEFECT, backend="acp", model="mine", nano_usd=None)
    looked(office, row, "spec-reviewer", 2, backend="acp", model="mine", nano_usd=None)
    report = feature_report(office, row)
    anthropic, own = report.vendors
    assert (anthropic.cost, anthropic.unpriced) == ("≥$0.050", 1)
    assert (own.vendor, own.cost, own.accepted, own.each_words) == ("acp", "unknown", 1, "unknown")
    told = report_json(report)["vendors"][1]
    assert (told["cost_usd"], told["cost_per_accepted_blocker_usd"]) == (None, None)


def test_one_vendor_needs_no_table(office: Office) -> None:
    row = started(office)
    asked(office, row, "d1", backend="claude")
    report = feature_report(office, row)
    assert [one.vendor for one in report.vendors] == ["Anthropic"]
    assert "Vendors" not in report_html(report)


def test_what_a_role_with_a_model_of_its_own_adds_is_told_before(tmp_path: Path) -> None:
    """G5: of a model or an agent that somebody has set; sent at their price instead of read."""
    path = make_repository(tmp_path / "r", {"README.md": "# r\n"})
    (tmp_path / "script.toml").write_text("")
    agent = {
        "SPARING_AGENT__SCRIPT": str(tmp_path / "script.toml"),
        "SPARING_MODELS__ROLES": "phase-reviewer=claude-haiku-4-5",
    }
    said = sparing(path, "start", "Greet", "--dry-run", "--backend", "scripted", environ=agent)
    # 20,000 tokens, written for $1.25 a million instead of read for $0.20
    price = "its own prompt prefix: about $0.02 per stage, estimated"
    assert f"; scripted claude-haiku-4-5 for phase-reviewer ({price})" in said.out
    assert "phase-reviewer (" not in sparing(
        path, "start", "Greet", "--dry-run", "--backend", "scripted",
        environ={**agent, "SPARING_MODELS__ROLES": "phase-reviewer=strong"},
    ).out  # fmt: skip
