"""A person in a real browser: starts, watches, comments, rejects, approves. Covers: F8, K3"""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.browser.chromium import browser, logged_in, served, serving
from tests.browser.plays import ANSWER, REMARK, WISH, sample, script
from tests.repositories import git

WINDOW = {"width": 1280, "height": 900}


def scripted(folder: Path, text: str) -> dict[str, str]:
    (folder / "script.toml").write_text(text)
    return {
        "SPARING_AGENT__BACKEND": "scripted",
        "SPARING_AGENT__SCRIPT": str(folder / "script.toml"),
        "SPARING_ENGINE__POLL_SECONDS": "0.05",
    }


def start(window: Any, title: str, flow: str, cap: str = "") -> None:
    window.get_by_role("link", name="Start a feature").first.click()
    window.get_by_label("What should exist afterwards?").fill(title)
    window.get_by_label("Flow").select_option(flow)
    window.get_by_label("Cap in US dollars").fill(cap)
    window.get_by_role("button", name="Show what will happen").click()
    window.get_by_role("heading", name="What will happen").wait_for()
    assert "(estimated" in window.locator("#plan-facts").inner_text()
    window.get_by_role("button", name="Start it").click()
    window.wait_for_url("**/f/0*")


def state(window: Any, words: str) -> None:
    window.locator("#state", has_text=words).wait_for()


def gate(window: Any, stage: str) -> None:
    """The stage waits for its approval; every button says what it leads to and what that costs."""
    window.locator(".strip-now", has_text=stage).wait_for()
    window.get_by_role("button", name="Approve").wait_for()
    told = window.locator(".gate > .offers").last.inner_text()
    for words in (r"Approve\s+\S+", r"Reject\s+\S+", r"Waiting\s+\S+", r"\(estimated\)|nothing"):
        assert re.search(words, told), told


def approve(window: Any, stage: str) -> None:
    gate(window, stage)
    window.get_by_role("button", name="Approve").click()
    window.locator("#said", has_text=f"{stage} is approved").wait_for()


def comment(window: Any, line: Any, words: str) -> None:
    line.hover()
    line.locator(".add-comment").first.click()
    window.get_by_role("textbox", name="Comment on line").fill(words)
    window.get_by_role("button", name="Add comment").click()


def test_a_tier_from_the_form_to_its_branch(tmp_path: Path) -> None:
    """F8: an L3 watched live; raise a cap, answer, comment on a line, reject, see it answered,
    approve by keyboard, hand off at the context gate, edit, finish."""
    path = sample(tmp_path)
    environ = {**scripted(tmp_path, script()), "SPARING_FLOW__BUDGETS": "plan=900000"}
    with serving(path, "--run", **environ) as page, browser() as chromium:
        window = logged_in(chromium, page, viewport=WINDOW)
        start(window, "List the most frequent words", "L3", "0.001")
        state(window, "has reached a cap")
        window.get_by_role("button", name="Raise a cap").first.click()
        window.get_by_label("New limit in US dollars").fill("40")
        window.locator("#raise button[type=submit]").click()
        state(window, "asks you 1 question")
        assert "costs" in window.locator(".gate").inner_text()
        window.get_by_label("Answer to question 1").fill(ANSWER)
        window.get_by_role("button", name="Answer", exact=True).click()
        gate(window, "brainstorm")
        window.locator("#events", has_text="waits for your approval").wait_for()
        _reject(window)
        gate(window, "brainstorm")
        window.locator(".comment .answer", has_text="changed: the second way wins").wait_for()
        assert REMARK in window.locator(".comment").first.inner_text()
        window.keyboard.press("a")
        window.keyboard.press("Enter")
        approve(window, "design_review")
        state(window, "asks about its session")
        told = window.locator(".gate").inner_text()
        assert re.search(r"[\d,]+ tokens are left, the stage needs [\d,]+", told), told
        assert re.search(r"The session holds \S+ of \S+ tokens; plan needs about \S+", told), told
        window.get_by_role("button", name="Hand off").click()
        gate(window, "plan")
        window.get_by_role("heading", name="Handoff to this session").wait_for()
        assert window.locator("section:has(#handoff) details").count() >= 3
        _edit(window)
        approve(window, "plan")
        approve(window, "code_review")
        approve(window, "done")
        state(window, "Finished")
        assert window.faults == []
        assert {url.startswith(page.origin) for url in window.asked} == {True}
    log = git(path, "log", "--format=%s", "feature/001-list-the-most-frequent-words")
    assert "Edit plan.md by hand (001)" in log


