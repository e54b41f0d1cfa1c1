"""The two lines a person reads when a settings file or variable is wrong.

Every value, key and path that came from outside is shown on one line, without control
characters and shortened, because a file's author may not be the one who reads the message.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, cast

from sparing.errors import ConfigError

if TYPE_CHECKING:
    from sparing.config.roles import UnknownField
    from sparing.config.rules import Setting
    from sparing.config.value_forms import Value

LIST = '"sparing config show" lists all settings'
SHOWN_LIMIT = 80
SAME_AS = {"money": "usd", "dollars": "usd", "cost": "usd", "timeout": "limit_seconds"}
"""What people write, and what settings call it."""


_PASSWORD = re.compile(r"(://[^\s/:@]*:)\S+(?=@)|([?&]password=)[^\s&]+")
"""The password in an address; such an address is refused, and the message must not show it."""


def clean(text: str) -> str:
    """Printable, on one line."""
    return "".join(
        letter if letter.isprintable() else letter.encode("unicode_escape").decode()
        for letter in text
    )


def shown(value: object) -> str:
    """A value as it would be written in a file."""
    if isinstance(value, list | tuple):
        return "[" + ", ".join(_one(item) for item in cast("Iterable[object]", value)) + "]"
    return _one(value)


def _one(value: object) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, str):
        told = _PASSWORD.sub(r"\1\2…", value)
        return '"' + clean(told.replace("\\", "\\\\").replace('"', '\\"')) + '"'
    if isinstance(value, dict | list):
        return "{…}" if isinstance(value, dict) else "[…]"
    # Python refuses to write numbers of thousands of digits.
    huge = isinstance(value, int) and value.bit_length() > 256
    return "a huge number" if huge else clean(str(value))


def brief(value: object) -> str:
    text = shown(value)
    return text if len(text) <= SHOWN_LIMIT else text[: SHOWN_LIMIT - 1] + "…"


def name(part: str) -> str:
    """A key's part: bare where TOML allows that."""
    return part if re.fullmatch("[A-Za-z0-9_-]{1,80}", part) else brief(part)


def nearest(key: str) -> Setting | None:
    """The setting that was probably meant: same name elsewhere, else similar letters."""
    from sparing.config.settings import every_setting

    settings = every_setting()
    last = key.rpartition(".")[2]
    meant = _plainly(key)
    wanted = (last, _plainly(last))
    close = [one for one in settings if one == meant]
    close = close or [one for name in wanted for one in settings if one.rpartition(".")[2] == name]
    if not close:
        from difflib import get_close_matches

        close = get_close_matches(key, settings, n=1, cutoff=0.7)
    return settings[close[0]] if close else None


def _plainly(key: str) -> str:
    """With the words that settings use: `caps.feature_money` is `caps.feature_usd`."""
    return "".join(SAME_AS.get(part, part) for part in re.split(r"([._])", key))


def unknown(origin: str, key: str, meant: Setting | None) -> ConfigError:
    guess = f"did you mean {meant.key}? " if meant else ""
    return ConfigError(f"{_at(origin)}there is no setting {key}", f"{guess}{LIST}")


def _at(origin: str) -> str:
    """Empty for what a person has just typed as an argument."""
    return f"{origin}: " if origin else ""


def unknown_variable(variable: str, meant: Setting | None) -> ConfigError:
    guess = f"did you mean {meant.variable}? " if meant else ""
    what = f"environment {clean(variable)}: there is no setting of that name"
    return ConfigError(what, f"{guess}{LIST}")


def role_field(origin: str, table: str, found: UnknownField) -> ConfigError:
    """For a table of one role: an unknown key, or a value it can't have."""
    from sparing.config.roles import FIELDS

    known, key = FIELDS.get(found.name), f"{table}.{name(found.name)}"
    if known is None:
        what = f"{origin}: there is no setting {key}"
        return ConfigError(what, f"a role has {', '.join(FIELDS)}")
    what = f"{origin}: {key} = {brief(found.raw)} is not {known.rule.kind.expected}"
    return ConfigError(what, "correct it, or remove it")


def no_table(origin: str, key: str, value: object) -> ConfigError:
    return ConfigError(
        f"{origin}: {key} = {brief(value)} is not a table",
        f"write [{key}] on its own line and the settings below it",
    )


def wrong_value(origin: str, setting: Setting, value: object) -> ConfigError:
    expected = setting.rule.kind.expected
    return ConfigError(
        f"{_at(origin)}{setting.key} = {brief(value)} is not {expected}",
        f"correct it, or remove it to get {shown(setting.default)}",
    )


def out_of_scope(origin: str, setting: Setting) -> ConfigError:
    from sparing.config.rules import SettingScope

    run_only = setting.rule.scope is SettingScope.RUN
    who = "a file" if run_only else "a project"
    places = "" if run_only else "the user file or "
    return ConfigError(
        f"{origin}: {setting.key} may not be set by {who}",
        f"remove it there; it can be set in {places}the environment ({setting.variable})",
    )


def too_high(origin: str, setting: Setting, value: Value, below: Value) -> ConfigError:
    return ConfigError(
        f"{origin}: {setting.key} = {value} is above {below}; a project may only lower it",
        f"write {below} or less; the user file and {setting.variable} may go higher",
    )


def left_out(origin: str, setting: Setting, missing: Iterable[str]) -> ConfigError:
    names = ", ".join(shown(one) for one in sorted(missing))
    return ConfigError(
        f"{origin}: {setting.key} leaves out {names}; a project may only add to it",
        f"add {names}; the user file and {setting.variable} may leave it out",
    )


def broken(path: Path, line: int, reason: str) -> ConfigError:
    return ConfigError(
        f"{clean(str(path))}, line {line}: {clean(reason)}", f"correct line {line} of that file"
    )


def unreadable(path: Path, reason: str) -> ConfigError:
    return ConfigError(
        f"{clean(str(path))} can't be read as a settings file: {clean(reason)}",
        "replace it with a readable text file, or remove it",
    )


def two_projects(first: Path, second: Path) -> ConfigError:
    return ConfigError(
        f"both {clean(str(first))} and [tool.sparing] in {clean(str(second))} have settings",
        "move them into one of the two",
    )


def stock_client(beside: str) -> ConfigError:
    return ConfigError(
        f'agent.client = "stock" does not work with {beside}',
        'set agent.client to "lean"; to compare the two: review.policy = "naive" on Claude Code',
    )


def no_home() -> ConfigError:
    return ConfigError(
        "HOME is not an absolute path, so there is no default folder for state",
        "set HOME, or SPARING_STATE__FOLDER to an absolute path",
    )
