"""Layers into settings: default < effort < user file < project file < environment < flags.

`load` is a pure function of what was found; `current` is the one place that looks at this
process. Each key remembers which layer it came from. Anything not understood is refused, never
skipped: a misspelt limit would otherwise be no limit.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from enum import StrEnum
from functools import cached_property
from pathlib import Path
from types import MappingProxyType
from typing import NamedTuple, assert_never, cast

from sparing.backend_name import SCRIPTED
from sparing.config import faults
from sparing.config.effort import SETTING as EFFORT
from sparing.config.effort import Effort, other_defaults
from sparing.config.review import SEED_CAP
from sparing.config.roles import RoleLine, role_lines
from sparing.config.rules import Narrow, Setting, SettingScope
from sparing.config.settings import Settings, build, every_setting
from sparing.config.sources import (
    PREFIX,
    PYPROJECT,
    SettingsFile,
    Sources,
    may_name_us,
    own_path,
    parse_file,
    sources_here,
    state_root,
)
from sparing.config.spending import ClientKind
from sparing.config.value_forms import Value
from sparing.dispatch_policy import Policy
from sparing.lazy_dataclass import lazy_dataclass

DEFAULT = "default"
CAP, POLICY = "review.cap", "review.policy"
ROLES = "roles"


class SettingsLayer(StrEnum):
    USER = "user file"
    PROJECT = "project file"
    ENVIRONMENT = "environment"
    FLAG = "flag"


class RawSetting(NamedTuple):
    """One setting as a layer has it, not yet checked."""

    setting: Setting
    raw: object
    layer: SettingsLayer
    origin: str


@lazy_dataclass
class Loaded:
    values: Mapping[str, Value]
    """Checked values by key."""
    origins: Mapping[str, str]
    """`default`, `policy seed`, `effort <name>`, `user file <path>`, `project file <path>`,
    `environment NAME` or `flag`."""
    state_root: Path
    agent_script: Path | None

    @cached_property
    def settings(self) -> Settings:
        """Built on first use, since commands that only read records never need them."""
        return build(self.values)


def current(repository: Path | None, flags: Mapping[str, object] | None = None) -> Loaded:
    """The settings of this process, for work in this repository."""
    return load(sources_here(repository), flags or {})


def load(sources: Sources, flags: Mapping[str, object]) -> Loaded:
    """Settings from all layers; a flag that is None was not given."""
    values = {key: setting.default for key, setting in every_setting().items()}
    origins = dict.fromkeys(values, DEFAULT)
    for given in _all(sources, flags):
        key = given.setting.key
        values[key] = _checked(given, values[key])
        origins[key] = given.origin
    _set_by_policy(values, origins)
    _set_by_effort(values, origins)
    _refuse_stock(values)
    script = str(values["agent.script"])
    return Loaded(
        values=MappingProxyType(values),
        origins=MappingProxyType(origins),
        state_root=state_root(str(values["state.folder"]), sources.environ),
        agent_script=own_path(script, sources.environ) if script else None,
    )


def _set_by_policy(values: dict[str, Value], origins: dict[str, str]) -> None:
    """Use the original's cap under its policy, unless another one was set."""
    if values[POLICY] == Policy.SEED and origins[CAP] == DEFAULT:
        values[CAP], origins[CAP] = SEED_CAP, f"policy {Policy.SEED}"


def _set_by_effort(values: dict[str, Value], origins: dict[str, str]) -> None:
    """Use an effort's values for settings that are still at their default."""
    effort = Effort(cast("str", values[EFFORT]))
    for key, raw in other_defaults(effort, values).items():
        if origins[key] == DEFAULT:
            value = every_setting()[key].rule.kind.accept(raw)
            assert value is not None, f"{key} can't be {raw!r}"
            values[key], origins[key] = value, f"effort {effort}"


def _refuse_stock(values: Mapping[str, Value]) -> None:
    """The client as installed is a baseline's: other policies count on what the lean one sends."""
    if values["agent.client"] is not ClientKind.STOCK:
        return
    if values[POLICY] is not Policy.NAIVE:
        raise faults.stock_client(f"the policy {values[POLICY]}")
    if values["agent.backend"] == SCRIPTED:
        raise faults.stock_client("the scripted agent, which has no client")


def _all(sources: Sources, flags: Mapping[str, object]) -> Iterator[RawSetting]:
    if sources.user is not None:
        yield from _from_table(parse_file(sources.user), SettingsLayer.USER, sources.user.path)
    yield from _from_project(sources.project)
    yield from _from_environ(sources.environ)
    yield from _from_flags(flags)


def _from_project(documents: tuple[SettingsFile, ...]) -> Iterator[RawSetting]:
    tables = [(document.path, _own_table(document)) for document in documents]
    found = [(path, table) for path, table in tables if table is not None]
    if len(found) > 1:
        raise faults.two_projects(found[0][0], found[1][0])
    for path, table in found:
        yield from _from_table(table, SettingsLayer.PROJECT, path)


def _own_table(document: SettingsFile) -> Mapping[str, object] | None:
    if document.path.name != PYPROJECT:
        return parse_file(document)
    if not may_name_us(document):
        return None
    tool = parse_file(document).get("tool")
    own = cast("dict[str, object]", tool).get("sparing") if isinstance(tool, dict) else None
    if own is not None and not isinstance(own, dict):
        raise faults.no_table(
            _file_origin(SettingsLayer.PROJECT, document.path), "tool.sparing", own
        )
    return cast("dict[str, object] | None", own)


