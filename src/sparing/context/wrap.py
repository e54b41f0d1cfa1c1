"""Documents are data: wrapping foreign text so that it can't leave its wrapper.

The key is constant for a feature (a cached prefix must stay equal) and derived from a secret,
so a document can't name it in advance. Any tag of ours inside a text is defused.
"""

from __future__ import annotations

import re

TAG = "document"
_OURS = re.compile(rf"<(?=/?{TAG}\b)", re.IGNORECASE)


def wrap(text: str, key: str, name: str) -> str:
    body = defuse(text)
    ending = "" if body.endswith("\n") else "\n"
    return f'<{TAG} key="{key}" name="{name}">\n{body}{ending}</{TAG}>\n'


def defuse(text: str) -> str:
    return _OURS.sub("&lt;", text)
