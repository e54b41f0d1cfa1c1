"""What the real client's runs say, put into the published pages: from their files alone."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

from bench.arms import ARMS, LEAN, STOCK
from bench.client_rows import row_table
from bench.client_run import ClientResult
from bench.client_tables import aim_lines, lever_table, report_table, shares, table
from bench.economy.pages import PAGE, fenced, put

README = PAGE.parent.parent / "README.md"
FLOWS = ("feature", "L1", "L2", "L3")
KIND = "typical"


def publish(found: Sequence[ClientResult], levered: str, rows: Sequence[ClientResult] = ()) -> str:
    """What has been run; a table of which nothing has been run stays as it is."""
    if rows:
        _write(PAGE, {"clients": fenced("\n".join(row_table(rows)))})
    if not found:
        return f"{PAGE.name} has the rows of {len(rows)} runs"
    found = sorted(found, key=_place)
    typical = [one for one in found if one.case.kind == KIND]
    whole = [*table(typical, LEAN, STOCK), *report_table(typical, LEAN, STOCK)]
    whole += [*aim_lines(typical, LEAN, STOCK), *lever_table(found, levered)]
    short = "\n".join(short_table(typical))
    _write(PAGE, {"real client": fenced("\n".join(whole)), "short": short})
    _write(README, {"short": "\n".join(readme_table(typical))})
    return f"{PAGE.name} and {README.name} have the figures of {len(found)} runs"


def _place(one: ClientResult) -> tuple[int, int, int]:
    names = [arm.name for arm in ARMS]
    known = names.index(one.case.arm) if one.case.arm in names else len(names)
    return FLOWS.index(one.case.flow), one.case.seed, known


def _write(page: Path, blocks: dict[str, str]) -> None:
    text = page.read_text("utf-8")
    for name, body in blocks.items():
        text = put(text, name, body)
    page.write_text(text, "utf-8")


def short_table(found: Sequence[ClientResult]) -> Iterator[str]:
    """Markdown: shares of lean naive by flow, over the draws that were run."""
    yield "| of lean naive (typical agents) | feature | L1 | L2 | L3 | feature, of stock naive |"
    yield "|---|---|---|---|---|---|"
    for arm in ARMS:
        cells = [_cell(found, arm.name, flow, LEAN) for flow in FLOWS]
        if any(cells):
            cells.append(_cell(found, arm.name, "feature", STOCK))
            yield f"| {arm.name} | {' | '.join(one or '–' for one in cells)} |"


def readme_table(found: Sequence[ClientResult]) -> Iterator[str]:
    """Markdown: the few rows that a reader decides by, in percent of lean naive."""
    yield "| what is run | feature | L1 | L2 | L3 |"
    yield "|---|--:|--:|--:|--:|"
    for arm in ARMS:
        ratios = [shares(found, arm.name, flow, LEAN) for flow in FLOWS]
        if arm.readme and all(ratios):
            cells = (f"{100 * sum(one) / len(one):.0f} %" for one in ratios)
            yield f"| {arm.readme} | {' | '.join(cells)} |"


def _cell(found: Sequence[ClientResult], arm: str, flow: str, base: str) -> str:
    ratios = shares(found, arm, flow, base)
    if not ratios:
        return ""
    mean = sum(ratios) / len(ratios)
    return f"{mean:.3f}" + (f" ({len(ratios)} draws)" if len(ratios) > 1 else "")
