"""What a gate looks like in the terminal: outcome, code, failed checks, findings, actions."""

from __future__ import annotations

from collections.abc import Sequence

from sparing.cli.screen import echo, line_width, style, wrapped
from sparing.desk.gates.actions import GateAction
from sparing.desk.gates.gate import GateView, sizes
from sparing.flow.state import Cause, FlowState, Position
from sparing.printable import printable
from sparing.records.features import FeatureRow

ANSWERS = frozenset(
    ("approve", "reject", "edit", "rule", "resume", "rerun", "skip", "stop", "answer")
)
"""What a gate's own prompt understands."""
MOST_FINDINGS = 8
MOST_FILES = 10
COLOURS = {"blocker": "red", "warning": "yellow", "suggestion": "cyan"}


def show(found: GateView, row: FeatureRow) -> None:
    head = style(f"{found.id} {found.stage}", bold=True)
    now_at = FlowState.load(row.place["state"])
    stuck, asks = now_at.position is Position.STUCK, now_at.cause is Cause.QUESTIONS
    state = style("is stuck", fg="red") if stuck and not asks else "waits for you"
    echo(f"\n{head} {state}: {printable(row.feature.title)}", err=True)
    _show_lines(found.lines[:2])
    _show_code(found)
    _show_lines(found.lines[2:])
    _show_red(found)
    for said in found.answers:
        echo(wrapped(f"comment {said}", "  » "), err=True)
    _show_findings(found)
    _show_lines(found.notes)


def show_next(found: GateView, row: FeatureRow, leads: Sequence[GateAction]) -> None:
    """Above the question: what the answers lead to."""
    if FlowState.load(row.place["state"]).position is Position.STUCK:
        show_choices(leads)
        return
    if found.following:
        echo(f"  next, if you approve: {found.following}", err=True)
    for one in leads:
        if verb_of(one) == "reject" and one.words:
            echo(wrapped(f"if you reject {one.words}", "  "), err=True)


def show_choices(leads: Sequence[GateAction]) -> None:
    """Where a stage is stuck, the verbs alone don't say what they lead to."""
    # What the prompt does not take is typed in a shell.
    shown = [verb if (verb := verb_of(one)) in ANSWERS else one.command for one in leads]
    width = max((8, *map(len, shown)))
    for one, name in zip(leads, shown, strict=True):
        words = one.words or "tell its author what should be different"
        echo(f"  {style(name.ljust(width), fg='cyan')} {words}", err=True)


def show_link(link: str) -> None:
    if link:
        echo(f"  on the page: {style(link, fg='cyan')}", err=True)


def verb_of(choice: GateAction) -> str:
    return choice.command.split()[1]


def _show_lines(lines: Sequence[str]) -> None:
    for line in lines:
        echo(wrapped(line, "  "), err=True)


def _show_code(found: GateView) -> None:
    for one in found.code[:MOST_FILES]:
        size = style(f"+{one.added} -{one.removed}", dim=True)
        echo(f"    {printable(one.path)} {size}", err=True)
    more = found.code[MOST_FILES:]
    if more:
        echo(f"    … and {sizes(more)}", err=True)


def _show_red(found: GateView) -> None:
    for one in found.red:
        echo(f"  {style('✗', fg='red')} the check {one.name} is red:", err=True)
        for line in one.tail:
            echo(style(f"    | {printable(line)[: line_width() - 6]}", dim=True), err=True)
    if found.red:
        echo(f"    all of it: sparing show {found.id} checks", err=True)


def _show_findings(found: GateView) -> None:
    for role, finding, answer in found.findings[:MOST_FINDINGS]:
        where = printable(" ".join(finding.location.split()))
        mark = style(finding.severity, fg=COLOURS[finding.severity])
        echo(f"  - {mark} {style(f'({role})', dim=True)} {where}", err=True)
        echo(wrapped(finding.text, "    "), err=True)
        if answer:
            echo(wrapped(f"the author {answer}", "    "), err=True)
    more = len(found.findings) - MOST_FINDINGS
    if more > 0:
        echo(f"  … {more} more: sparing show {found.id}", err=True)


def coloured(text: str) -> str:
    colours = {"+": "green", "-": "red", "@": "cyan"}
    lines = (
        style(line, fg=colours[line[0]]) if line[:1] in colours else line
        for line in map(printable, text.splitlines())
    )
    return "\n".join(lines) + "\n" if text else ""
