"""Secrets in files that we share, and in package managers' settings, are known.

Covers: H5
"""

from __future__ import annotations

import base64
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sparing.redact import Redactor
from sparing.workspace.project.file_secrets import login_secrets, secrets_in, shared_secrets
from sparing.workspace.project.secrets import scan
from tests.repositories import write_files

WORD = "-".join(("c0ffee", "5even", "7ables", "value"))
WEAK = "swordfish42"
MIXED = "-".join(("hu7ter", "2bee"))
"""Too short to look random, and not of words."""
RANDOM = "".join(("q7Zk", "2mVx", "9TbR", "4wLp", "8sHd"))
SECRET = {
    "a weak one in another machine's address": f"DB=mysql://ada:{WEAK}@db.example.org/app\n",
    "a password": f"DB_PASSWORD={WORD}\n",
    "exported, quoted, with a comment": f"export API_KEY='{WORD}'  # of Ada\n",
    "of words alone": f"DB_PASSWORD={WEAK}\n",
    "random, without a name that says so": f"STRIPE={RANDOM}\n",
    "in an address": f"DATABASE_URL=postgres://ada:{WORD}@db.example.org/app\n",
    "as the name in an address": f"index-url = https://{RANDOM}@pypi.example.org/simple\n",
    "npm": f"//registry.example.org/:_authToken={WORD}\n",
    "npm's user and password": "_auth=" + base64.b64encode(f"ada:{WORD}".encode()).decode(),
    "pip": f"[global]\nextra-index-url =\n    https://ada:{WORD}@pypi.example.org/simple\n",
    "netrc": f"machine pypi.example.org login ada password {WORD}\n",
    "yaml": f"npmRegistries:\n  //npm.example.org:\n    npmAuthToken: {WORD}\n",
    "toml": f'[registry]\ntoken = "{WORD}"\n',
    "json": f'{{"user": "ada", "clientSecret": "{WORD}"}}',
    "xml": f"<server><id>x</id><password>{WORD}</password></server>",
    "a file that is nothing but the value": f"{RANDOM}\n",
    "npm, before a comment": f"//registry.example.org/:_authToken={WORD} ; of Ada\n",
    "yarn's user and password": f'npmAuthIdent: "ada:{WORD}"\n',
    "yarn's own form": f'"//registry.example.org/:_authToken" "{WORD}"\n',
    "bundler's user and password": f'BUNDLE_GEMS__EXAMPLE__ORG: "ada:{WORD}"\n',
    "bundler's token": f'BUNDLE_GITHUB__COM: "{WORD}:x-oauth-basic"\n',
    "cargo, with its scheme": f'[registries.own]\ntoken = "Bearer {WORD}"\n',
    "a table in a line": f'http-basic = {{ own = {{ username = "ada", password = "{WORD}" }} }}\n',
    "netrc, quoted": f'machine pypi.example.org login ada password "{WORD}"\n',
    "as the name, with an empty password": f"index-url = https://{RANDOM}:@pypi.example.org/\n",
    "NuGet": f'<add key="ClearTextPassword" value="{WORD}" />\n',
    "gradle": f"nexuspassword={WORD}\n",
    "escaped": f"password=\\:{WORD}\n",
    "on the next line": f"password: |\n  {WORD}\n",
    "in the query of an address": f"DATABASE_URL=postgres://db/x?user=ada&password={WORD}\n",
    "in a connection's settings": f"DATABASE=Server=db;User Id=ada;Pwd={WORD};\n",
    "a header": f"AUTH_HEADER=Basic {base64.b64encode(f'ada:{WORD}'.encode()).decode()}\n",
    "xml, as characters": f"<server><password><![CDATA[{MIXED}]]></password></server>",
    "an address whose password has a sign": f"index-url = https://ada:{MIXED}@7@pypi.example.org/\n",
    "a header with a scheme": f"Authorization: Bearer {MIXED}\n",
    "words after a colon": f"password: {MIXED} and more\n",
    "the second of a line": f"export A=1 DB_PASSWORD={MIXED}\n",
    "another shell's": f"set -gx DB_PASSWORD {MIXED}\n",
    "the default of a variable": f"URL=${{DB_PASSWORD:-{MIXED}}}\n",
    "an argument in code": f"connect(user='ada', password='{MIXED}')\n",
    "a constant in code": f"export const apiToken: string = '{MIXED}';\n",
    "a constant in PHP": f"define('DB_PASSWORD', '{MIXED}');\n",
    "a pair in Ruby": f":password => '{MIXED}'\n",
    "a key in quotes": f'"password" = "{MIXED}"\n',
    "an option in a line": f"mysql -u ada --password={MIXED}\n",
    "in the path of a channel": "channels:\n  - https://conda.example.org/t/ad-"
    + f"{RANDOM}/own\n",
    "a webhook": f"SLACK=https://hooks.example.org/T0/{RANDOM}\n",
}
PLAIN = """\
# comment
DEBUG=true
PORT=5432
NODE_ENV=development
TOKEN_LIMIT=100000
MAX_TOKENS=1000000
SECRET_KEY=change-me-please
JWT_SECRET=your-secret-here
POSTGRES_PASSWORD=postgres
DB_PASSWORD=password
AUTH_METHOD=password
AUTH_URL=https://auth.example.com/login/callback
GOOGLE_APPLICATION_CREDENTIALS=./keys/service-account.json
TLS_KEY=certs/localhost.pem
PRIMARY_KEY=customer_id
SESSION_COOKIE=sample_session
API_KEY=${OTHER_KEY}
GIT_COMMIT=0f3c1b2a9d8e7f60514233aabbccddeeff001122
IMAGE=registry.example.org/app@sha256:1234
CACHE_URL=redis://localhost:6379/0
LOG_FORMAT="%(asctime)s %(levelname)s"
registry=https://registry.example.org/
BUNDLE_BUILD__NOKOGIRI: "--use-system-libraries"
BUNDLE_JOBS: "4"
auth:
  kind: none
token_file:
  secrets.txt
AUTH_MODE=basic:default
index-url = https://packages.example.org/simple
AUTH_URL=http://localhost:3000
NEXT_PUBLIC_AUTH_URL=http://localhost:8080/auth
AUTH_BACKEND=app.auth.backends:CustomTokenBackend
AUTH_SERVICE=accounts:8080/internal
AUTH_SCOPE=openid profile email
DATABASE_URL=postgres://postgres:postgres@localhost:5432/app
TEST_DATABASE_URL=postgres://app:app_development@db:5432/app_test
QUEUE_URL=amqp://guest:guestguest@127.0.0.1
REDIS_URL=redis://:password@cache.example.com:6379/1
OTHER_URL=postgres://app:${DB_PASSWORD}@db.example.org/app
MODEL=claude-sonnet-4-20250514
SMALL_MODEL=gpt-4o-mini-2024-07-18
LOCAL_MODEL=mixtral-8x7b-instruct-v0.1
GOOGLE_CLOUD_PROJECT=acme-shop-production-382910
DEFAULT_FROM_EMAIL=team42@acme-corporation.example
PACKAGES=https://acme-engineering@dev.example.org/acme-engineering/_packaging
global-credential-providers = ["cargo:token"]
const token = 'refresh-token';
localStorage.setItem('token', 'value-here');
password: ask the admin for it
"key" => 'value-key'
https://docs.example.org/t/some-topic-about-conda/123
"""


