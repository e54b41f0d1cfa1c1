"""The published page: its tables, aims and plots come from the last run and from nowhere else."""

from __future__ import annotations

import re
from pathlib import Path

from bench.economy.aims import aims
from bench.economy.plots import draw_plots
from bench.economy.results import Results
from bench.economy.tables import all_tables, grid_table, heading

PAGE = Path(__file__).parent.parent.parent / "docs" / "economics.md"
IMAGES = PAGE.parent / "images"


def publish(results: Results, calibration: str, wired: list[str]) -> str:
    """Write them into the page; returns what to say about it."""
    said = draw_plots(results, IMAGES)
    text = PAGE.read_text("utf-8")
    text = put(text, "grid", fenced(f"{heading(results)}\n{grid_table(results)}".rstrip()))
    text = put(text, "tables", fenced("\n".join([all_tables(results).rstrip(), "", *wired])))
    text = put(text, "calibration", fenced(calibration.rstrip()))
    text = put(text, "aims", fenced("\n".join(aim.line for aim in aims(results))))
    text = put(text, "plots", _pictures())
    PAGE.write_text(text, "utf-8")
    return f"{PAGE.name} is up to date; {said}"


def _pictures() -> str:
    names = sorted(path.name for path in IMAGES.glob("economy-*.svg"))
    return "\n".join(f"![{name.removesuffix('.svg')}](images/{name})" for name in names)


def fenced(text: str) -> str:
    return f"```\n{text}\n```"


def put(text: str, name: str, body: str) -> str:
    begin, end = f"<!-- {name} -->", f"<!-- end of {name} -->"
    place = re.compile(f"{re.escape(begin)}.*?{re.escape(end)}", re.DOTALL)
    return place.sub(lambda _: f"{begin}\n{body}\n{end}", text)
