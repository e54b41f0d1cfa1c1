"""`policy = "seed"` is the original: what it sends and how it reads. Covers: B1, C2, C5, C9, D2."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from sparing.artifact import ArtifactName
from sparing.briefing.fit_documents import is_strict
from sparing.briefing.gather import gather, read_tasks
from sparing.clients.role_model import SEED_MODELS
from sparing.config.load import load
from sparing.config.sources import Sources
from sparing.context.documents.literal import literal_scope, literal_tasks
from sparing.context.documents.tasks import parse_tasks
from sparing.context.prompt.compose import compose
from sparing.dispatch_policy import Order, Way
from sparing.finding import Verdict
from sparing.flow.flows import FEATURE
from sparing.money import Amount
from sparing.prompts.render import names
from sparing.records import ledger
from sparing.review.governor import SeenVerdict, SinceLastLook
from sparing.review.loop import LoopDecision
from sparing.runtime.turn_model import model_of
from sparing.stages.review_rounds import Bench, judged, opened
from sparing.turn import Turn
from tests.briefing.cases import seeded
from tests.briefing.sample import FOLDER, Sample, make_sample
from tests.records.attempts import attempt, result
from tests.repositories import commit_files, git


@pytest.fixture
def seed(tmp_path: Path) -> Sample:
    return seeded(make_sample(tmp_path))


def test_the_cap_is_five_unless_somebody_says_otherwise() -> None:
    """C2: a cap that is set stays what it is, also where it is the default of other policies; an
    effort does not take the original's place."""
    nobody = Sources(environ={"HOME": "/nowhere"})

    def cap(**flags: object) -> int:
        given = {key.replace("_", ".", 1): value for key, value in flags.items()}
        return load(nobody, given).settings.review.cap

    assert cap(review_policy="seed") == 5
    assert cap() == 3
    assert cap(review_policy="seed", review_cap=3) == 3
    assert cap(review_policy="seed", flow_effort="lean") == 5


def test_final_validation_asks_all_three_even_where_nothing_changed() -> None:
    """C9: the original knows no reviewer that need not be asked."""
    stage = FEATURE.stage("implement")
    roles = stage.reviewers[0]
    seen = [SeenVerdict(Verdict(role, approved=True)) for role in roles]
    inputs = dict.fromkeys(roles, "the same commit")
    for all_again, follows in ((True, LoopDecision.ASK), (False, LoopDecision.ACCEPT)):
        bench = Bench(5, strict=True, headless=True, all_again=all_again)
        state = opened(stage, bench, None)
        assert state is not None
        ruled = judged(state, seen, SinceLastLook(inputs=inputs), bench)
        assert ruled.decision is follows
        if all_again:
            assert (ruled.state.loop.final, ruled.state.loop.asks) == (True, roles)


def test_final_validation_where_nothing_changed_goes_on_in_the_session(seed: Sample) -> None:
    """C9: it says that nothing has changed; nobody is sent everything a second time."""
    words = ("security-reviewer", "implement", Turn.REVIEW)
    seen = attempt("look", feature=seed.rows["feature"].feature.key, stage=words[1], role=words[0])
    with seed.around.database.write() as tx:  # after the last fix
        ledger.finish(tx, seen.dispatch, ledger.begin(tx, seen, Amount(0, 0)), result())
    looks = [seed.source(*words, iteration=2, seen=2, final=final) for final in (True, False)]
    brief, other = (gather(replace(one, job=replace(one.job, note=""))) for one in looks)
    assert (brief.resumable, other.resumable, brief.delta) == (True, False, "")
    (turn,) = compose(brief, Way.RESUME, Order.SEED).segments
    assert "nothing has changed since. Check in full: does your approval still hold" in turn.text
    assert "This is the final validation round (iteration 2 of 5)." in turn.text


def test_the_delta_is_a_plain_diff_with_context(seed: Sample) -> None:
    """C5: of code the changed files are listed before it."""
    document = gather(seed.source("spec-reviewer", "specify", Turn.REVIEW, iteration=2, seen=1))
    assert document.delta.startswith("diff --git ")
    assert "\n ## Acceptance Criteria\n" in document.delta
    code = gather(seed.source("security-reviewer", "implement", Turn.REVIEW, iteration=2, seen=1))
    assert code.delta.startswith("src/gate.py | +1 -1\n")
    assert "\ndiff --git a/src/gate.py b/src/gate.py\n" in code.delta
    assert "\n     COUNTS[user] = COUNTS.get(user, 0) + 1\n" in code.delta


def test_models_are_the_original_s_by_role(seed: Sample) -> None:
    """G5: reviewers of tasks, of phases and of quality are not the strongest."""
    standard = {
        *("task-reviewer", "phase-reviewer", "code-quality-reviewer", "readiness-reviewer"),
        *("code-simplifier", "codebase-explorer", "researcher", "decomposer"),
    }
    stages = {"readiness-reviewer": "brainstorm", "prd-reviewer": "brainstorm"}
    for role in names("roles"):
        if role in ("builder", "judge"):  # of the tiers
            continue
        source = seed.source(role, stages.get(role, "implement"), Turn.REVIEW)
        settings = source.around.settings(source.row)
        wanted = settings.models.standard if role in standard else settings.models.strong
        assert model_of(source) == wanted, role
    assert set(SEED_MODELS) - {"builder", ("judge", "code_review")} < standard


def test_headings_are_demanded_in_the_feature_flow_alone(seed: Sample) -> None:
    """A3, A2: the original's tiers know no such check, and come to their end as they are."""
    for flow, strict in (("feature", True), ("L1", False), ("L2", False), ("L3", False)):
        source = seed.source("spec-author", "specify", Turn.WRITE)
        feature = replace(source.row.feature, flow=flow)
        assert is_strict(source.around.settings(source.row), feature) is strict


def test_tasks_are_read_by_the_literal_rules(seed: Sample) -> None:
    """D2: Interfaces 1 and 2; the tolerant parser knows more."""
    text = (
        "### Task 1: Count\n**Why:** Plan 1.1, Design C1\n**Done when:** it counts\n\n### T2: x\n"
    )
    assert [(one.number, one.done_when) for one in literal_tasks(text)] == [("1", "it counts")]
    plan, design = "# P\n### 1.1 Steps\na\n### 1.2 More\nb\n", "# D\n### C1\nc\n### C2\nd\n"
    found = literal_scope(literal_tasks(text)[0], plan, design)
    assert found is not None
    assert (found.plan, found.design) == ("### 1.1 Steps\na", "### C1\nc")
    numbers = [
        one.number for one in read_tasks(seed.source("implementer", "implement", Turn.WRITE))
    ]
    assert numbers == ["1", "2"]
    source = seed.source("implementer", "implement", Turn.IMPLEMENT, task="2")
    assert [one.number for one in read_tasks(source)] == ["1", "2"]
    checkout = seed.around.repository.checkout
    commit_files(checkout, {f"{FOLDER}/tasks.md": f"# Tasks\n\n{text}"}, "tasks")
    mixed = replace(source, job=replace(source.job, head=git(checkout, "rev-parse", "HEAD")))
    assert [one.number for one in read_tasks(mixed)] == ["1"]
    assert [one.number for one in parse_tasks(text)] == ["1", "T2"]
    plan, design = (source.document(name).text for name in (ArtifactName.PLAN, ArtifactName.DESIGN))
    # `**Why**:` is no field of the original's: it sends both documents whole.
    assert [one.text for one in gather(source).sections] == [plan, design]
