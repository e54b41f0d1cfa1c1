"""The fact sheet from what an agent names to what others are shown. Covers: E8, B9."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import pytest

from sparing.briefing.fact_sheet import author_facts, quoted_sources, sheet_words, with_sheet
from sparing.briefing.gather import gather
from sparing.context.documents.research import read_findings
from sparing.context.prompt.brief import Brief
from sparing.context.prompt.compose import compose
from sparing.dispatch_policy import Lever, Order, Way
from sparing.economy.levers import SheetUse
from sparing.job import Ticket
from sparing.records import fact_sheets
from sparing.runtime.levers import levers_of, sheet_use_of
from sparing.runtime.source import Source
from sparing.turn import Turn
from tests.briefing.sample import Sample
from tests.dispatch.levered import REVIEWERS, Turned, lever_sample, sent, turned
from tests.repositories import commit_files, git

BLOCK = """Decided.

```facts
- src/gate.py::allowed | Who may pass?
- {more}
```
"""


@pytest.fixture
def sample(tmp_path_factory: pytest.TempPathFactory) -> Sample:
    return named(lever_sample(tmp_path_factory), "all", "sheet")


def named(sample: Sample, *levers: str, number: int = 1) -> Sample:
    row = sample.rows["feature"]
    own = {**row.overrides, "economy.levers": levers}
    feature = replace(row.feature, number=number)
    around = replace(sample.around, _loaded={})
    rows = {**sample.rows, "feature": replace(row, overrides=own, feature=feature)}
    return sample._replace(around=around, rows=rows)


def ticket(sample: Sample, at: float = 10.0) -> Ticket:
    key = sample.rows["feature"].feature.key
    return Ticket(f"{key}.g0.1.{at}", key, at)


def wrote(sample: Sample, role: str, stage: str, more: str = "", at: float = 10.0) -> None:
    """An author ends a first draft and names places."""
    source = sample.source(role, stage, Turn.WRITE)
    reply = sample.around.folder.keep(BLOCK.format(more=more))
    keep = author_facts(source, reply, source.job.head, ticket(sample, at))
    with sample.around.database.write() as tx:
        keep(tx)
        keep(tx)  # a step may be repeated


def at_head(source: Source, head: str) -> Source:
    return replace(source, job=replace(source.job, head=head))


def briefed(source: Source) -> Brief:
    return with_sheet(gather(source), source)


def told(brief: Brief, way: Way = Way.COMPOSE) -> list[str]:
    return [one.name for one in compose(brief, way).segments]


def texts(sample: Sample) -> Iterator[str]:
    with sample.around.database.read() as connection:
        key = sample.rows["feature"].feature.key
        yield from (one.text for one in fact_sheets.parts_of(connection, key))


def test_what_an_author_names_is_quoted_for_whoever_reads_its_document(sample: Sample) -> None:
    """E8: behind that document, as data; the question is shown, nobody's conclusion is."""
    wrote(sample, "spec-author", "specify")
    (text,) = texts(sample)
    assert "src/gate.py:4 (interface) | Who may pass?\n4\tdef allowed(user: str)" in text
    assert "Decided." not in text
    reviewer = briefed(sample.source("phase-reviewer", "specify", Turn.REVIEW))
    names = told(reviewer)
    assert names[names.index("spec") + 1] == "sheet-specify"
    segment = compose(reviewer, Way.COMPOSE).segments[names.index("sheet-specify")]
    assert segment.text.startswith(f'<document key="{reviewer.key}" name="quoted facts, specify">')
    design = told(briefed(sample.source("design-author", "design", Turn.WRITE)))
    assert design[design.index("spec") + 1] == "sheet-specify"


