"""Which levers are pulled to spend less, and whose tools agents have. Each can be switched off."""

from __future__ import annotations

from dataclasses import dataclass

from sparing.config.rules import Rule, SettingScope, setting
from sparing.config.value_forms import Names, OneOf
from sparing.tool import ToolMode
from sparing.way import ALL_LEVERS, Lever, off

KNOWN = (ALL_LEVERS, *(lever.value for lever in Lever), *(off(lever) for lever in Lever))


@dataclass(frozen=True)
class EconomySettings:
    levers: tuple[str, ...] = setting(
        (ALL_LEVERS,),
        Rule(
            Names(KNOWN),
            "What is done to spend less under the policy `adaptive`: `all`, or a list of names; "
            "`no-NAME` leaves one out. What a backend can't do is off, and `doctor` says so.",
            SettingScope.USER,
        ),
    )
    tools: ToolMode = setting(
        ToolMode.AUTO,
        Rule(
            OneOf(ToolMode),
            "Whose tools agents work with under the policy `adaptive`: `client` the client's own, "
            "`look` ours for who only reads, `own` ours for all. `auto`: ours for readers, and for "
            "writers with models that passed `sparing doctor --tools`. Where a backend can't: the "
            "client's.",
            SettingScope.USER,
        ),
    )
