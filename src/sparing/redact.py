"""The one redactor: removes known secret values and known formats of secrets from a text.

Everything that is written down (logs, events, transcripts) goes through `Redactor.clean` first.
Pure, and linear in the length of the text, which may come from a model: a format begins with fixed
letters that are searched for literally, and a pattern is tried only there, once.

The rule for known values: none of at least `SHORTEST` characters is left, neither literally nor
broken over lines (with indentation, as a literal too), escaped as in JSON, a URL or HTML, wholly or
in part, or encoded in hex, base64 or UTF-16. Each text is handled alone: a caller that splits a
stream must split it at the end of a message.
"""

from __future__ import annotations

import json
import re
from binascii import b2a_base64
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Mapping
from functools import cache, lru_cache
from threading import Lock
from typing import Any, NamedTuple, cast
from urllib.parse import quote, unquote

from sparing.coded_text import BREAK, CODED, join

SHORTEST = 8
SHORT = 200
REMEMBERED = 4096
MARK = "[redacted]"
# An end of fewer different characters is that of a placeholder like `xxxx`.
VARIED = 6

_PASSWORD_IN_URL = r"://[^\s/:@]{0,200}:([^\s/@]{1,200})@"
_SECRET_NAME = (
    "(?i)(?:(?:^|_)(?:KEYS?|PASS|PAT|AUTH|COOKIE|DSN|WEBHOOK|JWT|BEARER|PWD|BINDPW|HTTP_BASIC)"
    "|APIKEYS?|PRIVATEKEYS?|TOKENS?|SECRETS?|PASSWORD|PASSWD|PASSPHRASE|SSHPASS|CREDENTIALS?)(?:_|$)"
)


class SecretMatch(NamedTuple):
    start: int
    end: int
    name: str


class Format(NamedTuple):
    """A kind of secret that can be recognised by its form."""

    name: str
    prefix: str
    body: str


def _formats(name: str, body: str, *prefixes: str) -> Iterator[Format]:
    # Possessive: what a run of characters has taken it keeps, so nothing is read twice.
    return (Format(name, prefix, body) for prefix in prefixes)


@cache
def _compiled(body: str) -> re.Pattern[str]:
    """Compile a pattern once its prefix was found: compiling all would slow down every command."""
    return re.compile(body)


_WORD = r"[A-Za-z0-9_-]"
_ALNUM = "[A-Za-z0-9]"
_HEX = "[a-f0-9]"
_KIND = r"(?:[A-Z0-9]{1,12} ){0,3}"
_BASE64 = r"(?:(?!-----END)[A-Za-z0-9+/=\s\\:,.-]){0,20000}+"
_END = r"(?:-----END [A-Z0-9 ]{1,40}-----)?"

