"""What reviewers find with our tools and the fact sheet, compared with what they find without."""

from __future__ import annotations

from typing import NamedTuple

from rich.console import RenderableType
from rich.text import Text

from sparing.codec import JsonObject


class LookSide(NamedTuple):
    looks: int
    findings: float
    """Findings per review."""
    quotes: int
    verified: float
    """Share of quotes that were verified."""

    @property
    def words(self) -> str:
        if not self.looks:
            return "no reviews"
        looks = f"{self.looks} review{'' if self.looks == 1 else 's'}"
        quotes = f"{100 * self.verified:.0f} % of {self.quotes} quotes verified"
        said = quotes if self.quotes else "nothing quoted"
        return f"{looks}, {self.findings:.1f} findings each, {said}"


class QualityRow(NamedTuple):
    """First reviews by one model, over all features of the repository."""

    lever: str
    model: str
    aided: LookSide
    bare: LookSide
    fell: str
    """What dropped with the lever, which is therefore off for this model."""

    @property
    def verdict(self) -> str:
        if self.fell:
            return f"lost for this model: {self.fell}"
        return "" if self.aided.looks and self.bare.looks else "nothing to compare with yet"

    def dump(self) -> JsonObject:
        return {
            "lever": self.lever,
            "model": self.model,
            "with": self.aided._asdict(),
            "without": self.bare._asdict(),
            "fell": self.fell,
            "origin": "measured",
        }


class LeverQuality(NamedTuple):
    rows: tuple[QualityRow, ...] = ()
    sheet: str = ""
    """How often files quoted by the fact sheet are opened, in words."""

    def dump(self) -> JsonObject:
        return {"rows": [row.dump() for row in self.rows], "sheet": self.sheet}


def lever_quality_page(found: LeverQuality) -> list[RenderableType]:
    rows = [one for one in found.rows if one.aided.looks]
    if not rows and not found.sheet:
        return []
    parts = [Text("first reviews with and without a lever, in this repository", "bold")]
    for row in rows:
        parts.append(Text(f"{row.lever}, {row.model}"))
        parts += [Text(f"  with     {row.aided.words}"), Text(f"  without  {row.bare.words}")]
        if row.verdict:
            parts.append(Text(f"  {row.verdict}", "yellow" if row.fell else "dim"))
    if found.sheet:
        parts.append(Text(found.sheet))
    return [*parts, Text("")]
