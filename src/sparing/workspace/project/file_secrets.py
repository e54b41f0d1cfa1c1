"""Secret values in a person's own files: those that we share, and package managers' settings.

A value is secret if its name says so (`DB_PASSWORD`, `_authToken`), if it is a login in an address,
or if it looks random whatever its name. `DEBUG=true`, names of files, placeholders and the digest
of a version are not: a word of anybody's code as a known secret would block every commit.
"""

from __future__ import annotations

import json
import re
from base64 import b64decode
from codecs import BOM_UTF16_BE, BOM_UTF16_LE
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from html import unescape
from pathlib import Path

from sparing.redact import SHORTEST
from sparing.workspace.git.config import logins_in_address
from sparing.workspace.git.special_files import read_plain
from sparing.workspace.project.paths import Confined, PathRefused
from sparing.workspace.project.secret_rules import (
    is_local,
    is_placeholder,
    is_words,
    looks_random,
)

LIMIT_BYTES = 1_000_000
MOST = 100
"""Values taken, the named ones first: each costs time with every text that is redacted."""
LONGEST = 4096
LONGEST_PLAIN = 14

_PART = r"[^\s\"'`,;<>]{1,4096}"
_QUOTED = r"\"(?:[^\"\\]|\\.){1,4096}\"|'[^']{1,4096}'"
_PAIRS = (
    re.compile(rf"^[ \t]*(?:export[ \t]+)?([\w.:/@-]{{1,200}})[ \t]*=[ \t]*({_QUOTED}|.+)$", re.M),
    re.compile(rf"(?<![\w.@-])([\w.@-]{{1,200}}+)[\"']?[ \t]*:[ \t]*({_QUOTED}|{_PART})"),
    re.compile(
        rf"^[ \t]*(?:set(?:[ \t]+-\w+)*[ \t]+)?([\w.-]{{1,200}})[ \t]+({_QUOTED}|{_PART})[ \t]*$",
        re.M,
    ),
    re.compile(rf"(?:^|[ \t])(password)[ \t\n]+({_QUOTED}|{_PART})", re.M),  # .netrc
    re.compile(r"<([\w.-]{1,200})>\s{0,80}<!\[CDATA\[([^\]]{1,400}+)\]\]>"),
    re.compile(rf"[{{,][ \t]*[\"']?([\w.-]{{1,200}})[\"']?[ \t]*=[ \t]*({_QUOTED})"),  # TOML
    re.compile(rf"^[ \t]*\"([^\"\s]{{1,200}})\"[ \t]+({_QUOTED}|{_PART})[ \t]*$", re.M),
    re.compile(r"(?i)[;?&:\"'= -](password|passwd|pwd|account_?key)=([^\s;&\"'<>]{1,4096})"),
    # On the next line: YAML's blocks, what continues a line.
    re.compile(
        rf"^[ \t]*([\w.-]{{1,200}})[ \t]*[:=][ \t]*[|>]?[+-]?\r?\n[ \t]+({_PART})[ \t]*$", re.M
    ),
)
_IN_CODE = (
    # A header, a value of several words.
    re.compile(r"^[ \t]*([\w.@-]{1,200})[ \t]*:[ \t]+([^\s\"'{}\[\]|>&*!][^\n]{1,4096})$", re.M),
    # A line with several, a default in a shell.
    re.compile(rf"(?:^|[ \t])([A-Z][A-Z0-9_]{{1,200}})=({_QUOTED}|{_PART})", re.M),
    re.compile(r"\$\{(\w{1,200}):?[-=]([^{}\n]{1,4096})\}"),
    # A program's own settings: an argument, a constant, a hash.
    re.compile(
        rf"(?<![\w.@-])([\w.@-]{{1,200}}+)[\"']?[ \t]*(?::[ \t]*\w{{1,80}}[ \t]*)?(?:=>|:=|=)[ \t]*"
        rf"({_QUOTED})"
    ),
    re.compile(rf"\(\s{{0,80}}[\"']([\w.-]{{1,200}})[\"']\s{{0,80}},\s{{0,80}}({_QUOTED})"),
)
"""Where names say less: a value that consists of words is nobody's secret."""
_MARKED_UP = (
    re.compile(r"<([\w.-]{1,200})>([^<>]{1,4096})</"),
    re.compile(rf"(?:key|name)=[\"']([\w.-]{{1,200}})[\"'][ \t]{{1,9}}value=({_QUOTED})"),  # NuGet
)
_IN_PATH = re.compile(r"/t/([\w.-]{16,200})(?=[/\s\"']|$)")
"""A token in the address of a conda channel."""
_SCHEME = re.compile(r"(?i)^(?:bearer|basic|token)[ ]+(?=\S+$)")
_LOGIN_NAME = re.compile(r"(?i)(?:^|_)(?:AUTH|IDENT|HTTP_BASIC)(?:_|$)|^BUNDLE_\w+__")
_IDENT = re.compile(r"(?i)(?:^|_)(?:IDENT|HTTP_BASIC)(?:_|$)|^BUNDLE_\w+__")
_LOGIN = re.compile(r"([^\s:/]{1,200}):(\S{1,4096})")
_OAUTH = "x-oauth-basic"
_TOKEN = re.compile(r"[A-Za-z0-9+/_.~!@#%^&*-]{16,4096}")
# Words and numbers: a model with its date, a project with its number, an e-mail address.
_PIECE = r"(?:[A-Za-z]{1,40}+\d{0,4}+|\d{1,12}+(?:[A-Za-z]\d{0,3}+){0,2}+)"
_NUMBERED = re.compile(rf"{_PIECE}(?:[_./:+@-]{{1,3}}+{_PIECE}){{0,40}}+")
_REFERENCE = ("$", "{", "<", "%(", "%{")
_HOST = re.compile(r"@([^\s/:\"'@]{1,200})")
_HUMP = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")
_STRONG = re.compile(
    r"(?i)(?:(?:^|_)(?:PASS|PWD|BINDPW|SECRETS?|TOKENS?|SSHPASS)|PASS(?:WORD|WD|PHRASE))$"
)
_NAMED = re.compile(
    r"(?i)(?:^|_)(?:KEYS?|PASS|PAT|AUTH|AUTHORIZATION|COOKIE|DSN|WEBHOOK|JWT|BEARER|PWD|BINDPW|SALT|HTTP_BASIC)"
    r"(?:_|$)|APIKEYS?|TOKENS?(?:_|$)|SECRETS?(?:_|$)|PASSW|PASSPHRASE|SSHPASS|CREDENTIALS?"
)
_DIGEST = re.compile(r"(?i)SHA\d*|DIGEST|COMMIT|HASH|CHECKSUM|REVISION|VERSION|INTEGRITY")
_BASE64 = re.compile(r"[A-Za-z0-9+/]{8,}={0,2}")
_SAMPLES = (".example", ".sample", ".template", ".dist", ".defaults")