FORMATS: tuple[Format, ...] = (
    *_formats("Anthropic key", rf"[a-z]{{3,8}}\d\d-{_WORD}{{20,}}+", "sk-ant-"),
    *_formats("OpenRouter key", rf"v1-{_HEX}{{40,}}+", "sk-or-"),
    *_formats("OpenAI key", rf"{_WORD}{{40,}}+", "sk-proj-", "sk-svcacct-", "sk-admin-"),
    *_formats("OpenAI key", rf"{_ALNUM}{{20}}T3BlbkFJ{_ALNUM}{{20}}", "sk-"),
    *_formats("Google key", rf"{_WORD}{{35}}(?!{_WORD})", "AIza"),
    *_formats("Google client secret", rf"{_WORD}{{28}}(?!{_WORD})", "GOCSPX-"),
    *_formats("Google token", r"[A-Za-z0-9_.-]{40,}+", "ya29.", "1//0"),
    *_formats("Hugging Face token", rf"{_ALNUM}{{34,}}+", "hf_", "api_org_"),
    *_formats("Groq key", rf"{_ALNUM}{{50,}}+", "gsk_"),
    *_formats("xAI key", rf"{_ALNUM}{{70,}}+", "xai-"),
    *_formats("Perplexity key", rf"{_ALNUM}{{40,}}+", "pplx-"),
    *_formats("Replicate token", rf"{_ALNUM}{{37,}}+", "r8_"),
    *_formats("LangSmith key", rf"{_HEX}{{32}}_{_HEX}{{10}}", "lsv2_pt_", "lsv2_sk_"),
    *_formats("GitHub token", rf"{_ALNUM}{{36,}}+", "ghp_", "gho_", "ghu_", "ghs_", "ghr_"),
    *_formats("GitHub token", r"\w{60,}+", "github_pat_"),
    *_formats("GitLab token", rf"{_WORD}{{20,}}+", "glpat-", "gldt-", "glrt-", "glcbt-", "glptt-"),
    *_formats("GitLab token", rf"{_WORD}{{20,}}+", "gloas-", "glagent-", "glsoat-", "glimt-"),
    *_formats("AWS access key", r"[A-Z0-9]{16}(?![A-Za-z0-9])", "AKIA"),
    *_formats("AWS access key", r"(?=[A-Z]*\d)[A-Z0-9]{16}(?![A-Za-z0-9])", "ASIA", "ABIA", "ACCA"),
    *_formats("Slack token", r"[A-Za-z0-9.-]{20,}+", "xoxb-", "xoxp-", "xoxa-", "xoxs-", "xoxr-"),
    *_formats("Slack token", r"[A-Za-z0-9.-]{20,}+", "xoxe.", "xoxe-", "xoxc-", "xoxd-", "xapp-"),
    *_formats("Slack webhook", r"[A-Za-z0-9/+]{30,}+", "hooks.slack.com/services/"),
    *_formats("Discord webhook", r"\d{15,20}/[\w-]{50,}+", "discord.com/api/webhooks/"),
    *_formats("Stripe key", rf"{_ALNUM}{{24,}}+", "sk_live_", "rk_live_"),
    *_formats("Stripe webhook secret", rf"{_ALNUM}{{24,}}+", "whsec_"),
    *_formats("npm token", rf"{_ALNUM}{{36,}}+", "npm_"),
    *_formats("PyPI token", rf"{_WORD}{{60,}}+", "pypi-AgE"),
    *_formats("RubyGems key", rf"{_HEX}{{48}}", "rubygems_"),
    *_formats("Docker token", rf"{_WORD}{{27,}}+", "dckr_pat_", "dckr_oat_"),
    *_formats("DigitalOcean token", rf"{_HEX}{{64}}", "dop_v1_", "doo_v1_", "dor_v1_"),
    *_formats("Databricks token", rf"{_HEX}{{32}}(?:-\d)?", "dapi"),
    *_formats("Vault token", rf"{_WORD}{{24,}}+", "hvs.", "hvb."),
    *_formats("Doppler token", r"[A-Za-z0-9.]{40,}+", "dp.pt.", "dp.st."),
    *_formats("Pulumi token", rf"{_HEX}{{40}}", "pul-"),
    *_formats("Grafana token", rf"{_ALNUM}{{32}}_{_HEX}{{8}}", "glsa_"),
    *_formats("New Relic key", r"[A-Z0-9]{27}", "NRAK-"),
    *_formats("Postman key", rf"{_HEX}{{24}}-{_HEX}{{34}}", "PMAK-"),
    *_formats("Sentry token", r"[\w+/=]{40,}+", "sntrys_", "sntryu_"),
    *_formats("SendGrid key", rf"{_WORD}{{22}}\.{_WORD}{{43}}", "SG."),
    *_formats("Shopify token", r"[a-fA-F0-9]{32}", "shpat_", "shpss_", "shpca_", "shppa_"),
    *_formats("Square token", rf"{_WORD}{{22,}}+", "sq0atp-", "sq0csp-"),
    *_formats("Linear key", rf"{_ALNUM}{{40}}", "lin_api_"),
    *_formats("Notion token", rf"{_ALNUM}{{40,}}+", "ntn_", "secret_"),
    *_formats("Figma token", rf"{_WORD}{{40,}}+", "figd_", "figu_"),
    *_formats("Supabase key", rf"{_WORD}{{22,}}+", "sbp_", "sb_secret_"),
    *_formats("PlanetScale token", r"[\w.-]{32,}+", "pscale_tkn_", "pscale_pw_"),
    *_formats("Netlify token", rf"{_ALNUM}{{36,}}+", "nfp_"),
    *_formats("Tailscale key", rf"[a-z]{{2,10}}-{_WORD}{{20,}}+", "tskey-"),
    *_formats("Fly token", r"[\w+/=,]{40,}+", "fm2_", "fo1_"),
    *_formats("Atlassian token", r"[\w=-]{60,}+", "ATATT3"),
    *_formats("Azure storage key", r"[A-Za-z0-9+/]{86}==", "AccountKey=", "SharedAccessKey="),
    *_formats("age key", r"[A-Z0-9]{58}", "AGE-SECRET-KEY-1"),
    *_formats("web token", rf"{_WORD}{{8,}}+\.eyJ{_WORD}{{8,}}+\.{_WORD}{{16,}}+", "eyJ"),
    *_formats("private key", rf"{_KIND}PRIVATE KEY(?: BLOCK)?-----{_BASE64}{_END}", "-----BEGIN "),
    *_formats("private key", r"[23]: [\s\S]{0,4000}", "PuTTY-User-Key-File-"),
)

