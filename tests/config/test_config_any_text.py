"""Any text at all gives settings, or two printable lines. Covers: K1"""

from __future__ import annotations

from pathlib import Path

from hypothesis import example, given, settings
from hypothesis import strategies as st

from sparing.config.load import load
from sparing.config.settings import every_setting
from sparing.config.sources import SettingsFile, Sources
from sparing.errors import ConfigError

HOME = {"HOME": "/h"}


def complaint(sources: Sources) -> str:
    """What a person would read; nothing if the settings are good."""
    try:
        load(sources, {})
    except ConfigError as error:
        return str(error)
    return ""


def is_nothing_or_two_lines(text: str) -> bool:
    lines = text.split("\n")
    return not text or (len(lines) == 2 and all(line and line.isprintable() for line in lines))


KEYS = st.one_of(st.sampled_from(sorted(every_setting())), st.text())
WORDS = st.sampled_from(["1", "-1", "1e9", '"x"', "''", "[]", "{}", "nan", "true", "07:32:00"])
LINES = st.one_of(st.text(), st.builds("{} = {}".format, KEYS, WORDS), KEYS.map("[{}]".format))
PLACES = st.sampled_from(["user", "sparing", "pyproject"])


@settings(deadline=None)
@given(st.lists(LINES, max_size=5).map("\n".join), PLACES)
@example("[tool]\nsparing = []", "pyproject")
@example("[tool.sparing]\nreview = 1", "pyproject")
def test_any_text_gives_settings_or_two_printable_lines(text: str, where: str) -> None:
    file = SettingsFile(Path(f"/r/{where}.toml"), text)
    user, project = (file, ()) if where == "user" else (None, (file,))
    assert is_nothing_or_two_lines(complaint(Sources(user, project, HOME)))


@settings(deadline=None)
@given(st.dictionaries(st.sampled_from([s.variable for s in every_setting().values()]), st.text()))
def test_any_variables_give_settings_or_two_printable_lines(environ: dict[str, str]) -> None:
    assert is_nothing_or_two_lines(complaint(Sources(environ=HOME | environ)))