LOGIN_FILES = (
    *(".npmrc", ".netrc", ".pypirc", ".yarnrc", ".yarnrc.yml", ".pip/pip.conf"),
    *(".gem/credentials", ".bundle/config", ".m2/settings.xml", ".composer/auth.json"),
    *(".cargo/credentials", ".cargo/credentials.toml", ".cargo/config.toml"),
    *(".gradle/gradle.properties", ".nuget/NuGet/NuGet.Config", ".bunfig.toml", ".condarc"),
    *(".sbt/.credentials", ".ivy2/.credentials", ".local/share/gem/credentials"),
    *(".git-credentials", ".local/share/uv/credentials/credentials.toml"),
)
CONFIG_FILES = (
    *("pip/pip.conf", "uv/uv.toml", "pypoetry/auth.toml", "pypoetry/config.toml", "pnpm/rc"),
    *("composer/auth.json", "NuGet/NuGet.Config", "go/env"),
    *("pdm/config.toml", "hatch/config.toml"),
)
"""Below XDG_CONFIG_HOME."""
_POINTERS = (
    *("PIP_CONFIG_FILE", "NETRC", "NPM_CONFIG_USERCONFIG", "npm_config_userconfig"),
    *("NPM_CONFIG_GLOBALCONFIG", "npm_config_globalconfig", "UV_CONFIG_FILE"),
)


def shared_secrets(checkout: Path, paths: Iterable[str]) -> tuple[str, ...]:
    """Secrets in files of a checkout that we share; values in a sample beside it are not."""
    files = Confined(checkout)
    found: dict[str, None] = {}
    for path in paths:
        with suppress(OSError, PathRefused):
            values = dict.fromkeys(secrets_in(_text(files.read_bytes(path, LIMIT_BYTES))))
            for sample in (checkout / f"{path}{end}" for end in _SAMPLES):
                shown = _text(read_plain(sample, LIMIT_BYTES) or b"")
                values = {value: None for value in values if value not in shown}
            found |= values
    return tuple(found)[:MOST]


def login_secrets(environ: Mapping[str, str]) -> tuple[str, ...]:
    """Secrets in a person's settings of package managers: variables, and files in HOME."""
    found = dict.fromkeys(secrets_in("\n".join(f"{k}={v}" for k, v in environ.items())))
    for file in login_files(environ):
        with suppress(OSError):
            data = read_plain(file, LIMIT_BYTES, follow=True)
            found |= dict.fromkeys(secrets_in(_text(data or b"")))
    return tuple(found)


def login_files(environ: Mapping[str, str]) -> tuple[Path, ...]:
    home = environ.get("HOME", "")
    if not home:
        return ()
    config = Path(environ.get("XDG_CONFIG_HOME") or Path(home, ".config"))
    cargo = environ.get("CARGO_HOME") or str(Path(home, ".cargo"))
    return (
        *(Path(home, name) for name in LOGIN_FILES),
        *(config / name for name in CONFIG_FILES),
        *(Path(cargo, name) for name in ("credentials", "credentials.toml", "config.toml")),
        *(Path(environ[name]) for name in _POINTERS if environ.get(name)),
    )