# Before a secret stands no letter, unless it belongs to an escape or a colour.
_BOUNDARY = (
    r"(?:^|[^A-Za-z0-9_-]|\\[bfnrt]|\\u[0-9a-fA-F]{4}|\\x[0-9a-fA-F]{2}|%[0-9a-fA-F]{2}"
    r"|\x1b\[[0-9;]{0,8}m)$"
)


def find_formats(text: str) -> Iterator[SecretMatch]:
    for name, prefix, body in FORMATS:
        start = text.find(prefix)
        while start >= 0:
            begin = start + len(prefix)
            found = _compiled(body).match(text, begin) if _stands_free(text, start) else None
            if found and len(set(found[0][-20:])) >= VARIED:
                # A backslash at the end may belong to an escape that begins there.
                begin = begin + len(found[0].rstrip("\\"))
                yield SecretMatch(start, begin, name)
            start = text.find(prefix, begin)


def _stands_free(text: str, start: int) -> bool:
    return _compiled(_BOUNDARY).search(text[max(0, start - 12) : start]) is not None


def secret_values(environ: Mapping[str, str]) -> tuple[str, ...]:
    """Secret values in an environment, recognised by name, and passwords in URLs."""
    found: dict[str, None] = {}
    for name, value in environ.items():
        if _compiled(_SECRET_NAME).search(name) and not value.startswith("/"):
            found[value] = None
        for password in _compiled(_PASSWORD_IN_URL).findall(value) if "://" in value else ():
            found |= dict.fromkeys((password, unquote(password)))
    return tuple(value for value in found if len(value) >= SHORTEST)


def spellings(value: str) -> frozenset[str]:
    """All forms in which a value may occur in a text; for one of several lines, also each line."""
    found = {value, *(line.strip() for line in value.splitlines())}
    for plain in tuple(found):
        data = plain.encode("utf-8", "surrogateescape")
        found |= {json.dumps(plain)[1:-1], quote(data, safe=""), quote(data)}
        found.add(data.decode("latin-1"))
        found |= {plain.replace("'", "''"), plain.replace('"', '""')}
        found |= {mark.join(map(str, data)) for mark in (",", ", ", " ")}
        wide = plain.encode("utf-16-le", "surrogatepass")
        for coded in (data, wide, plain.encode("utf-16-be", "surrogatepass")):
            pairs = (coded.hex(" ", 2), coded.hex(" ", -2))
            spelled = (coded.hex(), coded.hex(" "), coded.hex(":"), *pairs)
            found |= {*spelled, *map(str.upper, spelled), *_base64_cores(coded)}
    return frozenset(text for text in found if len(text) >= SHORTEST)