def _from_table(
    table: Mapping[str, object], layer: SettingsLayer, path: Path
) -> Iterator[RawSetting]:
    origin = _file_origin(layer, path)
    sections = {key.partition(".")[0] for key in every_setting()}
    prefix = "tool.sparing." if path.name == PYPROJECT else ""
    for section, content in table.items():
        if section not in sections:
            raise _unknown_section(origin, section, content)
        if not isinstance(content, dict):
            raise faults.no_table(origin, prefix + section, content)
        for key, raw in cast("dict[str, object]", content).items():
            found = every_setting().get(f"{section}.{key}")
            if found is None and section == ROLES and isinstance(raw, dict):
                continue
            if found is None:
                meant = faults.nearest(f"{section}.{key}")
                raise faults.unknown(origin, f"{section}.{faults.name(key)}", meant)
            yield RawSetting(found, raw, layer, origin)
    yield from _from_roles(table, layer, origin)


def _from_roles(
    table: Mapping[str, object], layer: SettingsLayer, origin: str
) -> Iterator[RawSetting]:
    """Tables of single roles are added to the lists that they are another form of."""
    lines: dict[str, list[str]] = {}
    roles = cast("dict[str, object]", table.get(ROLES, {}))
    for role, own in roles.items():
        if f"{ROLES}.{role}" in every_setting() or not isinstance(own, dict):
            continue
        for found in role_lines(role, cast("dict[str, object]", own)):
            if not isinstance(found, RoleLine):
                raise faults.role_field(origin, f"{ROLES}.{faults.name(role)}", found)
            lines.setdefault(found.target, []).extend([found.line] if found.line else [])
    for target, added in lines.items():
        setting, (section, _, name) = every_setting()[target], target.partition(".")
        raw = cast("dict[str, object]", table.get(section, {})).get(name, ())
        before = setting.rule.kind.accept(raw)
        known = before if isinstance(before, tuple) else ()
        yield RawSetting(setting, (*known, *added), layer, origin)


def _unknown_section(origin: str, section: str, content: object) -> Exception:
    inner = next(iter(cast("dict[str, object]", content)), "") if isinstance(content, dict) else ""
    meant = faults.nearest(f"{section}.{inner}" if inner else section)
    key = faults.name(section) + (f".{faults.name(inner)}" if inner else "")
    return faults.unknown(origin, key, meant)


def _from_environ(environ: Mapping[str, str]) -> Iterator[RawSetting]:
    known = {setting.variable: setting for setting in every_setting().values()}
    for variable in sorted(environ):
        if variable in known:
            origin = f"{SettingsLayer.ENVIRONMENT} {variable}"
            yield RawSetting(known[variable], environ[variable], SettingsLayer.ENVIRONMENT, origin)
        elif variable.startswith(PREFIX):
            _refuse_lookalike(variable.removeprefix(PREFIX))


def _refuse_lookalike(rest: str) -> None:
    """Refuse our prefix with two underscores or a section's name: it was meant as a setting."""
    lower = rest.lower()
    sections = {key.partition(".")[0] for key in every_setting()}
    head = lower.partition("_")[0]
    if "__" in lower:
        key = lower.replace("__", ".", 1)
    elif head in sections:
        key = lower.replace("_", ".", 1)
    else:
        return
    raise faults.unknown_variable(PREFIX + rest, faults.nearest(key))


def _from_flags(flags: Mapping[str, object]) -> Iterator[RawSetting]:
    for key, raw in flags.items():
        found = every_setting().get(key)
        if found is None:
            raise faults.unknown(SettingsLayer.FLAG, faults.clean(key), faults.nearest(key))
        if raw is not None:
            yield RawSetting(found, raw, SettingsLayer.FLAG, SettingsLayer.FLAG.value)


def _checked(given: RawSetting, below: Value) -> Value:
    setting, raw, layer, origin = given
    if not _may_set(setting.rule.scope, layer):
        raise faults.out_of_scope(origin, setting)
    kind = setting.rule.kind
    if isinstance(raw, str) and layer in (SettingsLayer.ENVIRONMENT, SettingsLayer.FLAG):
        value = kind.from_text(raw)
    else:
        value = kind.accept(raw)
    if value is None:
        raise faults.wrong_value(origin, setting, raw)
    if layer is SettingsLayer.PROJECT:
        _refuse_wider(given, value, below)
    return value


def _may_set(scope: SettingScope, layer: SettingsLayer) -> bool:
    match scope:
        case SettingScope.ANY:
            return True
        case SettingScope.USER:
            return layer is not SettingsLayer.PROJECT
        case SettingScope.RUN:
            return layer in (SettingsLayer.ENVIRONMENT, SettingsLayer.FLAG)
        case _:
            assert_never(scope)


def _refuse_wider(given: RawSetting, value: Value, below: Value) -> None:
    narrow = given.setting.rule.narrow
    match narrow:
        case Narrow.FREE:
            return
        case Narrow.LOWER:
            if cast("float", value) > cast("float", below):
                raise faults.too_high(given.origin, given.setting, value, below)
        case Narrow.MORE:
            missing = set(cast("tuple[str, ...]", below)) - set(cast("tuple[str, ...]", value))
            if missing:
                raise faults.left_out(given.origin, given.setting, missing)
        case _:
            assert_never(narrow)


def _file_origin(layer: SettingsLayer, path: Path) -> str:
    return f"{layer} {faults.clean(str(path))}"