def secrets_in(text: str) -> tuple[str, ...]:
    """Secret values in a file of settings of any form; what its names say comes first."""
    pairs = [(name, _plain(raw)) for one in _PAIRS for name, raw in one.findall(text)]
    coded = (pair for one in _IN_CODE for pair in one.findall(text))
    pairs += [(name, value) for name, raw in coded if not _of_words(value := _plain(raw))]
    marked = (pair for one in _MARKED_UP for pair in one.findall(text))
    pairs += [(name, unescape(_plain(raw))) for name, raw in marked]
    found = {value: None for pair in pairs for value in _named(*pair)}
    found |= dict.fromkeys(value for one in text.split() for value in _in_address(one))
    found |= dict.fromkeys(one for one in _IN_PATH.findall(text) if not is_words(one))
    versions = {value for name, value in pairs if _DIGEST.search(name)}
    found |= dict.fromkeys(one for one in _tokens(text) if _is_random(one) and one not in versions)
    usable = (value for value in found if SHORTEST <= len(value) <= LONGEST)
    return tuple(usable)[:MOST]


def _tokens(text: str) -> Iterator[str]:
    for one in _TOKEN.findall(text):
        # An address holds some between its slashes.
        yield from one.split("/") if one.startswith("//") else (one,)


def _is_random(token: str) -> bool:
    return looks_random(token) and _NUMBERED.fullmatch(token) is None


def _in_address(word: str) -> Iterator[str]:
    """Logins in it, but not `postgres:postgres` or what a database on this machine has."""
    host = _HOST.search(word)
    for value in logins_in_address(word):
        if value.startswith(_REFERENCE):
            continue
        local = host is not None and is_local(host[1])
        if not is_words(value) or not (local or _is_plain_word(value) or is_placeholder(value)):
            yield value


def _is_plain_word(value: str) -> bool:
    return value.isalpha() and len(value) <= LONGEST_PLAIN


def _named(name: str, value: str) -> Iterator[str]:
    """The value, if its name says that it is secret and it is not plainly something else."""
    words = re.sub(r"\W+", "_", _HUMP.sub("_", name)).strip("_")
    if _LOGIN_NAME.search(words):
        # Of AUTH it is not sure: AUTH_URL=http://localhost:3000, AUTH_CLASS=app.auth:Backend.
        sure = _IDENT.search(words) is not None
        yield from (one for one in _login(value) if sure or not is_words(one))
    if not _NAMED.search(words):
        return
    value = _SCHEME.sub("", value)
    if not _may_be_secret(words, value):
        return
    yield value
    # npm and others keep `user:password` or a password in base64.
    if _BASE64.fullmatch(value):
        with suppress(ValueError):
            decoded = b64decode(value, validate=True).decode("ascii")
            if decoded.isprintable():
                yield from (decoded, *_login(decoded))


def _login(value: str) -> Iterator[str]:
    """The password of a `user:password`; the token that stands in the place of a user."""
    if found := _LOGIN.fullmatch(value):
        secret = found[1] if found[2] == _OAUTH else found[2]
        if _may_be_secret("PASSWORD", secret):
            yield secret


def _may_be_secret(name: str, value: str) -> bool:
    if value.startswith(("/", "$", "./", "~/")) or (value.isdigit() and len(value) < SHORTEST + 4):
        return False
    if "://" in value:
        return re.search(r"(?i)WEBHOOK|DSN", name) is not None
    if _is_plain_word(value) or value.startswith(('["', "['")):
        return False
    if not _of_words(value):
        return True
    file = "/" in value or re.search(r"\.[a-z]{2,5}$", value)
    return not file and not is_placeholder(value) and _STRONG.search(name) is not None


def _of_words(value: str) -> bool:
    return all(map(is_words, value.split()))


def _plain(raw: str) -> str:
    """A value without its quotes, escapes and the comment after it."""
    raw = raw.strip().rstrip(",")
    quote = raw[:1]
    if quote in ("'", '"') and (end := raw.find(quote, 1)) > 0:
        inner = raw[1 : end if quote == "'" else raw.rfind(quote)]
        with suppress(ValueError):
            return str(json.loads(f'"{inner}"')) if quote == '"' else inner
        return inner
    plain = re.split(r"[ \t]+[#;]", raw, maxsplit=1)[0].strip()
    return re.sub(r"\\([:=#!])", r"\1", plain)


def _text(data: bytes) -> str:
    if data.startswith((BOM_UTF16_LE, BOM_UTF16_BE)):
        return data.decode("utf-16", "replace")
    return data.decode("utf-8-sig", "replace")
