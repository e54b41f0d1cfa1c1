"""The demo: the main job end to end. Covers: A1, A2, D6, E4, K1."""

from __future__ import annotations

import html
import os
import pty
import re
import select
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.repositories import make_repository
from tests.terminal import QUICK, sparing
from tests.typed import Typed

IMAGES = Path(__file__).parents[2] / "docs" / "images"


def pictured(name: str) -> list[str]:
    """The lines of a picture, without the blanks, some of which are only distances."""
    lines: dict[int, str] = {}
    for number, text in re.findall(
        r'url\(#\w+-line-(\d+)\)">(.*?)</text>', (IMAGES / f"{name}.svg").read_text("utf-8")
    ):
        lines[int(number)] = lines.get(int(number), "") + html.unescape(text)
    return [without_figures(lines[at]) for at in sorted(lines)]


def without_figures(line: str) -> str:
    """A cent more or less is another run of the same program."""
    return re.sub(r"[\d.]+", "0", "".join(line.split()))


@pytest.mark.long
def test_the_pictures_show_what_the_demo_prints(tmp_path: Path) -> None:
    """Covers the whole flow: artifacts, a rejected spec, tasks, real tests, a merged branch."""
    said = sparing(tmp_path, "demo", environ={"COLUMNS": "90"})
    assert said.code == 0, said.err
    assert list(tmp_path.iterdir()) == []
    printed = {without_figures(line) for line in (said.err + said.out).splitlines()}
    gate = pictured("gate")
    stage = gate[: gate.index("?specifywaitsforyourapproval") + 1]
    assert len(stage) > 10
    assert [line for line in (*stage, *pictured("bill")) if line not in printed] == []
    assert re.search(r"lean naive on the same client, 2.2k base +\$\d+\.\d+  estimated", said.out)


@pytest.mark.long
@pytest.mark.parametrize("policy", ["seed", "fresh"])
def test_the_demo_comes_home_under_the_policies_to_compare_with(
    tmp_path: Path, policy: str
) -> None:
    """C2, C9: a final validation in which nobody has anything new to see is no loop."""
    set_so = {"SPARING_REVIEW__POLICY": policy}
    said = sparing(tmp_path, "demo", "--keep", "kept", environ=set_so)
    assert said.code == 0, said.err[-2000:]
    # E4: the report is worded for the policy of the run, not for the one that is set now.
    later = sparing(tmp_path / "kept" / "wordtally", "report", "1", "--full")
    assert "expected cheaper" not in later.out


@pytest.mark.nightly
def test_the_naive_figure_of_the_demo_is_what_the_naive_policy_bills(tmp_path: Path) -> None:
    """E4: it is an estimate; a run under the policy itself says its own bill."""
    found = {
        policy: sparing(tmp_path, "demo", "--json", environ={"SPARING_REVIEW__POLICY": policy}).json
        for policy in ("adaptive", "naive")
    }
    billed = found["naive"]["cost_usd"]
    print(f"estimated {found['adaptive']['naive_usd']}, billed {billed}")
    assert found["naive"]["naive_usd"] == pytest.approx(billed, rel=0.01)
    assert found["adaptive"]["naive_usd"] == pytest.approx(billed, rel=0.05)
    for one in found.values():
        closing = one["closing"]
        assert closing["baseline"]["base_tokens"] == [2200]
        assert closing["could_not_be_saved"] < min(closing["cost_usd"], closing["naive_usd"])
        assert len(closing["largest_reasons"]) <= 3


@pytest.mark.long
@pytest.mark.parametrize("tier", ["L1", "L2"])
def test_a_small_feature_costs_no_more_than_the_naive_one_that_is_run(
    tmp_path: Path, tier: str
) -> None:
    """E6, F4: with a script, which decides and warns; naive prompts tell neither."""
    ours, naive = (
        sparing(tmp_path, "demo", "--tier", tier, "--json", environ={"SPARING_REVIEW__POLICY": one})
        for one in ("adaptive", "naive")
    )
    print(f"{ours.json['cost_usd']} of {naive.json['cost_usd']}")
    assert ours.json["cost_usd"] <= naive.json["cost_usd"]
    assert ours.json["naive_usd"] == pytest.approx(naive.json["cost_usd"], rel=0.001)


@pytest.mark.long
def test_a_tier(tmp_path: Path) -> None:
    """A2: the middle one; the others are run whole in test_crash.py and at a terminal below."""
    said = sparing(tmp_path, "demo", "--tier", "L2", "--json", "--keep", "kept")
    assert (said.code, said.json["flow"], said.json["merged"]) == (0, "L2", True)
    # K1: the commands that the end names.
    assert "merged into main" in sparing(tmp_path / "kept" / "wordtally", "show", "001").out
    own = make_repository(tmp_path / "own")
    assert sparing(own, "start", "Add rate limiting").code == 0
    assert "Add rate limiting" in sparing(own, "list").out
    told = sparing(tmp_path / "kept" / "wordtally", "report", "1", "--json").json["savings"]
    # E4: the ledger tells the whole run: replayed, it costs what it was billed.
    assert (told["turns"], told["turns_left_out"]) == (said.json["dispatches"], 0)
    assert told["replayed"]["value"] == pytest.approx(told["billed"]["value"], rel=1e-9)
    # The original would go on in one session here, which nothing replays.
    assert [one["baseline"] for one in told["against"]] == ["naive"]


@pytest.mark.long
def test_a_person_decides_at_every_gate(tmp_path: Path) -> None:
    """A6: approve, and reject with words, at a terminal."""
    main, terminal = pty.openpty()
    process = subprocess.Popen(
        (sys.executable, "-m", "sparing", "demo", "--interactive", "--tier", "L1"),
        cwd=tmp_path, env={**os.environ, **QUICK, "TERM": "xterm"},
        stdin=terminal, stdout=terminal, stderr=terminal, start_new_session=True,
    )  # fmt: skip
    os.close(terminal)
    heard = ""
    answered = 0
    limit = time.monotonic() + 240
    while time.monotonic() < limit:
        ready, _, _ = select.select([main], [], [], 0.2)
        if not ready:
            if process.poll() is not None:
                break
            continue
        try:
            heard += os.read(main, 4096).decode("utf-8", "replace")
        except OSError:
            break
        if heard.count("[later]:") > answered:
            answered += 1
            os.write(main, b"approve\n")
    assert process.wait(120) == 0, heard
    assert answered == 2
    assert "is merged into main" in heard


@pytest.mark.long
def test_a_sample_that_is_left_at_a_gate(tmp_path: Path) -> None:
    """K1: no command is named that would look for a folder that is gone."""
    typed = Typed(tmp_path, "demo", "--interactive", "--tier", "L1")
    typed.wait_for("[later]: ")
    typed.type("later\n")
    assert typed.end() == 2
    assert "sparing demo --interactive --keep" in typed.screen
    assert "sparing run" not in typed.screen
