"""What reviewers found in a branch: a table, JSON, SARIF, and lines for annotations."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from typing import NamedTuple
from urllib.parse import quote

from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from sparing import __version__
from sparing.codec import JsonObject
from sparing.finding import Severity

SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json"
LEVELS = {
    Severity.BLOCKER: "error",
    Severity.WARNING: "warning",
    Severity.SUGGESTION: "note",
}
NOTICES = {**LEVELS, Severity.SUGGESTION: "notice"}
COLOURS = {Severity.BLOCKER: "red", Severity.WARNING: "yellow", Severity.SUGGESTION: "dim"}


class BranchFinding(NamedTuple):
    severity: Severity
    text: str
    roles: tuple[str, ...]
    category: str = ""
    file: str = ""
    """A file of the branch; empty if none is named."""
    line: int = 0
    """Zero if unknown."""
    location: str = ""
    """The location in the reviewer's words."""
    quote: str = ""
    suggestion: str = ""
    verified: bool | None = None
    """Whether the quoted text is there; None without a quote."""

    @property
    def where(self) -> str:
        at = f":{self.line}" if self.line else ""
        return f"{self.file}{at}" if self.file else self.location

    @property
    def rule(self) -> str:
        return "/".join(one for one in (self.roles[0], self.category) if one)

    def dump(self) -> JsonObject:
        return {**self._asdict(), "severity": self.severity.value, "roles": list(self.roles)}


def findings_page(found: Sequence[BranchFinding]) -> RenderableType:
    if not found:
        return Text("No findings.")
    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0))
    for name in ("severity", "where", "finding", "by"):
        table.add_column(name, overflow="fold")
    for one in found:
        doubt = (
            "" if one.verified is not False else (" (unverified: the quoted line was not found)")
        )
        words = Text(one.text + doubt)
        if one.suggestion:
            words.append(f"\n{one.suggestion}", "dim")
        severity = Text(one.severity.value, COLOURS[one.severity])
        table.add_row(severity, Text(one.where), words, Text(", ".join(one.roles)))
    return Group(table)


def annotation_lines(found: Sequence[BranchFinding]) -> list[str]:
    """Workflow commands: a CI job that prints them gets annotations in its pull request."""
    return [
        f"::{NOTICES[one.severity]} {_place(one)}title={_property(one.rule)}::{_data(_words(one))}"
        for one in found
    ]


def _place(one: BranchFinding) -> str:
    line = f"line={one.line}," if one.line else ""
    return f"file={_property(one.file)},{line}" if one.file else ""


def _words(one: BranchFinding) -> str:
    return f"{one.text}\n{one.suggestion}".strip()


def _data(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")


def sarif(found: Sequence[BranchFinding], changed: Sequence[str], *, whole: bool) -> JsonObject:
    """SARIF 2.1.0. `whole`: every reviewer gave a verdict.

    Code scanning accepts no result without a location: one that names no file is assigned to the
    first changed file.
    """
    rules = list(dict.fromkeys(one.rule for one in found))
    run: JsonObject = {
        "tool": {
            "driver": {
                "name": "sparing",
                "version": __version__,
                "rules": [{"id": one, "shortDescription": {"text": one}} for one in rules],
            }
        },
        "originalUriBaseIds": {"%SRCROOT%": {"description": {"text": "the repository"}}},
        "invocations": [{"executionSuccessful": whole}],
        "results": [_result(one, rules, changed) for one in found],
    }
    return {"$schema": SCHEMA, "version": "2.1.0", "runs": [run]}


def _result(one: BranchFinding, rules: Sequence[str], changed: Sequence[str]) -> JsonObject:
    place: JsonObject = {
        "artifactLocation": {
            "uri": quote(one.file or next(iter(changed), "")),
            "uriBaseId": "%SRCROOT%",
        }
    }
    if one.line and one.file:
        place["region"] = {"startLine": one.line}
    known = "\n".join((one.rule, one.file, one.quote or one.text))
    return {
        "ruleId": one.rule,
        "ruleIndex": rules.index(one.rule),
        "level": LEVELS[one.severity],
        "message": {"text": _words(one)},
        "locations": [{"physicalLocation": place}],
        "partialFingerprints": {"finding/v1": hashlib.sha256(known.encode()).hexdigest()[:32]},
        "properties": {
            "severity": one.severity.value,
            "reviewers": list(one.roles),
            "quoteVerified": one.verified,
        },
    }
