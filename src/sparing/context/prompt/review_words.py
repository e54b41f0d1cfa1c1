"""How a reviewer is asked for its verdict, reminded of it, and asked to correct its form.

Findings as lines for an agent: in full to settle them, in short to recognise them.

The specialist's verdict on a document, passed to the reviewer that follows.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from sparing.context.prompt.brief import REVIEWS, Brief, QuotedFinding
from sparing.context.prompt.inclusion import defuse
from sparing.context.prompt.shorten import LEVELLED, has_section, skeleton
from sparing.finding import Severity, Verdict
from sparing.prompts.render import fill, words

LAST_CHANGES = "last-changes.diff"


def has_both(brief: Brief) -> bool:
    """All reviewers of a panel are asked, and not only the last one again."""
    return bool(brief.asked.panel) and brief.asked.panel[0] == brief.role.name


def reminder(brief: Brief, *, seed: bool = False) -> str:
    """Role, pass rule, meaning of the ids, and the form, in brief; the `seed` has no rule
    against reporting old problems late."""
    form = "reminder_levels" if has_section(brief.role.text, "Levels") else "reminder_form"
    form = "reminder_verdicts" if brief.asked.panel else form
    who = fill("blocks", "reminder_seed", role=brief.role.name) if seed else _who(brief)
    return who + _known(brief) + words("blocks", form)


def _known(brief: Brief) -> str:
    """Which findings are the reviewer's own, and which are listed only to explain an id."""
    if not brief.findings:
        return words("blocks", "reminder_others") if brief.mentioned else ""
    if not brief.mentioned:
        return words("blocks", "reminder_own")
    return fill("blocks", "reminder_some", ids=ids_of(brief.findings))


def open_findings(verdicts: Sequence[Verdict]) -> tuple[QuotedFinding, ...]:
    """Every blocker and warning, numbered: what the author must settle."""
    found = [
        (verdict.role, finding)
        for verdict in verdicts
        for finding in verdict.findings
        if finding.severity is not Severity.SUGGESTION
    ]
    return tuple(
        QuotedFinding(
            id=f"F{number}", severity=one.severity.value, role=role, category=one.category,
            location=one.location, text=one.text, suggestion=one.suggestion, quote=one.quote,
        )
        for number, (role, one) in enumerate(found, 1)
    )  # fmt: skip


def shows_last_changes(brief: Brief) -> bool:
    """Whether a reviewer with open findings, in a fresh session, sees what changed since its
    last turn: not if that is most of the document, or if the code already comes as separate
    changes."""
    whole = (brief.subject.text if brief.subject else None) or ""
    in_parts = brief.code is not None and bool(brief.code.since)
    return (
        bool(brief.findings and brief.delta) and not in_parts and len(brief.delta) * 2 <= len(whole)
    )


def earlier_names(brief: Brief) -> list[str]:
    """The files of `prompts/turns` that describe earlier rounds to a fresh session."""
    if not brief.findings and brief.fix_summary.strip():
        return ["earlier_changes", *(["earlier_ids"] if brief.mentioned else [])]
    if not brief.findings:
        return []
    own = "earlier_some" if brief.mentioned else "earlier"
    seen = ["earlier_diff"] if shows_last_changes(brief) and not brief.notes else []
    return [own, *seen, *(["earlier_answers"] if brief.fix_summary.strip() else [])]


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
    """How to give a verdict; `form`: as in the seed's prompts, which show the object and have no
    rule against reporting old problems late."""
    levels = has_section(brief.role.text, "Levels")
    text = words("blocks", "verdict")
    if form:
        text = text.replace(f" {words('blocks', 'old_as_new')}", "\n")
    if levels:
        text += words("turns", "levels")
    if brief.asked.panel:
        text += words("blocks", "verdict_panel")
    if form and brief.schema is not None:
        unread = frozenset[str]() if _reads(brief) else frozenset({"files_read"})
        unasked = unread if levels else unread | LEVELLED
        text += fill("turns", "skeleton", form=skeleton(brief.schema, unasked))
    return text


def _reads(brief: Brief) -> bool:
    """Whether the role is told to read any file."""
    own = brief.subject is not None and brief.subject.name in brief.role.artifacts
    return own or bool(brief.documents)


def repair_reply(problem: str, *, verdict: bool = True, panel: Sequence[str] = ()) -> str:
    """Ask to correct a reply; `verdict`: show its form; `panel`: whose verdicts are wanted."""
    form = words("blocks", "repair_verdict") if verdict else ""
    if panel:
        form = fill("blocks", "repair_panel", first=panel[0], names=" and ".join(panel))
    return fill("blocks", "repair", problem=defuse(problem)) + form


SENTENCE_CHARS = 240
_SENTENCE = re.compile(r".{12,}?[.!?](?= |$)")


def finding_list(found: Sequence[QuotedFinding]) -> str:
    """One full line per finding, with its id."""
    return "".join(f"- {_finding(one)}\n" for one in found)


def short_list(found: Sequence[QuotedFinding]) -> str:
    """One short line per finding: id, severity, role, location and its first sentence."""
    return "".join(f"- {_head(one)}: {_first_sentence(one.text)}\n" for one in found)


def _finding(one: QuotedFinding) -> str:
    line = f" Quoted: “{one.quote.strip()}”" if one.quote.strip() else ""
    advice = f" Suggested: {one.suggestion}" if one.suggestion.strip() else ""
    return " ".join(f"{_head(one)}: {one.text}{line}{advice}".split())


def _head(one: QuotedFinding) -> str:
    parts = (one.severity, one.category, one.role, one.location)
    return " ".join(f"`{one.id}` {', '.join(part for part in parts if part.strip())}".split())


def _first_sentence(text: str) -> str:
    """The first sentence, cut if it is long."""
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
    """The Domain Reviewer Outcome block; empty if no such reviewer ran."""
    if not outcomes:
        return ""
    return "## Domain Reviewer Outcome\n" + "".join(_rows(one) for one in outcomes)


def _rows(one: DomainOutcome) -> str:
    if one.passed:
        result = f"APPROVED at iteration {one.iteration}/{one.cap}"
    elif one.iteration < one.cap:  # it made no more progress, or a person let it continue
        result = f"FAILED, stopped at iteration {one.iteration}/{one.cap}"
    else:
        result = f"FAILED at iteration cap ({one.cap}/{one.cap})"
    return (
        f"- Reviewer: {one.verdict.role}\n"
        f"- Result: {result}\n"
        f"- Unresolved issues: {_unresolved(one)}\n"
    )


def _unresolved(one: DomainOutcome) -> str:
    """Blockers and warnings as a list, or "none"."""
    found = [
        f"{finding.severity}: {' '.join(finding.text.split())}"
        for finding in one.verdict.findings
        if finding.severity is not Severity.SUGGESTION
    ]
    return "".join(f"\n  - {text}" for text in found) if found else "none"
