"""Settings explain themselves: every field has words, a scope and a row.

Covers: K1, K4
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from dataclasses import FrozenInstanceError
from pathlib import Path

import pytest

from sparing.config.describe import SettingRow, as_rows, settings_page
from sparing.config.flow import STAGES
from sparing.config.load import load
from sparing.config.settings import FlowName, Setting, Settings, every_setting
from sparing.config.sources import SettingsFile, Sources
from sparing.flow.flows import FLOWS, PROJECT

HOME = {"HOME": "/h"}


@pytest.mark.parametrize("setting", every_setting().values(), ids=lambda one: one.key)
def test_every_setting_has_words_and_a_good_default(setting: Setting) -> None:
    assert setting.rule.doc.endswith(".")
    assert len(setting.rule.doc.split()) >= 5
    assert setting.rule.kind.accept(setting.default) == setting.default


def test_rows_are_sorted_and_say_where_a_value_comes_from() -> None:
    user = SettingsFile(Path("/u.toml"), "review.cap = 2")
    rows = as_rows(load(Sources(user=user, environ=HOME), {"flow.gates": ["plan"]}))
    assert [row.key for row in rows] == sorted(every_setting())
    changed = [row for row in rows if row.origin != "default"]
    docs = {key: one.rule.doc for key, one in every_setting().items()}
    assert changed == [
        SettingRow("flow.gates", ("plan",), "flag", docs["flow.gates"]),
        SettingRow("review.cap", 2, "user file /u.toml", docs["review.cap"]),
    ]


def test_rows_can_be_printed_as_json() -> None:
    rows = as_rows(load(Sources(environ=HOME), {}))
    values = {row.key: row.value for row in rows}
    assert json.loads(json.dumps(values))["review.policy"] == "adaptive"


def test_the_page_has_an_entry_for_every_setting() -> None:
    page = settings_page()
    for key in every_setting():
        assert page.count(f"### `{key}`\n") == 1
    assert page.endswith("\n")
    assert (
        "### `agent.max_turns`\n\nHow many model calls an agent may make in one turn.\n\n- "
        "Default: `60`\n- Value: a whole number from 1 to 1000\n- Set by: user file, project "
        "file (only to lower it), environment, flag\n- Variable: `SPARING_AGENT__MAX_TURNS`\n"
    ) in page


def test_settings_are_frozen() -> None:
    with pytest.raises(FrozenInstanceError):
        Settings().review.cap = 9  # pyright: ignore[reportAttributeAccessIssue]


def test_flows_and_stages_are_those_that_ship() -> None:
    """A7: a gate can be named for every stage there is, and for no other."""
    assert set(FlowName) - {FlowName.AUTO} == set(FLOWS) - {PROJECT.name}
    assert set(STAGES) == {stage.name for flow in FLOWS.values() for stage in flow.stages}


def test_importing_is_cheap_and_looks_at_nothing(tmp_path: Path) -> None:
    """Only the standard library, and no file or variable of the user's."""
    program = (
        "import sys\n"
        "seen = []\n"
        "sys.addaudithook(lambda e, a: seen.append(str(a[0])) if e == 'open' else 0)\n"
        "before = set(sys.modules)\n"
        "import sparing.config.load, sparing.config.describe\n"
        "tops = {name.partition('.')[0] for name in set(sys.modules) - before}\n"
        "print(sorted(tops - set(sys.stdlib_module_names)))\n"
        "print([path for path in seen if path.endswith('.toml')])\n"
    )
    broken = tmp_path / ".config" / "sparing" / "config.toml"
    broken.parent.mkdir(parents=True)
    broken.write_text("not [ TOML")
    (tmp_path / "sparing.toml").write_text("not [ TOML")
    done = subprocess.run(
        [sys.executable, "-c", program],
        cwd=tmp_path,
        env={**os.environ, "HOME": str(tmp_path), "SPARING_REVIEW__CAP": "wrong"},
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout.splitlines() == ["['sparing']", "[]"]
