"""Documents are data: wrapping foreign text so that it can't leave its wrapper.

The key is constant for a feature (a cached prefix must stay equal) and derived from a secret of
this machine, so a document can't name it in advance. Anything in a text that could be taken for
a tag of ours is defused, also when it is written with blanks, invisible or full-width letters.
"""

from __future__ import annotations

import hmac
import re

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
    """Equal for all prompts of a feature, and known to nobody who writes a document."""
    return hmac.new(secret, feature.encode("utf-8", "surrogatepass"), "sha256").hexdigest()[:12]


def wrap(text: str, key: str, name: str) -> str:
    body = defuse(text)
    ending = "" if body.endswith("\n") else "\n"
    label = _NAME.sub("_", name)[:_NAME_CHARS]
    return f'<{TAG} key="{key}" name="{label}">\n{body}{ending}</{TAG}>\n'


def defuse(text: str) -> str:
    return _OURS.sub("&lt;", text)
