"""Fixes of code in the session that made the first ones. Covers: C10, C17."""

from __future__ import annotations

from pathlib import Path

import pytest

from sparing.briefing.gather import gather
from sparing.context.prompt.compose import compose
from sparing.dispatch_policy import Way
from sparing.money import Amount
from sparing.records import ledger
from sparing.turn import Turn
from tests.briefing.sample import make_sample
from tests.records.attempts import attempt, result


@pytest.mark.parametrize(("before", "in_full"), [(Turn.REDO, True), (Turn.REVISE, False)])
def test_second_fixes_of_code_are_not_told_again_how_to_settle(
    tmp_path: Path, before: Turn, in_full: bool
) -> None:
    """C10, C17: the first fixes are those of iteration 1, and said it in full."""
    sample = make_sample(tmp_path)
    source = sample.source(
        "implementer", "implement", Turn.REVISE, iteration=2, seen=1, settles=True
    )
    assert source.session is not None
    told = attempt(
        "fixed", feature=source.row.feature.key, stage="implement", role="implementer",
        template=before.value,
    )  # fmt: skip
    with sample.around.database.write() as tx:
        number = ledger.begin(tx, told, Amount(0, 0))
        ledger.finish(tx, told.dispatch, number, result(session=source.session.id))
    said = compose(gather(source), Way.RESUME).segments[-1].text
    assert said.startswith("# This turn: implement, fixes after review 2\n")
    assert ("## After a failed review" in said) == in_full
    assert ("As before: each finding is" in said) != in_full
