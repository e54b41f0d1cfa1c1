"""What may be printed on a person's terminal, and how."""

from __future__ import annotations

import textwrap

import click

from sparing.config.terminal import calm_pager

WIDTH = 78


def printable(text: str) -> str:
    """A stranger's text must not move the cursor or hide a line."""
    return "".join(
        letter if letter.isprintable() or letter == "\t" else "\N{REPLACEMENT CHARACTER}"
        for letter in text
    )


def wrapped(text: str, before: str) -> str:
    line = printable(" ".join(text.split()))
    after = " " * len(before)
    return textwrap.fill(
        line, WIDTH, initial_indent=before, subsequent_indent=after, break_on_hyphens=False,
        break_long_words=False,
    )  # fmt: skip


def page(text: str) -> None:
    if not text.strip():
        click.echo("  nothing differs", err=True)
        return
    calm_pager()
    click.echo_via_pager(text)