@pytest.mark.parametrize("kind", SECRET)
def test_a_value_is_known(kind: str) -> None:
    """H5: neither written down nor committed, plain or encoded."""
    known = secrets_in(SECRET[kind])
    values = (
        *(WORD, RANDOM, WEAK, f":{WORD}"),
        *(MIXED, f"{MIXED}@7", f"{MIXED} and more", f"ad-{RANDOM}"),
    )
    value = next(one for one in values if one in Redactor(known).known)
    for text in (value, base64.b64encode(value.encode()).decode(), value.encode().hex()):
        assert text not in Redactor(known).clean(f"it is {text}.")
        assert scan([("notes.md", f"it is {text}.".encode())], known)


def test_signs_that_markup_escapes_are_known_as_they_are() -> None:
    """H5: Maven's settings and NuGet's are XML."""
    value, escaped = f"{WORD}&<9", f"{WORD}&amp;&lt;9"
    for text in (f"<password>{escaped}</password>", f"<add key='Password' value='{escaped}' />"):
        assert value in secrets_in(text)


@pytest.mark.parametrize("line", PLAIN.splitlines())
def test_words_of_anybody_are_not(line: str) -> None:
    """H5: or no commit could hold them."""
    assert secrets_in(line) == ()


def test_words_of_anybody_are_not_together() -> None:
    """H5: lines may continue each other."""
    assert secrets_in(PLAIN) == ()