def test_what_an_explorer_names_waits_for_the_stage_s_part(sample: Sample) -> None:
    """E8: its sources are quoted where they were found; a path that is none is left out."""
    source = sample.source("codebase-explorer", "specify", Turn.RESEARCH)
    finding = {"finding": "It lets all pass.", "source": "src/gate.py:2, /etc/passwd:1, ../x.py:1"}
    report = read_findings({"findings": [finding]})
    keep = quoted_sources(source, report.named, ticket(sample, 5.0))
    with sample.around.database.write() as tx:
        keep(tx)
    assert list(texts(sample)) == [], "a part is made with the stage's document"
    wrote(sample, "spec-author", "specify", "src/gate.py:2")
    (text,) = texts(sample)
    assert "src/gate.py:2-" in text
    assert "It lets all pass" not in text
    assert "passwd" not in text


def test_a_part_is_never_written_again_and_later_ones_only_add(sample: Sample) -> None:
    """E8: so what stands before it stays cached; nothing is quoted twice."""
    wrote(sample, "spec-author", "specify")
    before = list(texts(sample))
    wrote(sample, "spec-author", "specify", "AGENTS.md:1", at=20.0)
    assert list(texts(sample)) == before
    wrote(sample, "design-author", "design", "AGENTS.md:1", at=30.0)
    first, second = texts(sample)
    assert (first, "src/gate.py" in second) == (before[0], False)
    assert "AGENTS.md:1-2 (convention)" in second
    trunk = compose(briefed(sample.source("design-author", "design", Turn.REVISE)), Way.COMPOSE)
    later = compose(briefed(sample.source("plan-author", "create-plan", Turn.WRITE)), Way.COMPOSE)
    names = [one.name for one in trunk.segments[: trunk.trunk]]
    shared = names.index("design")
    assert [one.text for one in later.segments[:shared]] == [
        one.text for one in trunk.segments[:shared]
    ]
    assert names[-2:] == ["design", "sheet-design"]


def test_who_works_on_the_code_has_all_of_it_in_one_order(sample: Sample) -> None:
    """E8: reviewers of code share it before the code, tasks before what is each one's own."""
    wrote(sample, "spec-author", "specify")
    wrote(sample, "plan-author", "create-plan", "AGENTS.md:1", at=20.0)
    fronts = set[tuple[str, ...]]()
    for role in REVIEWERS:
        composed = compose(briefed(sample.source(role, "implement", Turn.REVIEW)), Way.COMPOSE)
        fronts.add(tuple(one.text for one in composed.segments[: composed.trunk]))
        names = [one.name for one in composed.segments]
        assert names.count("sheet-create-plan") == 1
        assert names.index("sheet-create-plan") < names.index("code")
    assert len(fronts) == 1
    task = told(briefed(sample.source("implementer", "implement", Turn.IMPLEMENT, task="1")))
    assert task[task.index("spec") + 1] == "sheet-specify"
    assert task.index("sheet-create-plan") < task.index("role")


def test_what_a_commit_changed_is_said_where_nothing_cached_follows(sample: Sample) -> None:
    """E8: the quote stays as it is in the trunk."""
    wrote(sample, "spec-author", "specify")
    task = sample.source("implementer", "implement", Turn.IMPLEMENT, task="1")
    source = at_head(task, sample.second)
    assert briefed(at_head(task, sample.first)).stale == ""
    base = sample.around.repository.checkout
    commit_files(base, {"src/gate.py": "# moved\ndef allowed(user: str) -> bool: ...\n"}, "moved")
    brief = briefed(at_head(source, git(base, "rev-parse", "HEAD")))
    assert "- src/gate.py:4 changed or moved" in brief.stale
    names = told(brief)
    assert names.index("sheet-changes") > names.index("role")
    before = compose(briefed(source), Way.COMPOSE)
    after = compose(brief, Way.COMPOSE)
    assert after.segments[: after.trunk] == before.segments[: before.trunk]


