"""What the ledger keeps of a prompt that was sent: rows of earlier releases, bytes, odd values.

`records/sent_rows.json` holds the column `sent` as releases before the type wrote it, one row of
each kind. Covers: E4, I7
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sparing import codec
from sparing.dispatch_policy import Way
from sparing.sent import NamedBlock, OtherPrompts, Sent, SentRecord, WayPrompt

ROWS: Mapping[str, str] = json.loads((Path(__file__).parent / "records/sent_rows.json").read_text())
PRIMER = "a primer"
"""Its alternatives were written in another order of keys."""


@pytest.mark.parametrize("kind", ROWS)
def test_a_row_of_an_earlier_release_loses_nothing(kind: str) -> None:
    """I7: what is read and written again is the same value, and the same bytes."""
    found = SentRecord.of_text(ROWS[kind])
    assert json.loads(found.text) == json.loads(ROWS[kind])
    assert found.text == ROWS[kind] or kind == PRIMER


@pytest.mark.parametrize("kind", ROWS)
def test_a_recorded_step_holds_the_same(kind: str) -> None:
    """I1, I7: a prepared prompt that an earlier release recorded goes into the ledger unchanged."""
    choice = json.loads(ROWS[kind])
    stored: dict[str, Any] = {
        "prompt": "p", "chars": 1, "way": "compose", "reason": "", "resume": "", "model": "m",
        "naive": {}, "choice": choice,
    }  # fmt: skip
    found = codec.load(Sent, stored)
    assert found.choice == SentRecord.of_text(ROWS[kind])
    assert codec.dump(found)["choice"] == choice


def test_what_was_not_written_down_is_not_known() -> None:
    """E4: older rows lack what newer ones have; an empty value is a value."""
    old = SentRecord.of_text(ROWS["before tools, access and the fact sheet were kept"])
    assert (old.tools, old.access, old.sheet, old.covered, old.kept_group) == (None,) * 5
    assert (old.base, old.noted, old.given) == (2509, False, ())
    new = SentRecord.of_text(ROWS["sent: compose"])
    assert (new.sheet, new.covered, new.missing) == ("", (), ())
    assert set(new.ways) == {Way.COMPOSE, Way.PLAIN, Way.REFERENCE}
    assert new.ways[Way.COMPOSE].blocks[1][1:] == (249, "1h", "prd")
    assert new.predicted is not None
    assert new.predicted["fork"].why_not == "fork is not on offer"
    assert SentRecord.of_text("{}").noted is None


def test_the_trunk_of_a_session_kept_warm_is_told_under_its_stored_name() -> None:
    """E9: the key has a space."""
    assert SentRecord.of_text('{"kept group": "author/code"}').kept_group == "author/code"
    assert SentRecord(kept_group="author/code").text == '{"kept group": "author/code"}'


def test_only_a_record_that_holds_something_counts() -> None:
    assert not SentRecord()
    assert not SentRecord.of_text(ROWS["a check of resume"])
    assert SentRecord(group="")


def test_one_odd_value_hides_nothing_else() -> None:
    """I3, I7: what can't be read is as if it were not there."""
    text = '{"base": "much", "group": "author/code", "beside": {"ways": []}, "new": 1}'
    assert SentRecord.of_text(text) == SentRecord(group="author/code")
    assert SentRecord.of_text("[]") == SentRecord()


def test_of_many_rows_only_what_is_needed_is_read() -> None:
    text = '{"own": "all", "sheet": "shown", "base": 7}'
    assert SentRecord.of_text(text, "own", "sheet") == SentRecord(own="all", sheet="shown")


def test_a_turn_that_follows_at_once_has_the_prompt_of_the_one_before() -> None:
    """E4: it is no choice, so nothing was expected of it and nothing else could have been sent."""
    stored = codec.load(
        Sent,
        {"prompt": "p", "chars": 1, "way": "resume", "reason": "", "resume": "s", "model": "m",
         "naive": {}, "choice": json.loads(ROWS["sent: resume"])},
    )  # fmt: skip
    assert stored.going_on.text == ROWS["a turn that follows at once"]


texts = st.text(max_size=5)
blocks: st.SearchStrategy[tuple[NamedBlock, ...]] = st.lists(
    st.tuples(texts, st.integers(0), st.sampled_from(("", "5m", "1h")), texts), max_size=3
).map(tuple)
prompts = st.builds(
    WayPrompt,
    blocks=blocks,
    base=st.none() | st.tuples(texts, st.integers(0)),
    reads=st.none() | st.tuples(st.integers(0), st.integers(0)),
)
records = st.builds(
    SentRecord,
    base=st.none() | st.integers(0),
    noted=st.none() | st.booleans(),
    missing=st.none() | st.lists(texts, max_size=2).map(tuple),
    others=st.none() | st.builds(OtherPrompts, st.none() | st.dictionaries(texts, prompts)),
    kept_group=st.none() | texts,
)


@given(records)
def test_what_is_written_is_read(record: SentRecord) -> None:
    """I1: unknown stays unknown, empty stays empty."""
    assert SentRecord.of_text(record.text) == record
