"""Documents of a model or a repository as inert HTML.

Markdown is parsed without HTML, and the result passes an allow-list: no script, no style, no
picture, no form, no link except to http and https, and none that leads to this page. Blocks have
the number of their first line, so that a comment can say which line it is about.
"""

from __future__ import annotations

from collections.abc import Sequence

import nh3
from markdown_it import MarkdownIt
from markdown_it.token import Token
from markupsafe import Markup

from sparing.printable import printable

BLOCKS = frozenset(
    {"blockquote", "div", "h1", "h2", "h3", "h4", "h5", "h6", "hr", "li", "ol", "p", "pre", "table"}
    | {"tr", "ul"}
)
TAGS = BLOCKS | {
    *("a", "br", "code", "del", "em", "s", "strong", "tbody", "td", "th", "thead"),
}
ATTRIBUTES = {
    "a": {"href"},
    "code": {"data-line"},
    "ol": {"start", "data-line"},
    **{tag: {"data-line"} for tag in BLOCKS - {"ol"}},
}
LARGEST = 400_000
"""Characters; a longer document is shown as source."""
DEEPEST = 20


def rendered(text: str) -> Markup:
    """HTML that is safe to insert into a page as it is."""
    shown = printable(text)
    if len(shown) > LARGEST:
        return Markup("<pre>{}</pre>").format(shown)
    reader = MarkdownIt("commonmark", {"html": False, "maxNesting": DEEPEST})
    reader.enable(["table", "strikethrough"]).disable("image")
    tokens = reader.parse(shown)
    _number(tokens)
    html = reader.renderer.render(tokens, reader.options, {})
    return Markup(clean(html))


def clean(html: str) -> str:
    return nh3.clean(
        html,
        tags=set(TAGS),
        attributes={tag: set(names) for tag, names in ATTRIBUTES.items()},
        attribute_filter=_allowed,
        url_schemes={"http", "https"},
        link_rel="noopener noreferrer nofollow",
    )


def _allowed(tag: str, name: str, value: str) -> str | None:
    if name == "href":
        outside = value.startswith(("https://", "http://"))
        return value if outside and tag == "a" else None
    if name in ("data-line", "start"):
        return value if value.isascii() and value.isdigit() else None
    return None


def _number(tokens: Sequence[Token]) -> None:
    """Mark each block with the number of its first line, counted from one."""
    for token in tokens:
        if token.map is not None and token.nesting >= 0 and token.type != "inline":
            token.attrSet("data-line", str(token.map[0] + 1))
        if token.type == "fence":
            # The renderer puts a fence's attributes on <code>; its language is of no use here.
            token.info = ""