def test_what_a_sample_shows_is_not(tmp_path: Path) -> None:
    """H5: its value is in the repository already."""
    write_files(
        tmp_path,
        {
            ".env": f"DB_PASSWORD=dev-pass-1\nAPI_KEY={WORD}\n",
            ".env.example": "DB_PASSWORD=dev-pass-1\n",
        },
    )
    assert shared_secrets(tmp_path, [".env", "missing"]) == (WORD,)


def test_settings_of_package_managers(tmp_path: Path) -> None:
    """H5: in HOME, where a variable points, and in variables."""
    values = [f"{WORD}-{number}" for number in range(6)]
    write_files(
        tmp_path,
        {
            ".npmrc": f"//npm.example.org/:_authToken={values[0]}\n",
            ".config/pip/pip.conf": f"[global]\nindex-url = https://a:{values[1]}@example.org/\n",
            ".netrc": f"machine a login b password {values[2]}\n",
            "elsewhere/npmrc": f"_password={values[3]}\n",
            "cargo/credentials.toml": f'[registry]\ntoken = "{values[4]}"\n',
        },
    )
    environ = {
        "HOME": str(tmp_path),
        "CARGO_HOME": str(tmp_path / "cargo"),
        "npm_config_userconfig": str(tmp_path / "elsewhere/npmrc"),
        "UV_INDEX": f"https://a:{values[5]}@example.org/",
    }
    assert set(values) <= set(login_secrets(environ))
    assert login_secrets({}) == ()


@pytest.mark.parametrize(
    ("place", "text"),
    [
        (".config/pdm/config.toml", f'[repository.own]\nusername = "ada"\npassword = "{WORD}"\n'),
        (".config/hatch/config.toml", f'[publish.index]\nauth = "{WORD}"\n'),
        (".sbt/.credentials", f"realm=Own\nhost=example.org\nuser=ada\npassword={WORD}\n"),
        (".ivy2/.credentials", f"user=ada\npassword={WORD}\n"),
        (".local/share/gem/credentials", f"---\n:rubygems_api_key: {RANDOM}\n"),
    ],
)
def test_settings_of_other_package_managers(tmp_path: Path, place: str, text: str) -> None:
    """H5: where each of them keeps its logins."""
    write_files(tmp_path, {place: text})
    assert login_secrets({"HOME": str(tmp_path)}) in ((WORD,), (RANDOM,))


@pytest.mark.parametrize("code", ["utf-8-sig", "utf-16"])
def test_files_as_windows_writes_them(tmp_path: Path, code: str) -> None:
    """H5"""
    (tmp_path / ".env").write_bytes(f"PASSWORD={WORD}\r\nDEBUG=true\r\n".encode(code))
    assert shared_secrets(tmp_path, [".env"]) == (WORD,)


def test_a_word_in_base64_is_not() -> None:
    """H5: the login of a registry on this machine."""
    login = base64.b64encode(b"user:password").decode()
    assert "password" not in secrets_in(f"_auth={login}\n")


def test_a_long_word_is_read_in_linear_time() -> None:
    """H5: such as a certificate in one line; each letter could begin a name."""
    assert secrets_in("a" * 1_000_000) == ()


@given(st.text(max_size=300))
def test_any_text_can_be_read(text: str) -> None:
    """H5"""
    assert all(len(value) >= 8 for value in secrets_in(text))
