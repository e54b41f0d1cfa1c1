"""How a person is notified that a feature waits. Only the user's own layers count here:
a repository must not choose what is started.
"""

from __future__ import annotations

from sparing.config.rules import Rule, SettingScope, setting
from sparing.config.value_forms import PATTERN_COMMAND, Names, Switch, Text
from sparing.lazy_dataclass import lazy_dataclass

BELL = "bell"
DESKTOP = "desktop"


@lazy_dataclass
class NotifySettings:
    ways: tuple[str, ...] = setting(
        (BELL, DESKTOP),
        Rule(
            Names((BELL, DESKTOP)),
            "How you are told that a run has stopped for you: by the terminal's bell, by a desktop "
            "notification (`notify-send` or `osascript`, if installed).",
            SettingScope.USER,
        ),
    )
    command: str = setting(
        "",
        Rule(
            Text("a command line", f"({PATTERN_COMMAND})?"),
            "A program to start when a run stops for you, with a title and a sentence as its last "
            "two arguments. It is run without a shell.",
            SettingScope.USER,
        ),
    )
    status_line: bool = setting(
        True,
        Rule(
            Switch(),
            "Whether a turn, a check, a set-up or anything else that takes long is shown with its "
            "elapsed time and last output: in place on a terminal, a line a minute elsewhere.",
            SettingScope.USER,
        ),
    )