def _reject(window: Any) -> None:
    """With a comment on a row of a table and one on a line, which outlive a reload."""
    window.get_by_role("link", name="Read brainstorm.md").click()
    comment(window, window.locator(".prose tbody tr", has_text="sort"), REMARK)
    window.reload()
    drafts = window.locator(".side-column .draft-comments")
    drafts.get_by_text("brainstorm.md, line 13").wait_for()
    window.keyboard.press("r")
    window.locator("#reject", has_text="runs again with your words").wait_for()
    window.locator("#reject button[type=submit]").click()
    window.get_by_role("link", name="List the most frequent words").click()


def _edit(window: Any) -> None:
    window.get_by_role("link", name="Read plan.md").click()
    window.get_by_role("button", name="Edit").click()
    field = window.locator("#edit textarea")
    field.fill(field.input_value() + "\nKeep it short.\n")
    window.locator("#preview", has_text="Keep it short.").wait_for()
    window.locator("#edit button[type=submit]").click()
    window.locator("#said", has_text="your version is commit").wait_for()
    window.get_by_role("link", name="v1→v2").click()
    assert "Keep it short." in window.locator(".diff .added").last.inner_text()
    window.get_by_role("link", name="List the most frequent words").click()


def engine(path: Path, environ: dict[str, str]) -> subprocess.Popen[Any]:
    """In a process of its own, so that it can be killed under the page."""
    argv = [sys.executable, "-m", "sparing", "serve", "--run", "--port", "0", "--no-open"]
    quiet: Any = dict.fromkeys(("stdin", "stdout", "stderr"), subprocess.DEVNULL)
    return subprocess.Popen(argv, cwd=path, env={**os.environ, **environ}, **quiet)


def test_a_feature_whose_engine_is_killed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """F8, I1: a whole `feature` watched live; the engine dies under the open page and comes back;
    a comment on a line of the spec, a ruling, every gate, charts."""
    monkeypatch.setenv("MPLCONFIGDIR", str(tmp_path / "fonts"))
    path = sample(tmp_path)
    environ = scripted(tmp_path, script(held="codebase-explorer"))
    for name, value in environ.items():  # the page, too, asks whether there is an agent
        monkeypatch.setenv(name, value)
    with served(path) as page, browser() as chromium:
        window = logged_in(chromium, page, viewport=WINDOW)
        start(window, "List the most frequent words", "feature")
        state(window, "Not begun")
        first = engine(path, environ)
        try:
            window.locator(".event", has_text="codebase-explorer").first.wait_for()
        finally:
            first.kill()
            first.wait()
        scripted(tmp_path, script())
        before = window.locator(".event").count()
        window.reload()
        assert window.locator(".event").count() >= before
        state(window, "was interrupted")
        again = engine(path, environ)
        try:
            _whole_feature(window)
        finally:
            again.kill()
            again.wait()
        _charts(window)
        assert window.faults == []
        assert {url.startswith(page.origin) for url in window.asked} == {True}


def _whole_feature(window: Any) -> None:
    approve(window, "brainstorm")
    gate(window, "specify")
    window.get_by_role("link", name="Read spec.md").click()
    comment(window, window.locator(".prose li", has_text="alphabetical order"), WISH)
    window.get_by_role("button", name="Reject").first.click()
    window.locator("#reject button[type=submit]").click()
    window.get_by_role("link", name="v2→v3").wait_for()
    window.locator(".comment .answer", has_text="changed: by code point").wait_for()
    window.get_by_role("link", name="v2→v3").click()
    words = window.locator(".diff .added mark").all_inner_texts()
    assert "code points" in " ".join(words), words
    window.get_by_role("link", name="List the most frequent words").click()
    for stage in ("specify", "design", "create-plan", "create-tasks"):
        approve(window, stage)
    gate(window, "implement")
    window.get_by_text("Rule on it").first.click()
    window.get_by_placeholder("why (later reviewers see it)").fill("it is short enough")
    window.get_by_role("button", name="Dismiss").click()
    window.locator(".finding", has_text="it is short enough").wait_for()
    approve(window, "implement")
    approve(window, "finish")
    state(window, "Finished")
    numbers = window.eval_on_selector_all(".event", "all => all.map(one => +one.dataset.n)")
    assert numbers == sorted(set(numbers))


def _charts(window: Any) -> None:
    window.get_by_role("link", name="all figures").click()
    charts = window.locator(".chart")
    assert charts.count() == 5
    for n in range(charts.count()):
        picture = charts.nth(n).locator("img")
        picture.scroll_into_view_if_needed()
        picture.evaluate("one => one.decode()")
        charts.nth(n).get_by_text("The figures").click()
        assert charts.nth(n).locator("tbody tr").count() >= 1
