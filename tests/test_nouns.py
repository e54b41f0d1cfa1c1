"""The nouns keep their own invariants, so that no room has to check them again."""

from __future__ import annotations

import hashlib
import re
from dataclasses import FrozenInstanceError, fields, replace
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from sparing import errors
from sparing.artifact import Artifact, ArtifactName
from sparing.change import Change
from sparing.errors import SparingError
from sparing.feature import SLUG_LIMIT, Feature, slugify
from sparing.finding import Finding, Severity, Verdict
from sparing.segment import Segment, Volatility, estimate_tokens
from sparing.session import Session
from sparing.task import Task, ready
from sparing.usage import Usage

BUCKETS = ("uncached", "read", "write_5m", "write_1h", "output")
ANY_TEXT = st.text(st.characters(codec=None, exclude_categories=()))
USAGES = st.builds(Usage, *(st.integers(0, 10**9) for _ in BUCKETS))

FEATURE = Feature("abc-007", 7, "rate-limits", "Rate limits", "feature", "/r", "main", "c0", 1.0)
SESSION = Session("s1", "spec-reviewer", "scripted", "m", 10, 20, 1, "c0", 1.0)


@given(USAGES, USAGES)
def test_usage_adds_up_bucket_by_bucket(one: Usage, two: Usage) -> None:
    """E2: the buckets are disjoint, so totals are sums and nothing is counted twice."""
    both = one + two
    assert [getattr(both, name) for name in BUCKETS] == [
        getattr(one, name) + getattr(two, name) for name in BUCKETS
    ]
    assert both.total == one.total + two.total == both.input + both.output
    assert one.input == one.uncached + one.read + one.write_5m + one.write_1h


@given(USAGES)
def test_nothing_spent_is_the_neutral_usage(usage: Usage) -> None:
    """E2"""
    assert usage + Usage() == Usage() + usage == usage


@pytest.mark.parametrize("bucket", BUCKETS)
def test_a_bucket_is_never_negative(bucket: str) -> None:
    """E2"""
    with pytest.raises(ValueError, match=f"usage.{bucket} is -1"):
        Usage(**{bucket: -1})


@given(ANY_TEXT)
@example("\ud800")
def test_every_title_has_a_slug(title: str) -> None:
    """A4: at most 30 characters, fit for a folder and a branch, the same when made again."""
    slug = slugify(title)
    assert re.fullmatch("[a-z0-9]+(-[a-z0-9]+)*", slug)
    assert len(slug) <= SLUG_LIMIT == 30
    assert slugify(slug) == slug


@pytest.mark.parametrize(
    ("title", "slug"),
    [
        ("Add rate limiting", "add-rate-limiting"),
        ("  Fix: `top N` -- for *all*! ", "fix-top-n-for-all"),
        ("../../etc/passwd", "etc-passwd"),
        ("日本語", "untitled"),
        ("", "untitled"),
        ("a sentence whose thirtieth one is a dash", "a-sentence-whose-thirtieth-one"),
        ("abcdefghij abcdefghij abcdefg x", "abcdefghij-abcdefghij-abcdefg"),
        ("Add a function that sorts a list of versions", "add-a-function-that-sorts"),
        ("Add an option -s that sets the speed", "add-an-option-s-that-sets"),
        ("of the of the of the of the of the of the", "of-the-of-the-of-the-of-the-of"),
        ("x" * 40, "x" * 30),
    ],
)
def test_slugs_people_would_expect(title: str, slug: str) -> None:
    """A4"""
    assert slugify(title) == slug


def test_a_feature_is_named_after_its_number_and_slug() -> None:
    """A4: three digits, more where they are needed."""
    assert (FEATURE.id, FEATURE.name, FEATURE.branch) == (
        "007", "007-rate-limits", "feature/007-rate-limits",
    )  # fmt: skip
    assert replace(FEATURE, number=1234).branch == "feature/1234-rate-limits"


@pytest.mark.parametrize(
    ("field", "value"),
    [("number", 0), ("number", -3), ("slug", "Rate Limits"), ("slug", ""), ("slug", "a" * 31)],
)
def test_a_feature_that_could_not_be_named_is_refused(field: str, value: object) -> None:
    """A4"""
    with pytest.raises(ValueError, match="slug|number"):
        replace(FEATURE, **{field: value})


@pytest.mark.parametrize(
    ("field", "value", "why"),
    [("id", "", "has an id"), ("iteration", 0, "count from 1"), ("iteration", -1, "count from 1")],
)
def test_a_session_has_an_id_and_counts_from_one(field: str, value: object, why: str) -> None:
    """C3"""
    with pytest.raises(ValueError, match=why):
        replace(SESSION, **{field: value})