def test_ways_that_are_compared_with_have_none_of_it(sample: Sample) -> None:
    """E6, E8: neither the plain way nor naive, nor what is sent by path."""
    wrote(sample, "spec-author", "specify")
    brief = briefed(sample.source("phase-reviewer", "specify", Turn.REVIEW))
    for way, order in (
        (Way.PLAIN, Order.NESTED),
        (Way.COMPOSE, Order.NAIVE),
        (Way.REFERENCE, Order.NESTED),
    ):
        assert "quoted facts" not in "".join(
            one.text for one in compose(brief, way, order).segments
        )
    shown, by_path = compose(brief, Way.COMPOSE), compose(brief, Way.REFERENCE)
    assert sheet_words(brief, shown.segments) == "shown"
    assert sheet_words(brief, by_path.segments) == "", "it counts on neither side"


def test_an_author_is_asked_only_where_the_sheet_is_made(sample: Sample) -> None:
    """E8: no words are spent on it elsewhere."""
    writing, revising = (
        sample.source("spec-author", "specify", turn) for turn in (Turn.WRITE, Turn.REVISE)
    )
    assert "name-facts" in told(briefed(writing))
    assert "name-facts" not in told(briefed(revising))
    off = named(sample, "all", "no-sheet")
    assert "name-facts" not in told(briefed(off.source("spec-author", "specify", Turn.WRITE)))


def test_it_is_off_until_covered_files_were_opened_less_often(sample: Sample) -> None:
    """E8: one feature in eight tries it, one has it made and not shown, all others wait."""
    uses: dict[int, SheetUse] = {}
    for number in range(1, 9):
        one = named(sample, "all", number=number).source("spec-author", "specify", Turn.WRITE)
        uses[number] = sheet_use_of(one)
        assert (Lever.SHEET in levers_of(one)) is (uses[number] is SheetUse.SHOWN)
    assert {n for n, use in uses.items() if use is SheetUse.SHOWN} == {2}
    assert {n for n, use in uses.items() if use is SheetUse.KEPT} == {6}


def test_the_ledger_switches_it_on(sample: Sample) -> None:
    """E8: a third less often is enough; a tenth less is not. Forced off, it stays off."""
    for shown, opened in ((True, 1), (False, 2)):
        for n in range(12):
            paths = ("a.py", "b.py", "c.py")
            told = (("sheet", "shown" if shown else "kept"), ("covered", paths))
            reads = tuple(f"/w/tree/{path}" for path in paths[:opened])
            turned(sample, Turned(f"r{n}{shown}", "specify", 1, 50.0 + n, reads, sent=told))
    usual = named(sample, "all", number=3)
    source = usual.source("spec-author", "specify", Turn.WRITE)
    assert sheet_use_of(source) is SheetUse.SHOWN
    off = named(sample, "all", "no-sheet", number=3)
    assert sheet_use_of(off.source("spec-author", "specify", Turn.WRITE)) is SheetUse.OFF


def test_a_feature_that_has_begun_stays_as_it_is(sample: Sample) -> None:
    """E8: what is learned meanwhile changes no trunk that is in use."""
    wrote(sample, "spec-author", "specify")
    later = named(sample, "all", number=3)
    source = later.source("phase-reviewer", "specify", Turn.REVIEW)
    assert sheet_use_of(source) is SheetUse.SHOWN
    _, chosen = sent(source)
    assert chosen.sent_with.covered == ("src/gate.py",)


def test_kept_aside_it_is_counted_and_not_shown(sample: Sample) -> None:
    """E8: the turns that it is compared with."""
    kept = named(sample, "all", number=6)
    wrote(kept, "spec-author", "specify")
    brief, chosen = sent(kept.source("phase-reviewer", "specify", Turn.REVIEW))
    assert (brief.sheet, brief.covered) == ((), ("src/gate.py",))
    assert chosen.sent_with.sheet == "kept"


def test_a_tier_has_none(sample: Sample) -> None:
    """E8: whether its stages share a session or not."""
    source = sample.source("builder", "plan", Turn.WRITE, flow="L1")
    assert sheet_use_of(source) is SheetUse.OFF
