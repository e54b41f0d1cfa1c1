"""What is written down holds no secret: not one we know, in no spelling, and none of a known form.

Covers: H5
"""

from __future__ import annotations

import base64
import json
import re
import time
from collections.abc import Callable
from urllib.parse import quote

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sparing.redact import MARK, SHORTEST, Redactor, find_formats, secret_values, spellings
from sparing.workspace.project.secrets import KNOWN, Hit, scan
from tests.workspace.samples import SAMPLES, Sample

VALUE = "correct/horse+battery"
BREAK = re.compile(r"(?:\r?\n|(?:\\r)?\\n)[ \t]*")

# Few letters, among them those of the mark: values overlap, repeat, and touch the mark.
tight = st.text("ab[]redact\n ", min_size=SHORTEST, max_size=14)
wide = st.text(st.characters(exclude_categories=["Cs"]), min_size=SHORTEST, max_size=30)
values = st.lists(tight | wide, min_size=1, max_size=4)


@st.composite
def leaks(draw: st.DrawFn) -> tuple[list[str], str]:
    """Values, and a text that is full of them: whole, cut over lines, and in pieces."""
    known = draw(values)
    pieces: list[str] = []
    for _ in range(draw(st.integers(0, 8))):
        value = draw(st.sampled_from(known))
        cut = draw(st.integers(0, len(value)))
        line = draw(st.sampled_from(["\n", "\r\n", "\n    ", "\\n"]))
        spelled = draw(st.sampled_from(sorted(spellings(value))))
        shapes = [value, value[:cut] + line + value[cut:], value[:cut], spelled, MARK]
        pieces.append(draw(st.sampled_from(shapes) | st.text(max_size=5)))
    return known, "".join(pieces)


@given(leaks())
def test_no_value_that_is_known_survives(leak: tuple[list[str], str]) -> None:
    """H5: neither as it is, nor when line breaks and indentation are taken out again."""
    known, text = leak
    cleaned = Redactor(known).clean(text)
    for value in known:
        assert value not in cleaned
        assert value not in BREAK.sub("", cleaned)


@given(leaks())
def test_cleaning_twice_changes_nothing(leak: tuple[list[str], str]) -> None:
    known, text = leak
    redactor = Redactor(known)
    cleaned = redactor.clean(text)
    assert redactor.clean(cleaned) == cleaned


@given(st.text(st.characters(exclude_characters="-_.:=/\\"), max_size=200))
def test_a_text_without_secrets_stays_as_it_is(text: str) -> None:
    assert Redactor([VALUE]).clean(text) == text


@given(wide, st.binary(max_size=7), st.binary(max_size=7))
def test_base64_and_hex_of_a_longer_text_do_not_hide_it(
    value: str, before: bytes, after: bytes
) -> None:
    data = before + value.encode() + after
    redactor = Redactor([value])
    for coded in (base64.b64encode(data), base64.urlsafe_b64encode(data), data.hex().encode()):
        text = coded.decode()
        assert redactor.clean(text) != text


def test_spellings_that_logs_have() -> None:
    redactor = Redactor([VALUE, 'has "quotes"\tin it'])
    assert redactor.clean(f"key={VALUE}.") == f"key={MARK}."
    assert redactor.clean(f"/?key={quote(VALUE, safe='')}&x=1") == f"/?key={MARK}&x=1"
    assert redactor.clean(json.dumps({"a": 'has "quotes"\tin it'})) == f'{{"a": "{MARK}"}}'
    assert redactor.clean("correct/ho\n    rse+battery") == MARK
    assert redactor.clean("correct/ho\\nrse+battery") == MARK


def test_a_value_of_several_lines_is_known_by_each_of_them() -> None:
    key = "first-line-of-it\nsecond-line-of-it\nend"
    assert Redactor([key]).clean("> second-line-of-it\n> end") == f"> {MARK}\n> end"


def test_short_values_are_words() -> None:
    """A value like `true` or `1` stands everywhere: it is not taken for a secret."""
    assert Redactor(["true", "", "1234567"]).clean("true 1234567") == "true 1234567"


@pytest.mark.parametrize("sample", SAMPLES[:45], ids=lambda sample: sample.name)
def test_forms_are_taken_out_even_when_unknown(sample: Sample) -> None:
    """H5: those with a telling beginning; the others depend on what is known."""
    telling = bool(list(find_formats(sample.secret)))
    weak = {
        "Discord bot token",
        "Terraform token",
        "Twilio key",
        "Telegram bot token",
        "Mailchimp key",
        "Azure client secret",
    }
    assert telling is (sample.name not in weak)
    if telling:
        for text in ("\\n{}\\n", "a=%3D{}", '"{}"', "\x1b[32m{}\x1b[0m", "x {} y"):
            assert sample.secret not in Redactor().clean(text.format(sample.secret))


