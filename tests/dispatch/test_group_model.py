"""One model for those who share a prefix, unless leaving it is priced cheaper. Covers: G5, E1."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from sparing.briefing.extras import aided
from sparing.briefing.gather import gather
from sparing.dispatch.prompt import seal, with_model
from sparing.money import Amount, Billing
from sparing.records import ledger
from sparing.runtime.source import Source
from sparing.runtime.turn_model import SHARED
from sparing.sent import NaivePrompt, Sent
from sparing.session import Session
from sparing.turn import Turn
from sparing.usage import Origin, Usage
from tests.briefing.sample import Sample, make_sample

AT = 100.0
DEAR = "strong 40 200 4 50 80"
NEAR = "strong 4.04 20.2 0.2 5.05 8.1"
OWN = "weak 4 20 0.4 5 8"


def sampled(where: Path, strong: str, **more: object) -> Sample:
    made = make_sample(where, "The same line for everybody. " * 2000)
    (where / "script.toml").write_text("base_tokens = 5000\n")
    own: dict[str, object] = {
        "agent.backend": "scripted", "agent.script": str(where / "script.toml"),
        "models.strong": "strong", "models.standard": "weak", "models.prices": (strong, OWN),
        **more,
    }  # fmt: skip
    row = replace(made.rows["feature"], overrides=own)
    return made._replace(rows={**made.rows, "feature": row})


def simplifier(sample: Sample) -> Source:
    return sample.source("code-simplifier", "implement", Turn.SIMPLIFY)


def prepared(source: Source) -> Sent:
    brief = gather(source)
    source, chosen = with_model(source, aided(brief, source), AT, "")
    return seal(source, brief, chosen)


def deepened(sample: Sample) -> None:
    """The tests were extended half a minute ago: a prompt that begins alike is in a cache."""
    source = sample.source("test-deepener", "implement", Turn.OUTLINE)
    sent, key = prepared(source), source.row.feature.key
    attempt = ledger.Attempt(
        f"{key}.g1.1.deepen", key, 1, "implement", "test-deepener", 1, "", "outline",
        sent.way.value, "", sent.backend, sent.model, Billing.API, "", 10,
        NaivePrompt(), AT - 30, sent.trunk, sent.choice,
    )  # fmt: skip
    result = ledger.AttemptResult(
        "", Usage(10, 0, 20_000, 0, 5), Origin.SIMULATED, 0, [{"added": 1, "output": 5}], 10, 5.0,
        [], sample.around.folder.keep("done"),
    )  # fmt: skip
    with sample.around.database.write() as tx:
        ledger.finish(tx, attempt.dispatch, ledger.begin(tx, attempt, Amount(0, 0)), result)


def test_a_role_reads_the_prefix_of_others_where_that_is_cheaper(tmp_path: Path) -> None:
    """G5, E1: on their model, although its own class is a weaker one; the reason says so."""
    sample = sampled(tmp_path, NEAR)
    assert prepared(simplifier(sample)).model == "weak"
    deepened(sample)
    sent = prepared(simplifier(sample))
    assert (sent.model, sent.reason.endswith(SHARED)) == ("strong", True)


@pytest.mark.parametrize(
    ("strong", "more"),
    [
        (DEAR, {}),
        (NEAR, {"models.roles": ("code-simplifier weak",)}),
        (NEAR, {"review.policy": "fresh"}),
        (NEAR, {"economy.levers": ("all", "no-trunk")}),
    ],
)
def test_it_leaves_them_where_that_is_cheaper_or_set(
    strong: str, more: dict[str, object], tmp_path: Path
) -> None:
    """G5, E1: its own model is cheaper, somebody has set it, or no prefix is shared at all."""
    sample = sampled(tmp_path, strong, **more)
    deepened(sample)
    sent = prepared(simplifier(sample))
    assert (sent.model, sent.reason.endswith(SHARED)) == ("weak", False)


@pytest.mark.parametrize(("kept", "strong"), [("strong", DEAR), ("weak", NEAR)])
def test_a_session_keeps_the_model_it_began_on(kept: str, strong: str, tmp_path: Path) -> None:
    """G5, C18: prices that change do not part it from what it knows."""
    source = simplifier(sampled(tmp_path, strong))
    session = Session(
        id="s", role="code-simplifier", backend="scripted", model=kept, prompt_chars=9_000,
        context_tokens=9_000, iteration=1, commit=source.job.head, last_activity=90.0,
    )  # fmt: skip
    assert prepared(replace(source, session=session)).model == kept
