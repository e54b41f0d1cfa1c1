"""A redactor that learns secrets while it is in use: features that run at the same time share it.

Covers: H5
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from threading import Barrier

import pytest

from sparing.redact import Redactor

AT_ONCE, TIMES = 4, 40


@pytest.fixture(autouse=True)
def turns() -> Iterator[None]:
    """Threads take turns after each step of the interpreter."""
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    yield
    sys.setswitchinterval(before)


def test_what_several_learn_at_once_is_known() -> None:
    """H5: also literally; what counts as known is not learned again."""
    values = [f"value-{number}-of-a-secret" for number in range(AT_ONCE)]
    with ThreadPoolExecutor(AT_ONCE) as pool:
        for _ in range(TIMES):
            redactor, begin = Redactor(["an-earlier-value"]), Barrier(AT_ONCE)

            def learn(value: str, redactor: Redactor = redactor, begin: Barrier = begin) -> None:
                begin.wait()
                redactor.learn([value])

            list(pool.map(learn, values))
            assert set(values) <= set(redactor.known)
            assert [one for one in values if one in redactor.clean(f"it is {one}.")] == []


def test_a_text_that_was_cleaned_before_is_cleaned_again() -> None:
    """H5: short texts are remembered."""
    redactor, text = Redactor(), "it is value-1-of-a-secret"
    assert redactor.clean(text) == text
    redactor.learn(["value-1-of-a-secret"])
    assert "value-1" not in redactor.clean(text)
