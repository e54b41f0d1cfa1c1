"""What may be printed on a person's terminal."""

from __future__ import annotations


def printable(text: str) -> str:
    """A stranger's text must not move the cursor or hide a line."""
    return "".join(
        letter if letter.isprintable() or letter == "\t" else "\N{REPLACEMENT CHARACTER}"
        for letter in text
    )