def test_a_private_key_goes_as_a_whole() -> None:
    body = "\n".join(["MIIEow" + "IBAAKCAQEA" * 5] * 4)
    for kind in ("", "RSA ", "OPENSSH "):
        key = (
            f"-----BEGIN {kind}PRIVATE" + f" KEY-----\n{body}\n-----END {kind}PRIVATE" + " KEY-----"
        )
        assert Redactor().clean(f"before\n{key}\nafter") == f"before\n{MARK}\nafter"
        assert Redactor().clean(json.dumps(key)) == f'"{MARK}"'


def test_data_is_cleaned_inside_and_stays_data() -> None:
    data = {"a": [VALUE, 1, None, True, {VALUE: 2.5}], "b": ("x", f"n{VALUE}n")}
    cleaned = Redactor([VALUE]).clean_data(data)
    assert cleaned == {"a": [MARK, 1, None, True, {MARK: 2.5}], "b": ["x", f"n{MARK}n"]}
    assert json.loads(json.dumps(cleaned)) == cleaned


def test_the_mark_never_completes_a_secret() -> None:
    """A value that begins like the mark ends gets another mark."""
    known = ["secret-value", "acted]and-more"]
    cleaned = Redactor(known).clean("secret-valueand-more")
    assert cleaned == "\u2588\u2588\u2588and-more"


def test_what_is_secret_in_an_environment() -> None:
    environ = {
        "PATH": "/usr/bin:/bin",
        "OPENAI_API_KEY": "value-of-the-key",
        "DB_PASSWORD": "hunter2-hunter2",
        "GITHUB_TOKEN": "short",
        "SSH_AUTH_SOCK": "/tmp/agent.1",
        "KEYBOARD": "de-nodeadkeys",
        "DATABASE_URL": "postgres://app:p%40ssw0rd99@db/x",
        "LANG": "C.UTF-8",
    }
    assert secret_values(environ) == (
        "value-of-the-key",
        "hunter2-hunter2",
        "p%40ssw0rd99",
        "p@ssw0rd99",
    )