@given(ANY_TEXT)
@example("\ud800")
def test_a_segment_is_named_by_its_text_alone(text: str) -> None:
    """B1: equal texts have equal digests, whatever they are called and however odd they are."""
    segment = Segment("prd", text, Volatility.FEATURE)
    other = Segment("spec", text, Volatility.ITERATION, mark=True)
    assert segment.digest == other.digest
    assert segment.digest == Artifact(ArtifactName.PRD, text).digest
    assert segment.digest != Segment("prd", text + "x", Volatility.FEATURE).digest
    assert segment.digest == hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


@given(ANY_TEXT, ANY_TEXT)
def test_tokens_are_estimated_the_same_everywhere(one: str, two: str) -> None:
    """E1: no text but the empty one is free, and joining texts never makes them dearer."""
    assert Segment("a", one, Volatility.ROLE).tokens == estimate_tokens(one)
    assert (estimate_tokens(one) == 0) == (one == "")
    joined = estimate_tokens(one + two)
    assert max(estimate_tokens(one), estimate_tokens(two)) <= joined
    assert joined <= estimate_tokens(one) + estimate_tokens(two) <= joined + 1


def test_a_segment_has_a_name() -> None:
    """B1"""
    with pytest.raises(ValueError, match="has a name"):
        Segment("", "text", Volatility.ROLE)


def test_the_steadiest_segments_come_first() -> None:
    """B1"""
    assert sorted(Volatility) == [
        Volatility.FEATURE, Volatility.STAGE, Volatility.ROLE, Volatility.ITERATION,
    ]  # fmt: skip


def task(number: str, *depends_on: str) -> Task:
    return Task(number, f"Task {number}", "body", 1, depends_on=depends_on)


TASKS = (task("1.1"), task("2.1", "1.2"), task("1.2", "1.1"), task("3"))


@pytest.mark.parametrize(
    ("done", "expected"),
    [
        ((), ["1.1", "3"]),
        (("1.1",), ["1.2", "3"]),
        (("1.1", "1.2"), ["2.1", "3"]),
        (("1.1", "1.2", "2.1", "3"), []),
    ],
)
def test_tasks_are_ready_in_document_order(done: tuple[str, ...], expected: list[str]) -> None:
    """D1: document order among those whose dependencies are all done."""
    assert [one.number for one in ready(TASKS, frozenset(done))] == expected


@pytest.mark.parametrize(("number", "line"), [("", 1), ("  ", 1), ("1", 0)])
def test_a_task_stands_somewhere_and_has_a_number(number: str, line: int) -> None:
    """D2"""
    with pytest.raises(ValueError, match="number|line"):
        Task(number, "title", "body", line)


@pytest.mark.parametrize("text", ["", " ", "\n\t"])
def test_a_finding_says_what_is_wrong(text: str) -> None:
    """C2"""
    with pytest.raises(ValueError, match="says what is wrong"):
        Finding(Severity.BLOCKER, text)


def test_a_verdict_counts_by_severity() -> None:
    """C2"""
    findings = tuple(
        Finding(severity, "unclear")
        for severity in (Severity.WARNING, Severity.BLOCKER, Severity.WARNING)
    )
    verdict = Verdict("spec-reviewer", approved=True, findings=findings)
    assert [verdict.count(severity) for severity in Severity] == [1, 2, 0]


def test_a_change_is_empty_where_nothing_was_committed() -> None:
    """C7"""
    assert Change("c1", "c1").empty
    assert not Change("c2", "c1").empty


def test_every_document_has_a_file_of_its_own() -> None:
    """A4"""
    names = [name.filename for name in ArtifactName]
    assert len(set(names)) == len(names)
    assert {"prd.md", "spec.md", "design.md", "plan.md", "tasks.md", "retro.md"} <= set(names)
    assert Artifact(ArtifactName.PRD, "a\nb\n").lines == 2


@pytest.mark.parametrize("value", [FEATURE, SESSION, Usage(), task("1")])
def test_nouns_are_frozen(value: Any) -> None:
    """What one room said, no other room can change."""
    with pytest.raises((FrozenInstanceError, AttributeError)):
        setattr(value, fields(value)[0].name, None)


ERRORS = {
    name: kind
    for name, kind in vars(errors).items()
    if isinstance(kind, type) and issubclass(kind, SparingError) and kind is not SparingError
}


def test_the_tree_of_errors_is_drawn_as_it_is() -> None:
    """K1: each kind with its exit code, none forgotten."""
    drawn = re.findall(r"── (\w+) +(\d+)", errors.__doc__ or "")
    assert {name: int(code) for name, code in drawn} == {
        name: kind.exit_code for name, kind in ERRORS.items()
    }


@pytest.mark.parametrize("name", sorted(ERRORS))
def test_an_error_is_two_lines(name: str) -> None:
    """K1: what is wrong, and what repairs it."""
    error = ERRORS[name]("there is no flow 'L9'", "flows: L1, L2, L3")
    assert str(error).splitlines() == [error.what, error.repair]
