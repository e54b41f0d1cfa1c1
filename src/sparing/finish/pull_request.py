"""The text of a pull request: what, why, how it was checked, what it cost, what is open.

A repository's own template comes first and gets the parts that it asks for; what it has no heading
for follows. Owners are named by CODEOWNERS; whether to ask them is the host's own rule.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from fnmatch import fnmatchcase

from sparing.artifact import ArtifactName
from sparing.context.documents.sections import extract_section
from sparing.finish.handover_text import Body
from sparing.prompts.render import fill
from sparing.records.features import FeatureRow
from sparing.runtime.surroundings import Surroundings
from sparing.workspace.git.commit import changed_files, read_file

FOLDERS = (".github", "", "docs")
TEMPLATES = ("pull_request_template.md", "PULL_REQUEST_TEMPLATE.md")
OWNERS = "CODEOWNERS"
SUMMARIES = {ArtifactName.SUMMARY: ("What Changed", "What changed", "Summary")}
REASONS = {
    ArtifactName.PRD: ("Problem Statement", "Goals"),
    ArtifactName.SPEC: ("Problem Statement", "Overview", "Goals"),
    ArtifactName.BRAINSTORM: ("Problem", "Goal", "Goals"),
    ArtifactName.PLAN: ("Goal", "Goals", "Overview"),
}
ASKS = {
    "What": r"what|description|summary|change|overview",
    "Why": r"why|motivation|context|background|related|issue",
    "How it was checked": r"test|check|verif|validat|how",
    "Open concerns": r"risk|concern|open|note|limit",
}
LONGEST = 1_200
"""Most characters taken from a document or a request."""
_HEADING = re.compile(r"^#{1,6} +(.*?) *#*$", re.MULTILINE)
_COMMENT = re.compile(r"<!--.*?-->", re.DOTALL)
_ISSUE = re.compile(r"https?://\S+/issues/(\d+)")


def pull_request_text(around: Surroundings, row: FeatureRow, body: Body) -> str:
    commit = row.feature.base_commit
    issue = _ISSUE.fullmatch(row.background.source)
    paths = [one.path for one in changed_files(around.repository, commit, row.head)]
    text = fill(
        "documents", "pull_request", title=" ".join(row.feature.title.split()),
        about=_first(around, row, SUMMARIES), why=_reason(around, row),
        issue=f"#{issue[1]}" if issue else "", facts=body.facts,
        owners=" ".join(owners_of(_text(around, commit, OWNERS), paths)), cost=body.cost,
    )  # fmt: skip
    found = next(filter(None, (_text(around, commit, name) for name in TEMPLATES)), "")
    whole = in_template(found, text) if found else text
    return around.folder.redactor.clean(whole).strip() + "\n"


def in_template(template: str, text: str) -> str:
    """The template's headings, each with the part of ours that it asks for; then the rest."""
    ours = dict(_parts(text))
    head, *asked = _parts(template)
    lines = [head[1]] if _COMMENT.sub("", head[1]).strip() else []
    for title, own in asked:
        wanted = next((name for name in ours if re.search(ASKS.get(name, "$^"), title, re.I)), "")
        told = ours.pop(wanted) if wanted else ""
        rest = own if not told else _COMMENT.sub("", own)
        lines.append("\n\n".join(filter(None, (f"## {title}", told.strip(), rest.strip()))))
    ours.pop("", None)
    lines += [f"## {name}\n\n{told.strip()}" for name, told in ours.items()]
    return "\n\n".join(line.strip() for line in lines) + "\n"


def owners_of(rules: str, paths: Sequence[str]) -> tuple[str, ...]:
    """Owners named by the last matching line of CODEOWNERS for each path."""
    found: dict[str, None] = {}
    lines = [line.partition("#")[0].split() for line in rules.splitlines()]
    for path in paths:
        fits = [line[1:] for line in lines if line and _matches(line[0], path)]
        found |= dict.fromkeys(fits[-1] if fits else ())
    return tuple(found)


def _matches(pattern: str, path: str) -> bool:
    """As in .gitignore: a name anywhere, a path from the root, a folder with all below it."""
    anchored = "/" in pattern.rstrip("/")
    plain = pattern.strip("/")
    targets = (plain, f"{plain}/*") if not pattern.endswith("/") else (f"{plain}/*",)
    wanted = targets if anchored else (*targets, *(f"*/{one}" for one in targets))
    return any(fnmatchcase(path, one.replace("**", "*")) for one in wanted)


def _parts(text: str) -> list[tuple[str, str]]:
    """Headings with the text under each; first, without a heading, the text before them."""
    marks = list(_HEADING.finditer(text))
    ends = [*(mark.start() for mark in marks[1:]), len(text)]
    first = text[: marks[0].start()] if marks else text
    parts = (
        [(mark[1], text[mark.end() : end]) for mark, end in zip(marks, ends, strict=True)]
        if marks
        else []
    )
    return [("", first), *parts]


def _reason(around: Surroundings, row: FeatureRow) -> str:
    """The request at length, or the paragraph of a document that says why."""
    if row.background.description:
        return row.background.description[:LONGEST].strip()
    return _first(around, row, REASONS) or "As requested."


def _first(
    around: Surroundings, row: FeatureRow, wanted: Mapping[ArtifactName, Sequence[str]]
) -> str:
    """The first paragraph under the first of these headings that a document has."""
    for name, headings in wanted.items():
        text = _file(around, row.head, f"{around.feature_folder(row)}/{name.filename}")
        for heading in headings if text else ():
            section = (extract_section(text, heading) or "").partition("\n")[2].strip()
            if section:
                return section.split("\n\n")[0][:LONGEST].strip()
    return ""


def _text(around: Surroundings, commit: str, name: str) -> str:
    paths = (f"{folder}/{name}" if folder else name for folder in FOLDERS)
    return next(filter(None, (_file(around, commit, path) for path in paths)), "")


def _file(around: Surroundings, commit: str, path: str) -> str:
    return (read_file(around.repository, commit, path) or b"").decode("utf-8", "replace")