@pytest.mark.parametrize(
    "piece", ["eyJ", "eyJa.", "sk-ant-", "-----BEGIN ", "a", "\n", "\\n ", "AKIA"]
)
def test_time_grows_with_the_text_and_not_faster(piece: str) -> None:
    """H5: model-written text of a megabyte, in the worst forms."""
    redactor = Redactor([VALUE, "aaaaaaaab", "another known value"])
    begin = time.process_time()
    redactor.clean(piece * (1_000_000 // len(piece)))
    assert time.process_time() - begin < 5


CODES: dict[str, Callable[[str], str]] = {
    "percent": lambda value: "".join(f"%{byte:02X}" for byte in value.encode()),
    "percent, small": lambda value: "".join(f"%{byte:02x}" for byte in value.encode()),
    "every second percent": lambda value: "".join(
        f"%{ord(one):02x}" if at % 2 else one for at, one in enumerate(value)
    ),
    "u": lambda value: "".join(f"\\u{ord(one):04x}" for one in value),
    "U": lambda value: "".join(f"\\u{ord(one):04X}" for one in value),
    "braced": lambda value: "".join(f"\\u{{{ord(one):x}}}" for one in value),
    "x": lambda value: "".join(f"\\x{ord(one):02x}" for one in value),
    "decimal entities": lambda value: "".join(f"&#{ord(one)};" for one in value),
    "entities": lambda value: "".join(f"&#x{ord(one):x};" for one in value),
    "hex": lambda value: value.encode().hex(),
    "HEX": lambda value: value.encode().hex().upper(),
    "hex with colons": lambda value: value.encode().hex(":"),
    "base64": lambda value: base64.b64encode(value.encode()).decode(),
    "base64 of utf-16": lambda value: base64.b64encode(value.encode("utf-16")).decode(),
    "utf-16": lambda value: value.encode("utf-16").decode("latin-1"),
    "utf-16, big": lambda value: value.encode("utf-16-be").decode("latin-1"),
    "lines": lambda value: f"{value[:6]}\r\n   {value[6:]}",
    "literals": lambda value: f'"{value[:6]}"\n   "{value[6:]}"',
    "literals joined": lambda value: f"'{value[:6]}' + \\\n   '{value[6:]}'",
    "escaped slashes": lambda value: value.replace("/", "\\/"),
    "a line that continues": lambda value: f"{value[:6]}\\\n   {value[6:]}",
    "comments": lambda value: f"{value[:6]}\n  # {value[6:]}",
    "comments in C": lambda value: f"{value[:6]}\n// {value[6:]}",
    "lines of a diff": lambda value: f"{value[:6]}\n+{value[6:]}",
    "octal": lambda value: "".join(f"\\{byte:03o}" for byte in value.encode()),
    "eight digits": lambda value: "".join(f"\\U{ord(one):08x}" for one in value),
    "an array of bytes": lambda value: ", ".join(f"0x{byte:02x}" for byte in value.encode()),
    "an array of bytes, over lines": lambda value: ",\n  ".join(
        f"0x{byte:02X}" for byte in value.encode()
    ),
    "an array of letters": lambda value: json.dumps(list(value)),
    "joined parts": lambda value: f'"".join(["{value[:6]}", "{value[6:]}"])',
    "u over lines": lambda value: "\n".join(f"\\u{ord(one):04x}" for one in value),
}


@pytest.mark.parametrize("way", CODES)
def test_a_known_value_is_found_in_any_coat(way: str) -> None:
    """H5, H11: in what is written down, and in what is about to be committed."""
    coded = CODES[way](VALUE)
    text = f"before {coded} after"
    cleaned = Redactor([VALUE]).clean(text)
    assert cleaned.startswith("before ")
    assert cleaned.endswith(" after")
    assert len(cleaned) < len("before  after") + len(coded)
    (hit,) = scan([("a.txt", f"one\n{text}\n".encode("latin-1"))], [VALUE])
    assert hit._replace(last=0) == Hit("a.txt", 2, KNOWN)


QUOTED = "pa$$w0rd'with`it\\x"
"""A value with signs that shells, patterns and SQL write in another way."""
WRITTEN: dict[str, Callable[[str], str]] = {
    "by a shell's %q": lambda value: re.sub(r"([^\w])", r"\\\1", value),
    "by export -p": lambda value: re.sub(r'(["$`\\])', r"\\\1", value),
    "as a pattern": re.escape,
    "in SQL": lambda value: value.replace("'", "''"),
    "as JSON in JSON": lambda value: json.dumps(json.dumps({"a": json.dumps(value)})),
    "in a mail": lambda value: f"{value[:9]}=\n{value[9:]}",
    "as two literals of bytes": lambda value: f"b'{value[:7]}' b'{value[7:]}'",
    "as two strings of SQL": lambda value: f"'{value[:7]}' || '{value[7:]}'",
    "as two strings in brackets": lambda value: f'("{value[:7]}") + ("{value[7:]}")',
    "with a colour in it": lambda value: f"{value[:7]}\x1b[01;31m\x1b[K{value[7:]}",
    "with a space of no width": lambda value: f"{value[:7]}\u200b{value[7:]}",
    "with a soft hyphen": lambda value: f"{value[:7]}\u00ad{value[7:]}",
    "in numbers": lambda value: str(list(value.encode())),
    "in escapes with braces": lambda value: "".join(f"\\x{{{ord(one):x}}}" for one in value),
    "as two bytes at a time": lambda value: value.encode().hex(" ", -2),
}


@pytest.mark.parametrize("value", [VALUE, QUOTED])
@pytest.mark.parametrize("way", WRITTEN)
def test_what_programs_make_of_a_value(way: str, value: str) -> None:
    """H5: in a text and in a file."""
    text = f"before {WRITTEN[way](value)} after"
    assert Redactor([value]).clean(text) != text
    assert scan([("a.txt", text.encode())], [value])


@pytest.mark.parametrize("text", ["a &lt; b &amp;&amp; c", "&quot;it&apos;s mine&quot;"])
def test_html_names_its_signs(text: str) -> None:
    value = text.replace("&lt;", "<").replace("&amp;", "&")
    value = value.replace("&quot;", '"').replace("&apos;", "'")
    assert Redactor([value]).clean(text) != text


@pytest.mark.parametrize(
    "name",
    ["PGPASSWORD", "MYSQL_PWD", "SSHPASS", "GITHUBTOKEN", "CLIENTSECRET", "APIKEY", "JWT"]
    + ["//registry.example/:_authToken", "LDAP_BINDPW", "HTTP_BASIC"],
)
def test_names_without_a_line_between_their_words(name: str) -> None:
    """H5: as the clients of databases call them."""
    assert secret_values({name: "s3cr3t-value"}) == ("s3cr3t-value",)


@pytest.mark.parametrize(
    "name", ["KEYBOARD", "COMPASS", "PATH", "PASSENGER", "TOKENIZER", "MONKEY"]
)
def test_names_that_only_look_so(name: str) -> None:
    assert secret_values({name: "s3cr3t-value"}) == ()
