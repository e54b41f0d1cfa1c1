"""What a setting is made of: its value's form, its words, and who may set it how far."""

from __future__ import annotations

from dataclasses import field
from enum import StrEnum
from typing import NamedTuple, TypeVar

from sparing.config import value_forms
from sparing.config.value_forms import Lines, Money, Text, Value, ValueForm, Whole

T = TypeVar("T", bound=Value)
DAY = 86_400


class SettingScope(StrEnum):
    """Which layers may set a setting at all."""

    ANY = "any"
    """All layers, including a project file."""
    USER = "user"
    """The user file, the environment and flags: never a project file."""
    RUN = "run"
    """The environment and flags: never a file."""


class Narrow(StrEnum):
    """How far a project file may move a setting from the value of the layers below it."""

    FREE = "free"
    """To any good value: it gives agents nothing."""
    LOWER = "lower"
    """To the same number or a lower one."""
    MORE = "more"
    """To the same names or more of them."""


class Rule(NamedTuple):
    kind: ValueForm
    doc: str
    scope: SettingScope = SettingScope.ANY
    narrow: Narrow = Narrow.FREE


class Setting(NamedTuple):
    key: str
    """Section and name, as in `review.cap`."""
    default: Value
    rule: Rule

    @property
    def variable(self) -> str:
        return "SPARING_" + self.key.upper().replace(".", "__")


def setting(default: T, rule: Rule) -> T:
    return field(default=default, metadata={"rule": rule})


OWN_PATH = Text("an absolute path, or one that starts with ~/", value_forms.PATTERN_OWN_PATH)
DATABASE = Text(
    "the address of a Postgres database, postgresql://user@host/name, without the password: "
    "put that into ~/.pgpass",
    value_forms.PATTERN_DATABASE,
)
ADDRESS = Text(
    "an http or https address",
    r"(https?://[A-Za-z0-9._\[\]:-]{1,253}(/[!-~]{0,500})?)?",
)
REMOTE = Text("the name of a git remote, such as origin", f"({value_forms.PATTERN_NAME})?")
PERSON = Text("a name of at most 60 characters", r"([^\W_][\w .@'-]{0,59})?")
BRANCH = Text("a branch name", value_forms.PATTERN_BRANCH)
POINT = Text("the name of a crash point", value_forms.PATTERN_POINT)
COMMANDS = Lines(
    "a list of command lines; in an environment variable, separated by &&",
    value_forms.PATTERN_COMMAND,
    "&&",
)
FILES = Lines(
    "a list of file patterns inside the repository, such as .env or **/.env",
    value_forms.PATTERN_FILES,
)
FOLDER = Text("a folder inside the repository, such as packages/api", value_forms.PATTERN_FOLDER)
FOLDERS = Lines("a list of folders inside the repository", rf"(?=.){value_forms.PATTERN_FOLDER}")
HOSTS = Lines("a list of host names, each with :port if it is not 443", value_forms.PATTERN_HOST)

SERVICES = Lines(
    "a list of servers on this machine, such as 127.0.0.1:5432",
    r"(127\.0\.0\.1|localhost|\[::1\]):"
    r"([1-9][0-9]{0,3}|[1-5][0-9]{4}|6[0-4][0-9]{3}|65[0-4][0-9]{2}|655[0-2][0-9]|6553[0-5])",
)
VARIABLES = Lines("a list of variables' names", r"(?!SPARING_)[A-Za-z_][A-Za-z0-9_]{0,99}")


def model(doc: str) -> Rule:
    return Rule(Text("a model's name", value_forms.PATTERN_MODEL), doc, SettingScope.USER)


def limit(high: int, doc: str) -> Rule:
    return Rule(Whole(1, high), doc, narrow=Narrow.LOWER)


def money(high: int, doc: str) -> Rule:
    return Rule(Money(high), doc, narrow=Narrow.LOWER)
