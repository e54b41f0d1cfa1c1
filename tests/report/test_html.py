"""The report as a page: whole in itself, safe to open, and every figure with its origin.

Covers: E4, H6
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path

import pytest

from sparing.cli.main import main
from sparing.report.charts import Chart, charts
from sparing.report.drawing import can_draw
from sparing.report.html import NO_CHARTS, report_html
from sparing.usage import Usage
from tests.conftest import UserRepository
from tests.desk.ledgers import office_with, spend
from tests.report.reported import EVIL, economy, report, turn

TITLES = [
    "Spend over time, by role",
    "Tokens by cache outcome",
    "Loop by loop",
    "Predicted and actual cost",
    "Distance from the lower bound",
]
drawing = pytest.mark.skipif(not can_draw(), reason="the library of the extra `charts`")


@pytest.fixture(scope="module", autouse=True)
def place_of_fonts(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """The library keeps a list of fonts, by default in the user's home."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("MPLCONFIGDIR", str(tmp_path_factory.mktemp("fonts")))
        yield


@pytest.fixture(scope="module")
def drawn() -> tuple[Chart, ...]:
    return charts(report())


class Page(HTMLParser):
    """What a browser would fetch or run."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.reaches: list[str] = []
        self.words: list[str] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        for name, value in attrs:
            own = (value or "").startswith("#")
            if name in ("src", "srcset", "action", "data") or (name.endswith("href") and not own):
                self.reaches.append(f"{tag} {name}={value}")
            if name.startswith("on"):
                self.reaches.append(f"{tag} {name}")
            for target in re.findall(r"url\(([^)]*)\)", value or ""):
                self.reaches += [] if target.startswith("#") else [target]

    def handle_data(self, data: str) -> None:
        self.words.append(data)


@drawing
def test_the_page_needs_nothing_beside_itself(drawn: tuple[Chart, ...]) -> None:
    """E4: no script, no font, no picture, and a policy that forbids them."""
    text = report_html(report(), drawn)
    page = Page(text)
    assert page.reaches == []
    assert not {"script", "link", "img", "iframe", "object", "base"} & set(page.tags)
    assert "default-src 'none'" in text
    assert "@import" not in text
    assert page.tags.count("svg") == len(TITLES)


@drawing
def test_all_charts_are_there_with_units_and_origins(drawn: tuple[Chart, ...]) -> None:
    """E4: spend by role, tokens by bucket, loops, predictions, the bound."""
    assert [chart.title for chart in drawn] == TITLES
    for chart in drawn:
        assert chart.svg.startswith("<svg")
        assert "<style" not in chart.svg
    words = " ".join(chart.note + chart.svg for chart in drawn)
    for said in ("measured", "simulated", "estimated", "minutes", "thousand tokens", "lower bound"):
        assert said in words
    assert "spec-reviewer" in drawn[0].svg


@drawing
def test_a_drawing_is_the_same_each_time() -> None:
    """E4: pages can be compared."""
    few = report(turns=(), economy=None)
    assert [chart.title for chart in charts(few)] == [TITLES[1]]
    assert charts(few) == charts(few)


@drawing
def test_what_a_model_or_a_user_wrote_is_text() -> None:
    """H6: in tables and in drawings; a formula is no formula."""
    found = report(role=EVIL, title=EVIL)
    text = report_html(found, charts(found))
    assert "<script" not in text
    assert "script" not in Page(text).tags
    assert "&lt;script&gt;" in text


@drawing
def test_where_there_is_nothing_to_show_nothing_is_drawn() -> None:
    """E4: no price, no prediction, no loop."""
    bare = turn(1, cost_usd=None, naive_usd=None, predicted_usd=None)
    found = report(turns=(bare,), economy=None)
    drawn = charts(found)
    assert [chart.title for chart in drawn] == [TITLES[1]]
    assert "What was saved" not in report_html(found, drawn)


@drawing
def test_many_roles_are_drawn_as_some_and_the_others() -> None:
    """E4: a legend that can be read."""
    turns = tuple(
        turn(n, f"role-{n:02}", cost_usd=0.01 * (n + 1), predicted_usd=None) for n in range(12)
    )
    (first, *_) = charts(report(turns=turns, economy=None))
    assert "role-11" in first.svg
    assert "role-00" not in first.svg
    assert "all others" in first.svg


def test_without_the_library_the_page_says_so() -> None:
    """E4"""
    text = report_html(report(), drawn=False)
    assert NO_CHARTS.replace("'", "&#39;") in text
    assert "<svg" not in text


def test_every_figure_has_its_origin_and_every_share_its_baseline() -> None:
    """E4"""
    words = " ".join(" ".join(Page(report_html(report())).words).split())
    assert "of what lean naive costs (estimated)" in words
    assert "lean naive on the same client $0.100 100 % simulated" in words
    assert "shared prompt prefix, cached once −$0.060 −60 % simulated" in words
    assert "this run $0.040 −60 % measured" in words
    assert "policy seed $0.080 100 % estimated" in words
    assert "this run cost 1.60 times as much" in words


def test_people_read_of_money_first_and_of_requirements_last() -> None:
    """K1: who does not know the original workflow is not met by its codes."""
    text = report_html(report())
    assert text.index("$0.04") < text.index("What was saved") < text.index("Stage by stage")
    assert text.index("Stage by stage") < text.index("Measures of the original workflow")
    assert "NFR" not in text


def test_without_a_price_amounts_are_tokens() -> None:
    """E2"""
    words = report_html(report(economy=economy(in_money=False, billed=40_000.0, bound=25_000.0)))
    assert "input tokens that would cost as much" in words
    assert "40.0k" in words


def test_what_the_cache_did_otherwise_is_a_line_of_its_own() -> None:
    """E4: bills that the rules do not explain are not hidden in a lever."""
    shown = report_html(report(economy=economy(billed=0.05)))
    assert "cache effects beyond the published rules" in shown
    assert "what the cache did otherwise" not in report_html(report())


def test_a_page_to_keep(
    user_repository: UserRepository, tmp_path: Path, monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:  # fmt: skip
    """E4: in the state folder or where it is wanted; never in the user's checkout by itself."""
    office, row = office_with(user_repository())
    spend(office, row, "one", Usage(read=900, output=100))
    monkeypatch.chdir(office.repository.checkout)
    assert main(["report", "1", "--html"]) == 0
    path = Path(capsys.readouterr().out.strip())
    assert path == office.folder.path / "reports" / f"{row.feature.name}.html"
    assert "Make a file" in path.read_text()
    assert main(["report", "1", "--html", "-o", str(tmp_path)]) == 64
    assert main(["report", "1", "-o", str(tmp_path / "x.html")]) == 64
    assert main(["report", "1", "--html", "--json"]) == 64
    capsys.readouterr()
    assert main(["report", "1", "--html", "-o", str(path / "below")]) == 1
    assert "can't be written" in capsys.readouterr().err
