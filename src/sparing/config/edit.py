"""Setting one value in a settings file, for `sparing config set`.

Only the one line changes; comments and everything else stay as a person wrote them. What comes out
is read again, with all layers, before it is written: a file that would be refused is never made.
"""

from __future__ import annotations

import json
import os
import re
import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple, cast

from sparing.config import faults
from sparing.config.load import load
from sparing.config.roles import FIELDS, role_setting
from sparing.config.rules import Setting
from sparing.config.settings import every_setting
from sparing.config.sources import SettingsFile, Sources, sources_here, user_file
from sparing.config.value_forms import Value
from sparing.errors import ConfigError

TYPED = ""
"""The origin of what was typed as an argument needs no name."""


class Written(NamedTuple):
    path: Path
    value: Value
    hidden_by: str
    """A layer above it that says something else; empty if none does."""


def find_setting(key: str) -> Setting:
    found = every_setting().get(key) or role_setting(key)
    if found is None:
        raise faults.unknown(TYPED, faults.clean(key), faults.nearest(key))
    return found


def write_setting(key: str, text: str, repository: Path | None, *, project: bool) -> Written:
    """`project`: in the repository's own file, where others get it too."""
    setting = find_setting(key)
    value = setting.rule.kind.from_text(text)
    if value is None:
        wrong = faults.wrong_value(TYPED, setting, text).what
        raise ConfigError(wrong, f"see what it is for and what is set: sparing config get {key}")
    sources = sources_here(repository)
    path, old = _file(sources, repository, project=project)
    new = with_setting(old, key, value)
    if new is None:
        raise ConfigError(f"{key} can't be changed in place in {path}", "edit the file yourself")
    file = SettingsFile(path, new)
    after = replace(sources, project=(file,)) if project else replace(sources, user=file)
    loaded = load(after, {})
    path.parent.mkdir(parents=True, exist_ok=True)
    temporary = path.with_name(f".{path.name}.new")
    temporary.write_text(new, "utf-8")
    temporary.replace(path)
    role = key not in every_setting()
    origin = loaded.origins[FIELDS[key.rpartition(".")[2]].target if role else key]
    return Written(path, value, "" if str(path) in origin else origin)


def _file(sources: Sources, repository: Path | None, *, project: bool) -> tuple[Path, str]:
    if not project:
        path = user_file(os.environ)
        if path is None:
            raise faults.no_home()
        return path, sources.user.text if sources.user else ""
    if repository is None:
        raise ConfigError("there is no repository here", "leave --project out")
    other = [one.path for one in sources.project if one.path.name != "sparing.toml"]
    if other and "[tool.sparing" in (repository / other[0].name).read_text("utf-8", "replace"):
        raise ConfigError(
            f"the settings of this project are in {other[0].name}", "edit the file yourself"
        )
    own = next((one for one in sources.project if one.path.name == "sparing.toml"), None)
    return repository / "sparing.toml", own.text if own else ""


def with_setting(text: str, key: str, value: Value) -> str | None:
    """The file's text with this setting; None if that can't be done by changing one line."""
    section, _, name = key.rpartition(".")
    line = f"{name} = {_toml(value)}"
    lines = text.splitlines()
    heads = [
        n for n, one in enumerate(lines) if re.match(rf"\s*\[{re.escape(section)}\]\s*(#.*)?$", one)
    ]
    if not heads:
        gap = [""] if lines and lines[-1].strip() else []
        lines += [*gap, f"[{section}]", line]
    else:
        head = heads[0]
        rest = range(head + 1, len(lines))
        end = next((n for n in rest if lines[n].lstrip().startswith("[")), len(lines))
        old = [n for n in range(head + 1, end) if re.match(rf"\s*{name}\s*=", lines[n])]
        if old:
            lines[old[0]] = line
        else:
            lines.insert(head + 1, line)
    new = "\n".join(lines) + "\n"
    return new if _only(text, new, key) else None


def _toml(value: object) -> str:
    if isinstance(value, tuple | list):
        return f"[{', '.join(_toml(one) for one in cast('Iterable[object]', value))}]"
    # A string of JSON is one of TOML too, and so are its numbers and truths.
    return json.dumps(value, ensure_ascii=False)


def _only(old: str, new: str, key: str) -> bool:
    """Whether nothing else was changed, by reading both."""
    try:
        before, after = (_flat(tomllib.loads(one)) for one in (old, new))
    except tomllib.TOMLDecodeError:
        return False
    return {**before, key: None} == {**after, key: None} and key in after


def _flat(table: Mapping[str, object], before: str = "") -> dict[str, object]:
    found: dict[str, object] = {}
    for name, value in table.items():
        if isinstance(value, dict):
            found |= _flat(cast("dict[str, object]", value), f"{before}{name}.")
        elif before:
            found[f"{before}{name}"] = value
    return found