def _base64_cores(data: bytes) -> Iterator[str]:
    """Its base64 at any offset, without the letters that depend on neighbouring bytes."""
    for shift in range(3):
        size = shift + len(data)
        text = b2a_base64(bytes(shift) + data, newline=False).decode()
        core = text[(0, 2, 3)[shift] : size // 3 * 4 + (0, 1, 2)[size % 3]]
        if len(core) >= SHORTEST + 2:
            yield from (core, core.replace("+", "-").replace("/", "_"))


class Redactor:
    """Redacts the secrets of one run."""

    def __init__(self, known: Iterable[str] = ()) -> None:
        self.known: tuple[str, ...] = ()
        self._needles: list[str] = []
        self._mark = MARK
        self._learning = Lock()
        self._remembered = lru_cache(REMEMBERED)(self._cleaned)
        self.learn(known)

    def learn(self, known: Iterable[str]) -> None:
        """Know these, too, from now on: a file with secrets may change during a run."""
        with self._learning:  # features that run at the same time share it
            values = [one for one in known if len(one) >= SHORTEST and one not in self.known]
            if not values:
                return
            needles = sorted(set(self._needles).union(*map(spellings, values)))
            self._mark, self._needles = _safe_mark(needles), needles
            self.known = tuple(dict.fromkeys((*self.known, *values)))
            # Another one: who cleans a text at this moment remembers it in the old one.
            self._remembered = lru_cache(REMEMBERED)(self._cleaned)

    def clean(self, text: str) -> str:
        """Redact a text; results for short ones, such as ids and names, are cached."""
        if len(text) < SHORTEST:
            return text
        return self._remembered(text) if len(text) <= SHORT else self._cleaned(text)

    def clean_lines(self, text: str) -> str:
        """Redact a text and keep its number of lines."""
        return self._cleaned(text, breaks=True)

    def _cleaned(self, text: str, *, breaks: bool = False) -> str:
        if self._needles:
            text = _replace(text, self.places(text), self._mark, breaks=breaks)
        found = [(start, end) for start, end, _ in find_formats(text)]
        return _replace(text, found, self._mark, breaks=breaks)

    def places(self, text: str) -> list[tuple[int, int]]:
        """Start and end of each known value in a text."""
        if not self._needles:
            return []
        found = [*self._known(text), *self._broken(text, BREAK)]
        return [*found, *self._broken(text, CODED)] if CODED.search(text) else found

    def clean_data(self, data: Any) -> Any:
        """Redact data that is about to become JSON: its strings and keys."""
        if isinstance(data, str):
            return self.clean(data)
        if isinstance(data, list | tuple):
            return [self.clean_data(item) for item in cast("Iterable[Any]", data)]
        if isinstance(data, dict):
            pairs = cast("dict[Any, Any]", data).items()
            return {self.clean_data(key): self.clean_data(value) for key, value in pairs}
        return data

    def _known(self, text: str) -> Iterator[tuple[int, int]]:
        for needle in self._needles:
            start = text.find(needle)
            while start >= 0:
                yield start, start + len(needle)
                start = text.find(needle, start + 1)

    def _broken(self, text: str, between: re.Pattern[str]) -> Iterator[tuple[int, int]]:
        """Known values found in the text once decoded and without breaks, as positions in the
        original text."""
        joined, places, removed, ends = join(text, between)
        if joined == text:
            return
        for start, end in self._known(joined):
            first = start + removed[bisect_right(places, start) - 1]
            last = end + removed[bisect_right(places, end - 1) - 1]
            yield first, ends.get(end, last)


def _replace(text: str, spans: Iterable[tuple[int, int]], mark: str, *, breaks: bool) -> str:
    parts: list[str] = []
    last = 0
    for start, end in sorted(spans):
        if end <= last:
            continue
        if start >= last:
            parts += (text[last:start], mark)
        if breaks:
            parts.append("\n" * text.count("\n", max(start, last), end))
        last = end
    return "".join((*parts, text[last:]))


def _safe_mark(needles: Iterable[str]) -> str:
    """A mark that can't complete a secret together with the text next to it."""
    letters = set("".join(needles))
    if letters.isdisjoint(MARK) or not any(_joins(MARK, needle) for needle in needles):
        return MARK
    return next(chr(n) for n in range(0x2588, 0x110000) if chr(n) not in letters) * 3


def _joins(mark: str, needle: str) -> bool:
    if needle in mark or mark in needle:
        return True
    ends = range(1, min(len(mark), len(needle)))
    return any(needle.startswith(mark[-n:]) or needle.endswith(mark[:n]) for n in ends)
