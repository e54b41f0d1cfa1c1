"""How a document gets into a prompt: in full inside a wrapper, or by reference.

Documents are data: untrusted text is wrapped so that it can't escape its wrapper.

The key is constant for a feature (a cached prefix must stay identical) and derived from a secret of
this machine, so a document can't predict it. Anything in a text that could be taken for one of our
tags is defused, even if written with blanks, invisible or full-width letters.

Artifacts by reference: which files a role must read, and whether it did.

Reads are seen in the agent's tool events; if a client reports no events, only the line `Files read:
…` remains. A file that was not read is noted and never blocks.
"""

from __future__ import annotations

import hmac
import re
from collections.abc import Iterable, Mapping, Sequence
from pathlib import PurePosixPath
from typing import Any, NamedTuple

from sparing.artifact import ArtifactName
from sparing.context.prompt.brief import Document
from sparing.prompts.render import words

TAG = "document"
_HIDDEN = (
    r"[\s\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u202a-\u202e"
    r"\u2060-\u206f\ufe00-\ufe0f\ufeff\ufff9-\ufffb]*"
)
_LETTERS = _HIDDEN.join(f"[{letter}{chr(ord(letter) + 0xFEE0)}]" for letter in TAG)
_OURS = re.compile(rf"[<\uff1c\ufe64](?={_HIDDEN}[/\uff0f]?{_HIDDEN}{_LETTERS})", re.IGNORECASE)
_NAME = re.compile(r"[^\w .,:()+-]")
_NAME_CHARS = 80


def wrapper_key(secret: bytes, feature: str) -> str:
    """The same for all prompts of a feature, and unknown to the authors of documents."""
    return hmac.new(secret, feature.encode("utf-8", "surrogatepass"), "sha256").hexdigest()[:12]


def wrap(text: str, key: str, name: str) -> str:
    body = defuse(text)
    ending = "" if body.endswith("\n") else "\n"
    label = _NAME.sub("_", name)[:_NAME_CHARS]
    return f'<{TAG} key="{key}" name="{label}">\n{body}{ending}</{TAG}>\n'


def defuse(text: str) -> str:
    return _OURS.sub("&lt;", text)


FIELD = "files_read"
"""Field of a structured reply that replaces the `Files read` line of a plain one."""
NO_PRD = "No PRD — feature created without brainstorm"
_LABELS = {ArtifactName.PRD: "PRD"}
_LINE = re.compile(r"^[\s>*_`#-]*files?\s+read\b[\s*_`]*[:：-]*(?P<rest>.*)$", re.IGNORECASE)
_FILE = re.compile(
    r"(?P<name>[^\s,;()`*]*[^\s,;()`*.:])[`*]*\s*"
    r"(?:[(\[—–-]+\s*(?:about|approx\.?|ca\.?|~|≈)?\s*(?P<lines>\d[\d.,' ]{0,11})\s*(?:lines?)?)?",
)  # fmt: skip
_FIELD = re.compile(rf'"{FIELD}"\s*:\s*(?:"(?P<text>[^"]*)"|\[(?P<list>[^\]]*)\])')
_BULLET = re.compile(r"^\s*(?:[-*+]|\d+[.)])\s+")


class FileRead(NamedTuple):
    name: str
    lines: int | None


def label(name: ArtifactName) -> str:
    return _LABELS.get(name, name.value.replace("_", " ").capitalize())


def absent(name: ArtifactName) -> str:
    """The line for a document that the feature does not have."""
    return f"- {label(name)}: {NO_PRD if name is ArtifactName.PRD else 'N/A'}"


def reference(document: Document) -> str:
    if document.text is None:
        return absent(document.name)
    return f"- {label(document.name)}: {document.path}"


def required(documents: Sequence[Document], form: Mapping[str, Any] | None = None) -> str:
    """The Required Artifacts block; with a `form`, reads are confirmed in it or seen in events."""
    name = "confirm_reads"
    if form is not None:
        name = "confirm_reads_form" if FIELD in form.get("properties", {}) else "must_read"
    order = words("blocks", name) if any(d.text is not None for d in documents) else ""
    lines = "".join(reference(document) + "\n" for document in documents)
    return f"## Required Artifacts\n{order}{lines}"


def confirmed_reads(reply: str) -> tuple[FileRead, ...] | None:
    """What the reply says it read; None if it does not say so at all."""
    field = _FIELD.search(reply)
    said = (field["text"] or field["list"] or "") if field is not None else ""
    if found := _files(said.replace('"', " ")):
        return found
    lines = reply.splitlines()
    for number, line in enumerate(lines):
        match = _LINE.match(line)
        if match is None:
            continue
        found = _files(match["rest"])
        return found or _files(_bullets(lines[number + 1 :]))
    return None


def missed_reads(
    wanted: Iterable[str], seen: Iterable[str], confirmed: Sequence[FileRead] | None
) -> tuple[str, ...]:
    """Required files that were neither seen being read nor confirmed, by name."""
    read = {PurePosixPath(path).name for path in seen}
    read |= {PurePosixPath(one.name).name for one in confirmed or ()}
    names = (PurePosixPath(path).name for path in wanted)
    return tuple(dict.fromkeys(name for name in names if name not in read))


def unread_warning(role: str) -> str:
    return f"LAZY-LOAD-WARNING: {role} did not confirm artifact reads"


def _files(text: str) -> tuple[FileRead, ...]:
    return tuple(
        FileRead(match["name"], _count(match["lines"]))
        for match in _FILE.finditer(text[:4_000])
        if "." in match["name"] and any(letter.isalpha() for letter in match["name"])
    )


def _bullets(lines: Sequence[str]) -> str:
    """The list right below a line that names nothing itself."""
    found: list[str] = []
    for line in lines[:40]:
        if not line.strip() and not found:
            continue
        if not _BULLET.match(line):
            break
        found.append(_BULLET.sub("", line))
    return ", ".join(found)


def _count(digits: str | None) -> int | None:
    plain = re.sub(r"\D", "", digits or "")
    return int(plain) if plain else None
