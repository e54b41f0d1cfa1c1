"""How a feature ended, printed: its hand-over summary and what became of its lessons."""

from __future__ import annotations

from sparing.cli.screen import echo, style
from sparing.desk.features.lessons import FeatureEnding
from sparing.event import LearnedEvent
from sparing.printable import printable


def print_ending(found: FeatureEnding) -> None:
    if found.body:
        echo()
        for line in found.body.splitlines():
            echo(f"  {printable(line)}".rstrip())
    if found.given:
        echo("\n  lessons that agents were given:")
    for one in found.given:
        echo(f"  - {printable(one.title)}: {one.judged}")
        echo(style(f"      to {', '.join(one.to)}", dim=True))


def learned_line(text: str, learned: LearnedEvent) -> str:
    """Result of a retrospective; the first one in a repository shows each change."""
    if not learned.held:
        return style(f"  ~ {printable(text)}", dim=True)
    lines = [f"  {style('✓', fg='green')} lessons: {text}"]
    if learned.first:
        lines += [
            f"      {judged}, {kind}: {printable(title)}" for judged, kind, title in learned.changes
        ]
        hint = "      the first in this repository: look at them before you merge"
        lines += [style(hint, dim=True)] if learned.changes else []
    lines += [style(f"  ~ {printable(one)}", dim=True) for one in learned.faults]
    return "\n".join(lines)
