"""A person in a real browser: starts, watches, comments, rejects, approves. Covers: F8, K3"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from importlib.resources import files
from pathlib import Path
from typing import Any

from tests.browser.chromium import browser, logged_in, served, serving
from tests.first_hour import SCRIPT
from tests.repositories import git, make_repository


def scripted(folder: Path, script: str) -> dict[str, str]:
    (folder / "script.toml").write_text(script)
    return {
        "SPARING_AGENT__BACKEND": "scripted",
        "SPARING_AGENT__SCRIPT": str(folder / "script.toml"),
        "SPARING_ENGINE__POLL_SECONDS": "0.05",
    }


def start(window: Any, title: str, flow: str) -> None:
    window.get_by_role("link", name="Start a feature").first.click()
    window.get_by_label("What should be there afterwards?").fill(title)
    window.get_by_label("Flow").select_option(flow)
    window.get_by_role("button", name="Show what would happen").click()
    window.get_by_role("heading", name="This would happen").wait_for()
    assert "(estimated" in window.locator("#plan-facts").inner_text()
    window.get_by_role("button", name="Start it").click()
    window.wait_for_url("**/f/0*")


def state(window: Any, words: str) -> None:
    window.locator("#state", has_text=words).wait_for()


def test_a_tier_from_the_form_to_its_branch(tmp_path: Path) -> None:
    """F8: start, watch live, comment on a line, reject, see it answered, edit, approve."""
    path = make_repository(tmp_path / "gate")
    environ = scripted(tmp_path, SCRIPT)
    with serving(path, "--run", **environ) as page, browser() as chromium:
        window = logged_in(chromium, page, viewport={"width": 1280, "height": 900})
        start(window, "Greet by name", "L1")
        state(window, "plan.md is ready")
        window.locator("#events", has_text="waits for your approval").wait_for()
        window.get_by_role("link", name="Read plan.md").click()
        line = window.locator(".prose li").first
        line.hover()
        line.locator(".add-comment").first.click()
        window.get_by_role("textbox", name="Comment on line").fill("in which file?")
        window.get_by_role("button", name="Add comment").click()
        window.reload()
        window.locator(".side-column .draft-comments", has_text="in which file?").wait_for()
        window.get_by_role("button", name="Reject").first.click()
        window.locator("#reject button[type=submit]").click()
        window.get_by_role("link", name="Greet by name").click()
        window.locator(".comment .answer", has_text="changed").wait_for()
        assert "in which file?" in window.locator(".comment").first.inner_text()
        window.get_by_role("link", name="Read plan.md").click()
        window.get_by_role("button", name="Edit").click()
        field = window.locator("#edit textarea")
        field.fill(field.input_value() + "\nKeep it short.\n")
        window.locator("#preview", has_text="Keep it short.").wait_for()
        window.locator("#edit button[type=submit]").click()
        window.locator("#said", has_text="your version is commit").wait_for()
        window.locator(".prose p", has_text="Keep it short.").first.wait_for()
        window.reload()
        window.get_by_role("link", name="v1→v2").click()
        assert "Keep it short." in window.locator(".diff .added").last.inner_text()
        window.get_by_role("link", name="Greet by name").click()
        window.get_by_role("button", name="Approve").click()
        state(window, "summary.md is ready")
        window.get_by_role("button", name="Approve").click()
        state(window, "Finished")
        assert window.faults == []
        assert {url.startswith(page.origin) for url in window.asked} == {True}
    assert "edited by a person" in git(path, "log", "--format=%s", "feature/001-greet-by-name")


def test_an_engine_that_is_killed_under_an_open_page(tmp_path: Path) -> None:
    """F8, I1: the page goes on, says what happened, and shows the rest when an engine is back."""
    path = make_repository(tmp_path / "words")
    script = (files("sparing.cli") / "sample" / "script.toml").read_text("utf-8")
    held = script.replace("seconds = 50\n", "seconds = 50\ndelay_seconds = 3600\n", 1)
    assert held != script
    environ = {**os.environ, **scripted(tmp_path, held)}
    with served(path) as page, browser() as chromium:
        window = logged_in(chromium, page)
        start(window, "List the most frequent words", "feature")
        state(window, "Not begun")
        run = [sys.executable, "-m", "sparing", "run", "1", "--no-input"]
        quiet: Any = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
        process = subprocess.Popen(run, cwd=path, env=environ, **quiet)
        window.locator(".event", has_text="codebase-explorer").first.wait_for()
        process.send_signal(signal.SIGKILL)
        process.wait()
        scripted(tmp_path, script)
        before = window.locator(".event").count()
        window.reload()
        assert window.locator(".event").count() >= before
        state(window, "was interrupted")
        again = subprocess.Popen(run, cwd=path, env=environ, **quiet)
        assert again.wait() == 2
        state(window, "prd.md is ready")
        window.locator(".event", has_text="brainstorm waits for your approval").wait_for()
        numbers = window.eval_on_selector_all(".event", "all => all.map(one => +one.dataset.n)")
        assert numbers == sorted(set(numbers))
        window.get_by_role("button", name="Approve").click()
        state(window, "Answered: approve")
        assert window.faults == []
