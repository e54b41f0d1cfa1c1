"""A person's comments on lines of a document: how they are written, read and passed on.

A sheet shows the document with numbered lines. Text that a person adds below a line is a comment on
it, and so is a change to a numbered line. Text above the first line is about the document as a
whole. The author gets each comment with an id, and answers by that id.
"""

from __future__ import annotations

import re
from collections.abc import Collection
from itertools import pairwise
from typing import NamedTuple

RULE = "-------- 8< --------"
_QUOTED = re.compile(r"^\s*(\d{1,6})> ?(.*)$")
_ID = re.compile(r"^C(\d+), (?:line (\d+) of|on) (.*):$", re.MULTILINE)
_LONGEST_QUOTE = 200
PARAGRAPH = "\n\n"
_EMPTY = "(an empty line)"


class Comment(NamedTuple):
    line: int
    quoted: str
    text: str
    filename: str = ""
    """Empty where the remarks are all on one document."""


class Remarks(NamedTuple):
    said: str
    """The remark about the document as a whole."""
    comments: tuple[Comment, ...]

    @property
    def empty(self) -> bool:
        return not self.said and not self.comments


def sheet(filename: str, text: str) -> str:
    """The text that opens in the person's editor: instructions and the numbered document."""
    lines = text.splitlines()
    width = len(str(len(lines)))
    head = (
        f"What should be different in {filename}?\n"
        "Write below the rule; everything above it is ignored.\n"
        "- A line added below a numbered line comments on it.\n"
        "- So does a numbered line that you change.\n"
        "- Text above the first line is about the whole document.\n"
        "- You may delete numbered lines.\n"
        "Save unchanged to cancel.\n"
        f"{RULE}\n"
    )
    return head + "".join(f"{n:>{width}}> {line}\n" for n, line in enumerate(lines, 1))


def read_sheet(filled: str, text: str) -> Remarks:
    """A person's remarks; numbers are believed, so lines may be missing or moved."""
    original = text.splitlines()
    found: dict[int, list[str]] = {}
    said: list[str] = []
    at = 0
    for line in _body(filled):
        match = _QUOTED.match(line)
        if match and 0 < int(match[1]) <= len(original):
            at = int(match[1])
            if match[2].rstrip() != original[at - 1].rstrip():
                found.setdefault(at, []).append(f"this line should be: {match[2].strip()}")
        elif at:
            found.setdefault(at, []).append(line.strip())
        else:
            said.append(line.strip())
    comments = (Comment(n, original[n - 1].strip(), _joined(found[n])) for n in sorted(found))
    return Remarks(_joined(said), tuple(one for one in comments if one.text))


def feedback(filename: str, remarks: Remarks) -> str:
    """The remarks as the text that the document's author is given, each comment with an id."""
    parts = [remarks.said] if remarks.said else []
    for number, comment in enumerate(remarks.comments, 1):
        quoted = comment.quoted[:_LONGEST_QUOTE].replace("\n", " ") or _EMPTY
        place = f"line {comment.line} of {comment.filename or filename}"
        parts.append(f"C{number}, {place}:\n> {quoted}\n{comment.text}")
    return "\n\n".join(parts)


def in_one_line(text: str) -> str:
    """A feedback text for a list of events: the remark, then each comment without its quote.

    Only the first paragraph of a comment: notes of the program follow the last one.
    """
    comments = read_feedback(text)
    if not comments:
        return text
    first = _ID.search(text)
    said = [text[: first.start()].strip()] if first else []
    for id, one in comments.items():
        place = f"line {one.line}" if one.line else one.filename
        said.append(f"{id}, {place}: {one.text.partition(PARAGRAPH)[0]}")
    return " · ".join(filter(None, said))


def comment_ids(text: str) -> tuple[str, ...]:
    """The ids of the comments in a feedback text, in order."""
    return tuple(f"C{found[1]}" for found in _ID.finditer(text))


def read_feedback(text: str) -> dict[str, Comment]:
    """The comments in a feedback text, by id."""
    found: dict[str, Comment] = {}
    for match, part in zip(_ID.finditer(text), _parts(text), strict=True):
        _, _, body = part.partition("\n")
        quoted, _, said = body.partition("\n")
        line = quoted.removeprefix("> ")
        comment = Comment(
            int(match[2] or 0), "" if line == _EMPTY else line, said.strip(), match[3]
        )
        found[f"C{match[1]}"] = comment
    return found


def only(text: str, ids: Collection[str]) -> str:
    """The comments with these ids, verbatim from a feedback text."""
    return "\n\n".join(part for part in _parts(text) if part.partition(",")[0] in ids)


def _parts(text: str) -> list[str]:
    starts = [match.start() for match in _ID.finditer(text)]
    return [text[at:end].strip() for at, end in pairwise((*starts, len(text)))]


def _body(filled: str) -> list[str]:
    lines = filled.splitlines()
    rules = [number for number, line in enumerate(lines) if line.strip() == RULE]
    return lines[rules[0] + 1 :] if rules else lines


def _joined(lines: list[str]) -> str:
    return "\n".join(lines).strip()
