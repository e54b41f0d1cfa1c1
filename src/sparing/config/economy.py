"""Which levers are pulled to spend less. Everything is on; each can be switched off alone."""

from __future__ import annotations

from dataclasses import dataclass

from sparing.config.rules import Rule, SettingScope, setting
from sparing.config.value_forms import Names
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
