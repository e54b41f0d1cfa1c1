"""Before sessions are resumed, five questions are put to the client; one no, and they are not.

Covers: C15
"""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from sparing.agents.checks.resume_check import CheckSetting, ResumeCheck, check_resume
from sparing.usage import Origin, Usage
from tests.agents.backends import MODEL
from tests.agents.forgetful import Fake


def check(fake: Fake, folder: Path) -> ResumeCheck:
    return asyncio.run(check_resume(fake.name, fake.run, CheckSetting(folder, MODEL, at=1000.0)))


def test_a_client_that_knows_all(cwd: Path) -> None:
    """C15: V1 to V4 are good, V5 is the share that was read from cache, the bill is one sum."""
    done = check(Fake(), cwd)
    assert [item.name for item in done.items] == ["V1", "V2", "V3", "V4"]
    assert (done.passed, done.reason, done.share) == (True, "", 0.9)
    assert done.usage == Usage(read=1800, write_5m=1000, output=10)
    assert (done.seconds, done.origin) == (3.0, Origin.SIMULATED)
    assert list(cwd.iterdir()) == []


@pytest.mark.parametrize(
    ("forgets", "reason"),
    [
        ("id", "V1: no id came back"),
        ("session", "V2: invalid session: it is gone"),
        ("answer", "V2: no answer came"),
        ("file", "V3: a file it read is forgotten"),
        ("reply", "V4: its own reply is forgotten"),
    ],
)
def test_a_client_that_forgets(cwd: Path, forgets: str, reason: str) -> None:
    """C15: the reason names the question, and nothing of the check is left in the folder."""
    done = check(Fake(forgets), cwd)
    assert (done.passed, done.reason) == (False, reason)
    assert list(cwd.iterdir()) == []


def test_a_resumed_call_may_return_another_id(cwd: Path) -> None:
    """C15, C3: V2; the id that comes back replaces the old one."""
    fake = Fake("whose")
    assert check(fake, cwd).passed
    assert [call.resume for call in fake.seen] == ["", "s1", "s2"]


@pytest.mark.parametrize(
    ("count", "passed"),
    [
        ("There are 3", True),
        ("There were three of them.", True),
        ("**3**", True),
        ("There are 2", False),
        ("3 or 4", False),
        ("13", False),
        ("There are none", False),
    ],
)
def test_the_number_may_stand_in_a_sentence(cwd: Path, count: str, passed: bool) -> None:
    """C15: V4 asks what is remembered, not how it is put."""
    assert check(Fake(count=count), cwd).passed is passed


def test_the_file_is_gone_before_it_is_asked_about(cwd: Path) -> None:
    """C15: a client that reads it again would learn nothing."""
    fake = Fake()
    check(fake, cwd)
    assert [bool(call.resume) for call in fake.seen] == [False, True, True]
    assert all(fake.first_line not in segment.text for call in fake.seen for segment in call.prompt)


@pytest.mark.parametrize(
    ("forgets", "certain"), [("", True), ("session", True), ("network", False)]
)
def test_what_may_pass_proves_nothing(cwd: Path, forgets: str, certain: bool) -> None:
    """C15: a network that was down says nothing about the client."""
    assert check(Fake(forgets), cwd).certain is certain
