"""Made-up secrets of every form that must not be committed, put together when tests run.

No text that looks like a secret stands in the repository: prefixes are written in parts, bodies
are drawn from a hash of the name.
"""

from __future__ import annotations

import base64
import hashlib
import json
from typing import NamedTuple

UPPER = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
LOWER = UPPER.lower()
DIGITS = "0123456789"
ALNUM = UPPER + LOWER + DIGITS
WORD = ALNUM + "_-"
HEX = DIGITS + "abcdef"


class Sample(NamedTuple):
    name: str
    secret: str
    line: str
    path: str = "settings.py"


def draw(name: str, count: int, alphabet: str = ALNUM) -> str:
    """The same for a name each time; it begins and ends with a letter or digit."""
    stream = b"".join(
        hashlib.sha512(f"{name}{n}".encode()).digest() for n in range(1 + count // 32)
    )
    body = "".join(alphabet[byte % len(alphabet)] for byte in stream[:count])
    return body if body.strip("-_") == body else draw(f"{name}.", count, alphabet)


def _plain(name: str, *parts: str) -> Sample:
    secret = "".join(parts)
    return Sample(name, secret, f'client = "{secret}"')


def _web_token() -> Sample:
    parts = ({"alg": "HS256", "typ": "JWT"}, {"sub": draw("subject", 10), "iat": 1_700_000_000})
    coded = [base64.urlsafe_b64encode(json.dumps(part).encode()).decode() for part in parts]
    return _plain("web token", *(f"{part.rstrip('=')}." for part in coded), draw("jwt", 43, WORD))


def _private_key(kind: str) -> Sample:
    head = f"-----BEGIN {kind}PRIVATE" + " KEY-----"
    return Sample(f"{kind.lower()}private key", head, f"{head}\n{draw(kind, 64)}\n", "id.pem")


def _assigned(name: str, line: str, path: str, body: str) -> Sample:
    return Sample(name, body, line.replace("VALUE", body), path)


SAMPLES = (
    _plain("Anthropic key", "sk-", "ant-api03-", draw("a", 93, WORD), "AA"),
    _plain("Anthropic login", "sk-", "ant-oat01-", draw("b", 86, WORD)),
    _plain("OpenAI project key", "sk-", "proj-", draw("c", 120, WORD)),
    _plain("OpenAI service key", "sk-", "svcacct-", draw("d", 120, WORD)),
    _plain("OpenAI old key", "sk-", draw("e", 20), "T3Blb", "kFJ", draw("f", 20)),
    _plain("OpenRouter key", "sk-", "or-v1-", draw("g", 64, HEX)),
    _plain("Google key", "AI", "za", draw("h", 35, WORD)),
    _plain("Google client secret", "GOC", "SPX-", draw("i", 28, WORD)),
    _plain("Google token", "ya", "29.", draw("j", 120, WORD)),
    _plain("Hugging Face token", "h", "f_", draw("k", 34)),
    _plain("Groq key", "gs", "k_", draw("l", 52)),
    _plain("xAI key", "xa", "i-", draw("m", 80)),
    _plain("Perplexity key", "pp", "lx-", draw("n", 48)),
    _plain("Replicate token", "r", "8_", draw("o", 37)),
    _plain("LangSmith key", "lsv2", "_pt_", draw("p", 32, HEX), "_", draw("q", 10, HEX)),
    _plain("GitHub token", "gh", "p_", draw("r", 36)),
    _plain("GitHub fine token", "github", "_pat_", draw("s", 22), "_", draw("t", 59)),
    _plain("GitLab token", "gl", "pat-", draw("u", 20, WORD)),
    _plain("AWS access key", "AK", "IA", draw("v", 16, UPPER + "234567")),
    _plain("Slack bot token", "xo", "xb-", draw("w", 12, DIGITS), "-", draw("x", 24)),
    _plain("Slack app token", "xa", "pp-1-", draw("y", 11, UPPER), "-", draw("z", 64, HEX)),
    _plain("Slack webhook", "https://hooks.slack", ".com/services/T0", draw("A", 9, UPPER), "/B1",
           draw("B", 9, UPPER), "/", draw("C", 24)),
    _plain("Discord bot token", "M", draw("D", 23), "1.G", draw("E", 5), ".", draw("F", 36), "7"),
    _plain("Stripe key", "sk", "_live_", draw("G", 24)),
    _plain("Stripe webhook secret", "wh", "sec_", draw("H", 32)),
    _plain("npm token", "np", "m_", draw("I", 36)),
    _plain("PyPI token", "py", "pi-AgEIcHlwaS5vcmc", draw("J", 150, WORD)),
    _plain("Docker token", "dckr", "_pat_", draw("K", 27, WORD)),
    _plain("DigitalOcean token", "dop", "_v1_", draw("L", 64, HEX)),
    _plain("Databricks token", "da", "pi", draw("M", 32, HEX)),
    _plain("Vault token", "hv", "s.", draw("N", 90, WORD)),
    _plain("Terraform token", draw("O", 14), ".atlas", "v1.", draw("P", 67, WORD)),
    _plain("SendGrid key", "S", "G.", draw("Q", 22, WORD), ".", draw("R", 43, WORD)),
    _plain("Twilio key", "S", "K", draw("S", 32, HEX)),
    _plain("Telegram bot token", draw("T", 10, "123456789"), ":A", "A", draw("U", 33, WORD)),
    _plain("Mailchimp key", draw("V", 32, HEX), "-u", "s12"),
    _plain("Shopify token", "shp", "at_", draw("W", 32, HEX)),
    _plain("Grafana token", "gl", "sa_", draw("X", 32), "_", draw("Y", 8, HEX)),
    _plain("Linear key", "lin", "_api_", draw("Z", 40)),
    _plain("Notion token", "nt", "n_", draw("aa", 46)),
    _plain("Sentry token", "sn", "tryu_", draw("ab", 64, HEX)),
    _plain("Atlassian token", "ATA", "TT3xFfGF0", draw("ac", 180, WORD)),
    _plain("Azure client secret", draw("ad", 3), "8", "Q~", draw("ae", 34)),
    _plain("age key", "AGE-SECRET", "-KEY-1", draw("af", 58, UPPER + DIGITS)),
    _web_token(),
    *(_private_key(kind) for kind in ("", "RSA ", "EC ", "OPENSSH ", "ENCRYPTED ")),
    _assigned("Azure storage key", "conn = 'AccountKey=VALUE=='", "app.cs", draw("ag", 86)),
    _assigned("AWS secret key", "aws_secret_access_key = VALUE", "aws.ini", draw("ah", 40)),
    _assigned("quoted in code", 'API_KEY = "VALUE"', "app.py", draw("ai", 32)),
    _assigned("in JSON", '{"client_secret": "VALUE"}', "config.json", draw("aj", 40)),
    _assigned("in YAML", "  auth_token: VALUE", "deploy.yaml", draw("ak", 32, HEX)),
    _assigned("in a URL", 'db = "postgres://app:VALUE@db.corp.io/x"', "db.py", draw("al", 18)),
)  # fmt: skip
