"""Rules for secrets without a known prefix: by what is next to them, or by file name.

Each rule finds where in a text something begins that looks like a secret. They read what agents
wrote, so every repetition in a pattern is bounded. Secrets with a known prefix are in
`sparing.redact`, because logs need it too.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import PurePosixPath
from typing import NamedTuple

Finder = Callable[[str, str], Iterator[int]]


class Rule(NamedTuple):
    name: str
    find: Finder
    """Takes path and text; yields positions."""


_SECRET_FILES = frozenset(
    {".netrc", ".pgpass", ".git-credentials", "id_rsa", "id_dsa", "id_ecdsa", "id_ed25519"}
)
_SAMPLES = (".example", ".sample", ".template", ".dist", ".defaults", ".test", ".ci")
_CONFIG = frozenset(
    {".cfg", ".conf", ".env", ".ini", ".properties", ".tf", ".tfvars", ".toml", ".yaml", ".yml"}
)

_ASSIGNED = re.compile(
    r"(?:api_?key|access_?key|private_?key|secret|token|passw(?:or)?d|passphrase|credential)"
    r"[\w\"'\]]{0,24} {0,4}(?:=>|:=|=|:) {0,4}"
    r"(?:([\"'`])(?P<quoted>[^\s\"'`]{16,200})\1|(?P<bare>[^\s\"'`#;,]{16,200})[ \t]{0,9}$)",
    re.IGNORECASE | re.MULTILINE,
)
_IN_URL = re.compile(
    r"://[^\s/:@,\"'<>{}$\[\]]{0,80}:([^\s/@,\"'<>{}$\[\]]{6,200})@([^\s/:\"']{1,200})"
)
_PLACEHOLDER = re.compile(
    r"example|change|your|dummy|sample|fake|test|placeholder|redacted|xxx|\*\*\*|\.\.\.|12345|"
    r"abcde|password|secret|[<>{}]|\$\(",
    re.IGNORECASE,
)
_CODE = re.compile(r"[^A-Za-z0-9+/=_.~!@#%^&*:?-]")
# Possessive: whatever is not of this form is found out in one pass.
_WORDS = re.compile(r"[A-Za-z]{0,40}+\d{0,4}+(?:[_./:+-]{1,3}+[A-Za-z]{0,40}+\d{0,4}+){0,40}+")
_COMMON = frozenset({"postgres", "admin", "guest", "rabbitmq", "mysql", "mongo", "redis", "minio"})

# Name, letters without which the pattern need not be tried, pattern.
_PATTERNS = (
    ("Twilio key", "SK", r"(?<![A-Za-z0-9])SK[0-9a-f]{32}(?![A-Za-z0-9])"),
    ("Telegram bot token", ":AA", r"(?<![A-Za-z0-9])\d{8,10}:AA[\w-]{33}(?![\w-])"),
    ("Mailchimp key", "-us", r"(?<![A-Za-z0-9])[0-9a-f]{32}-us\d{1,2}(?!\w)"),
    ("Terraform token", ".atlasv1.", r"(?<!\w)[A-Za-z0-9]{14}\.atlasv1\.[\w-]{60,80}"),
    ("Airtable token", "pat", r"(?<!\w)pat[A-Za-z0-9]{14}\.[0-9a-f]{64}"),
    ("Azure client secret", "Q~", r"(?<![\w~.-])[\w~.-]{3}\dQ~[\w~.-]{31,34}(?![\w~.-])"),
    (
        "Discord bot token",
        ".",
        r"(?<![\w.-])[MNO](?=[\w-]{0,25}\d)[\w-]{23,25}\.(?=[\w-]{0,5}[A-Z\d])[\w-]{6}\."
        r"(?=[\w-]{0,37}\d)[\w-]{27,38}(?![\w.-])",
    ),
)


def _pattern(letters: str, pattern: str) -> Finder:
    compiled = re.compile(pattern)

    def find(_: str, text: str) -> Iterator[int]:
        if letters in text:
            yield from (found.start() for found in compiled.finditer(text))

    return find


def file_rule(path: str) -> str | None:
    """The rule for files that hold secrets whatever their content; else None."""
    name = PurePosixPath(path).name
    if name in _SECRET_FILES:
        return "file of secrets"
    if (name == ".env" or name.startswith(".env.")) and not name.endswith(_SAMPLES):
        return "file of secrets"
    return "key store" if name.endswith((".p12", ".pfx", ".jks", ".keystore")) else None


def _assigned(path: str, text: str) -> Iterator[int]:
    """Random values assigned to the name of a secret; unquoted ones only in settings files."""
    place = PurePosixPath(path)
    settings = place.suffix in _CONFIG or place.name.startswith((".env", ".npmrc", "Dockerfile"))
    for found in _ASSIGNED.finditer(text):
        kind = "quoted" if found["quoted"] else "bare"
        if (settings or kind == "quoted") and looks_random(found[kind]):
            yield found.start(kind)


def _in_url(_: str, text: str) -> Iterator[int]:
    for found in _IN_URL.finditer(text):
        password, host = found[1], found[2]
        if not is_placeholder(password) and (not is_local(host) or looks_random(password)):
            yield found.start(1)


def is_local(host: str) -> bool:
    return host.startswith(("localhost", "127.", "0.0.0.0", "example")) or "." not in host


def is_placeholder(value: str) -> bool:
    return value in _COMMON or _PLACEHOLDER.search(value) is not None


def is_words(value: str) -> bool:
    """Whether it is words with signs between them and some digits, as in `customer_id2`."""
    return _WORDS.fullmatch(value) is not None


def looks_random(value: str) -> bool:
    """Whether it is random letters and digits, as no one would write by hand."""
    if not re.search(r"\d", value) or not re.search("[A-Za-z]", value) or _CODE.search(value):
        return False
    if _PLACEHOLDER.search(value) or _WORDS.fullmatch(value) or value.startswith(("/", "$", "%")):
        return False
    least = 3.0 if re.fullmatch("[0-9a-f]{1,200}", value) else 3.5
    return entropy(value) >= least


def entropy(value: str) -> float:
    """Bits per character."""
    counts = Counter(value).values()
    return -sum(n / len(value) * math.log2(n / len(value)) for n in counts)


RULES = (
    *(Rule(name, _pattern(letters, pattern)) for name, letters, pattern in _PATTERNS),
    Rule("password in a URL", _in_url),
    Rule("value assigned to a name like a secret's", _assigned),
)
