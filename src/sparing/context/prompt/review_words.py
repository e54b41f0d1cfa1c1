"""How a reviewer is asked for its verdict, reminded of it, and asked to mend its form.

Findings as lines that an agent reads: in full to settle them, in short to know them by.

The specialist's verdict on a document, passed to the reviewer that follows.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from sparing.context.prompt.brief import REVIEWS, Brief, QuotedFinding
from sparing.context.prompt.inclusion import defuse
from sparing.context.prompt.shorten import has_section, skeleton
from sparing.finding import Severity, Verdict
from sparing.prompts.render import fill, words


def has_both(brief: Brief) -> bool:
    """All reviewers of a panel are asked, and not only the last one again."""
    return bool(brief.asked.panel) and brief.asked.panel[0] == brief.role.name


def reminder(brief: Brief) -> str:
    """Role, pass rule, what the ids stand for, and the form, in few words."""
    form = "reminder_levels" if has_section(brief.role.text, "Levels") else "reminder_form"
    form = "reminder_verdicts" if brief.asked.panel else form
    return _who(brief) + _known(brief) + words("blocks", form)


def _known(brief: Brief) -> str:
    """Which of the findings are the reviewer's own, and which an id is only explained by."""
    if not brief.findings:
        return words("blocks", "reminder_others") if brief.mentioned else ""
    if not brief.mentioned:
        return words("blocks", "reminder_own")
    return fill("blocks", "reminder_some", ids=ids_of(brief.findings))


def earlier_names(brief: Brief) -> list[str]:
    """The files of `prompts/turns` that tell of the rounds before, for a session that begins."""
    if not brief.findings and brief.fix_summary.strip():
        return ["earlier_changes", *(["earlier_ids"] if brief.mentioned else [])]
    if not brief.findings:
        return []
    own = "earlier_some" if brief.mentioned else "earlier"
    return [own, *(["earlier_answers"] if brief.fix_summary.strip() else [])]


def ids_of(found: Sequence[QuotedFinding]) -> str:
    return ", ".join(f"`{one.id}`" for one in found)


def _who(brief: Brief) -> str:
    panel, asked = brief.asked.panel, brief.asked
    if not panel:
        same = brief.asked.kind in REVIEWS and not brief.delta
        return fill("blocks", "reminder_same" if same else "reminder", role=brief.role.name)
    name = "reminder_panel" if has_both(brief) else "reminder_second"
    return fill(
        "blocks", name, first=panel[0], second=panel[-1], role=brief.role.name,
        iteration=asked.iteration, cap=asked.cap,
    )  # fmt: skip


def verdict_words(brief: Brief, *, form: bool) -> str:
    """How a verdict is given; `form` also shows the object, as the seed's prompts do."""
    text = words("blocks", "verdict")
    if has_section(brief.role.text, "Levels"):
        text += words("turns", "levels")
    if brief.asked.panel:
        text += words("blocks", "verdict_panel")
    if form and brief.schema is not None:
        text += fill("turns", "skeleton", form=skeleton(brief.schema))
    return text


def repair_reply(problem: str, *, verdict: bool = True, panel: Sequence[str] = ()) -> str:
    """With the form of a verdict, where one was asked for; `panel`: whose are wanted."""
    form = words("blocks", "repair_verdict") if verdict else ""
    if panel:
        form = fill("blocks", "repair_panel", first=panel[0], names=" and ".join(panel))
    return fill("blocks", "repair", problem=defuse(problem)) + form


SENTENCE_CHARS = 240
_SENTENCE = re.compile(r".{12,}?[.!?](?= |$)")


def finding_list(found: Sequence[QuotedFinding]) -> str:
    """One line a finding, with what it is known by."""
    return "".join(f"- {_finding(one)}\n" for one in found)


def short_list(found: Sequence[QuotedFinding]) -> str:
    """Enough to know each by: severity, role, place and its first sentence."""
    return "".join(f"- {_head(one)}: {_first_sentence(one.text)}\n" for one in found)


def _finding(one: QuotedFinding) -> str:
    line = f" Quoted: “{one.quote.strip()}”" if one.quote.strip() else ""
    advice = f" Suggested: {one.suggestion}" if one.suggestion.strip() else ""
    return " ".join(f"{_head(one)}: {one.text}{line}{advice}".split())


def _head(one: QuotedFinding) -> str:
    parts = (one.severity, one.category, one.role, one.location)
    return " ".join(f"`{one.id}` {', '.join(part for part in parts if part.strip())}".split())


def _first_sentence(text: str) -> str:
    """Long ones end early."""
    said = " ".join(text.split())
    first = _SENTENCE.match(said)
    short = first[0] if first else said
    return short if len(short) <= SENTENCE_CHARS else f"{short[: SENTENCE_CHARS - 1]}…"


@dataclass(frozen=True, slots=True)
class DomainOutcome:
    verdict: Verdict
    passed: bool
    iteration: int
    cap: int


def outcome_block(outcomes: Sequence[DomainOutcome]) -> str:
    """The Domain Reviewer Outcome; empty where no such reviewer ran."""
    if not outcomes:
        return ""
    return "## Domain Reviewer Outcome\n" + "".join(_rows(one) for one in outcomes)


def _rows(one: DomainOutcome) -> str:
    result = (
        f"APPROVED at iteration {one.iteration}/{one.cap}"
        if one.passed
        else f"FAILED at iteration cap ({one.cap}/{one.cap})"
    )
    return (
        f"- Reviewer: {one.verdict.role}\n"
        f"- Result: {result}\n"
        f"- Unresolved issues: {_unresolved(one)}\n"
    )


def _unresolved(one: DomainOutcome) -> str:
    """Blockers and warnings; a verdict that passed has none."""
    found = [
        f"{finding.severity}: {' '.join(finding.text.split())}"
        for finding in one.verdict.findings
        if finding.severity is not Severity.SUGGESTION
    ]
    return "".join(f"\n  - {text}" for text in found) if found else "none"
