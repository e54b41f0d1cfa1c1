"""The grid of the economy: its work is frozen, its runs are real prompts and complete.

Covers: E1, E4, C18.
"""

from __future__ import annotations

import hashlib
import json
import re
from pathlib import Path

import pytest

from bench.arms import ARMS, BY_NAME, Tools
from bench.economy import parameters
from bench.economy.aims import aims
from bench.economy.bounds import lower_bound
from bench.economy.calibration import NOT_RUN, calibrate, calibration_table, read_client
from bench.economy.draw import Drawing
from bench.economy.draws import composer_of, rates
from bench.economy.measure import FLOWS, NAIVE, Job, loaded, plain, row_of, work_off
from bench.economy.parameters import PAUSES, PauseName
from bench.economy.prompts import Composer, Variant
from bench.economy.results import Cell, Results
from bench.economy.run import Run
from bench.economy.store import DrawStore, made_of
from bench.economy.strategy import (
    CLIENTS,
    FOLDER,
    LEAN,
    MOST_LINES,
    STOCK,
    Strategy,
    client_of,
    load,
)
from bench.economy.tables import all_tables
from bench.economy.wire import compare
from sparing.config.settings import every_setting
from sparing.context.prompt.compose import role_words
from sparing.dispatch_policy import Lever
from sparing.double.agent.repository import module_files
from sparing.double.agent_kinds import AgentKind
from sparing.economy.expected_work import FILE_TOKENS, HABITS
from sparing.workspace.tools.pages import HEAD_CHARS, Span, page_of, split_lines

ASSUMED = "73df2782bc71df4677af11b4964ea369fef92a84ce7f73cc254e9ff26c12213a"
DRAWN = "7cfa6e04a63ffab573a943fc2edb6e463fe3ac55c9f516de4a8ddd7c37054403"
STRATEGIES = tuple(sorted(path.stem for path in FOLDER.glob("*.toml")))
LIGHT = AgentKind.LIGHT


@pytest.fixture(scope="module")
def composers() -> dict[str, Composer]:
    return {flow: composer_of(flow, LIGHT, 0) for flow in FLOWS}


def cost(composer: Composer, strategy: Strategy, pause: PauseName = PauseName.MINUTES) -> float:
    return row_of(Run(composer, strategy, LEAN, rates(), pause).go()).equivalents


def test_the_work_is_frozen() -> None:
    """E4: no figure is improved by changing the work; whoever does so has to change this."""
    steps = [
        step for flow in FLOWS for kind in AgentKind for step in Drawing(flow, kind, 0).steps()
    ]
    words = re.sub(r"<\w+\.", "<", repr(steps))  # an enum may be called what it likes
    words = re.sub(r", (authored|on_documents)=\w+", "", words)  # of the flow, not drawn
    found = hashlib.sha256(words.encode()).hexdigest()
    assert (parameters.digest(), found) == (ASSUMED, DRAWN)


def test_files_weigh_what_our_tools_show() -> None:
    """E7: the factor of the program's own tools, relative to the client's, is that of its pages."""
    own = client = 0
    for path, text in module_files("store").items():
        lines = split_lines(text)
        own += page_of(path, lines, Span(1, len(lines))).wish - HEAD_CHARS
        client += sum(len(f"{n}\t{line}\n") for n, line in enumerate(lines, 1))
    sizes = parameters.SIZES
    assert sizes.own_read_factor / sizes.read_factor == pytest.approx(own / client, rel=0.005)


def test_the_work_is_not_what_the_chooser_expects() -> None:
    """E4: a chooser that knows the work beforehand would show no regret."""
    steps = Drawing("feature", AgentKind.TYPICAL, 0).steps()
    for step in steps:
        habit = HABITS[step.errand, next(iter(HABITS))[1]]
        needs = step.needs
        assert (needs.files, len(needs.searches) + needs.commands) != (habit.files, habit.steps)
    assert FILE_TOKENS not in {file.tokens for file in Drawing("feature", LIGHT, 0).pool}


@pytest.mark.parametrize("path", sorted(FOLDER.glob("*.toml")), ids=lambda path: path.stem)
def test_a_strategy_is_a_few_settings(path: Path) -> None:
    assert len(path.read_text("utf-8").splitlines()) <= MOST_LINES
    assert load(path.stem).title


@pytest.mark.parametrize(
    ("flow", "name"),
    [("feature", "adaptive"), ("feature", "seed"), *(("L3", name) for name in STRATEGIES)],
)
def test_no_strategy_hides_a_line_or_beats_the_bound(
    composers: dict[str, Composer], flow: str, name: str
) -> None:
    """C18, E4: every line that a role must know, in every way; and the bound is one."""
    composer = composers[flow]
    least = rates().equivalents(lower_bound(composer, LEAN, rates()))
    for pause in (PauseName.SECONDS, PauseName.HOURS):
        ledger = Run(composer, load(name), LEAN, rates(), pause).go()
        assert ledger.missing == 0
        assert least < row_of(ledger).equivalents


@pytest.mark.nightly
@pytest.mark.parametrize("kind", list(AgentKind))
@pytest.mark.parametrize("flow", FLOWS)
def test_the_bound_lies_below_every_strategy_in_every_draw(flow: str, kind: AgentKind) -> None:
    """E4, C18: not only where it was looked at; and nothing is hidden."""
    for seed in range(2 if flow == "feature" else 8):
        composer = composer_of(flow, kind, seed)
        least = rates().equivalents(lower_bound(composer, LEAN, rates()))
        for name in STRATEGIES:
            for pause in PauseName:
                ledger = Run(composer, load(name), LEAN, rates(), pause).go()
                assert least < row_of(ledger).equivalents, (seed, name, pause)
                assert ledger.missing == 0, (seed, name, pause)


def test_a_prompt_without_a_document_is_seen(composers: dict[str, Composer]) -> None:
    """C18: the check can fail."""
    composer = composers["feature"]
    reviews = [one for one in composer.feature.dispatches if one.brief.code and one.wanted]
    told = composer.prompt(composer.feature.dispatches[0], Variant())
    assert composer.missing(reviews[-1], told, ()) > 100


def test_naive_is_one_block_with_the_role_as_system_prompt(
    composers: dict[str, Composer],
) -> None:
    """E4: the baseline holds every document, and no mark of ours."""
    composer = composers["feature"]
    ledger = Run(composer, load("naive"), LEAN, rates(), PauseName.DRAWN, keep_calls=True).go()
    first = [call for call, _ in ledger.sent if call.blocks == 1]
    assert len(first) == len(composer.feature.dispatches)
    assert all(call.talk.blocks[0].mark is None for call in first)
    dispatches = composer.feature.dispatches
    roles = {role_words(one.brief) for one in dispatches}
    assert {call.talk.front.system for call in first} == roles
    assert all(f"# Your role: {one.role.name}\n" in role_words(one.brief) for one in dispatches)


def test_a_stock_client_is_dearer(composers: dict[str, Composer]) -> None:
    """E4: the same work on the client as installed."""
    lean, stock = (
        row_of(Run(composers["L1"], load("naive"), client, rates(), PauseName.DRAWN).go())
        for client in (LEAN, STOCK)
    )
    assert lean.calls == stock.calls
    assert lean.equivalents < stock.equivalents


def test_what_agents_do_does_not_depend_on_the_way(composers: dict[str, Composer]) -> None:
    """E4: whoever knows more opens less, and nothing else changes."""
    composer = composers["feature"]
    outputs = {
        name: Run(composer, load(name), LEAN, rates(), PauseName.DRAWN).go().calls
        for name in ("naive", "fresh", "reference", "resume")
    }
    assert outputs["fresh"] == outputs["naive"]
    assert outputs["resume"] < outputs["naive"] < outputs["reference"]


def test_longer_pauses_are_never_cheaper_for_who_sends_the_same(
    composers: dict[str, Composer],
) -> None:
    """E4: the cache forgets."""
    costs = [cost(composers["feature"], load("fresh"), pause) for pause in PAUSES]
    assert costs == sorted(costs)


def test_the_server_bills_the_same(composers: dict[str, Composer]) -> None:
    """E4: the same calls over HTTP, equal to the token."""
    run = Run(composers["L3"], load("adaptive"), LEAN, rates(), PauseName.DRAWN, keep_calls=True)
    found = compare(run.go().sent[:60])
    assert found.differing == 0
    assert found.calls > 10


def test_levers_a_client_lacks_are_named() -> None:
    """E4: a figure says what it was reached without."""
    unproven = {Lever.MAP, Lever.NOTES, Lever.SHEET}
    assert {one.lever for one in load("adaptive").off} == {Lever.HOUR, Lever.TRIM, *unproven}


@pytest.mark.long
def test_a_result_comes_back_from_its_file_and_makes_tables() -> None:
    """E4: what is published comes from what was stored."""
    found = [work_off(Job("L1", kind, 0, levers=True)) for kind in (LIGHT, AgentKind.TYPICAL)]
    again = [loaded(json.loads(json.dumps(plain(one)))) for one in found]
    results = Results(again)
    text = all_tables(results)
    assert all(words in text for words in ("lean naive", "stock naive", "2,200", "22,000"))
    cell = Cell("L1", "light", PauseName.SECONDS.value)
    assert results.ratio(cell, NAIVE).median == 1
    words = [aim.line for aim in aims(results)]
    assert all(line.startswith(("met   ", "MISSED")) for line in words)
    assert any("dearest cell" in line for line in words)
    assert all(arm.name in text for arm in ARMS)
    assert any(line.endswith("(aim ≤ 0.7)") for line in words)  # own tools on L1 to L3


def test_the_real_clients_runs_stand_beside_the_grid(tmp_path: Path) -> None:
    """E4: the grid says by how much it flatters; without runs it says how to get them."""
    assert calibration_table(calibrate(read_client(tmp_path / "none"))) == NOT_RUN
    for arm, read in (("lean naive", 4_000_000), ("client tools", 5_000_000)):
        case: dict[str, object] = {
            "arm": arm,
            "flow": "L1",
            "kind": "light",
            "seed": 0,
            "settings": {},
        }
        usage = {"uncached": 0, "read": read, "write_5m": 0, "write_1h": 0, "output": 0}
        text = json.dumps({"case": case, "usage": usage, "calls": 9})
        (tmp_path / f"{arm}.json").write_text(text, "utf-8")
    text = calibration_table(calibrate(read_client(tmp_path)))
    assert "1.250" in text
    assert "the grid flatters: it is lower than the client by" in text


@pytest.mark.parametrize("kind", AgentKind)
@pytest.mark.parametrize("flow", FLOWS[1:])
def test_a_small_flow_is_not_dearer_than_naively(flow: str, kind: AgentKind) -> None:
    """E6: with an empty ledger, where nothing can be shared, in every draw: the plain way is as
    naive, its stages have one set of tools, and that does not say how to commit."""
    for seed in (0, 6):
        composer = composer_of(flow, kind, seed)
        for pause in (PauseName.SECONDS, PauseName.LONGER, PauseName.DRAWN):
            ours, naive = (cost(composer, load(name), pause) for name in ("adaptive", "naive"))
            assert ours <= 1.005 * naive, (seed, pause)


def test_every_arm_can_be_run() -> None:
    """E4: a row of the table is all that a new one needs."""
    for arm in ARMS:
        assert all(_accepted(key, value) for key, value in arm.settings.items()), arm.name
        assert not arm.grid or load(arm.grid, client_of(arm)).title
    own, readers = client_of(BY_NAME["own tools, 2 files a call"]), CLIENTS[Tools.LOOK]
    assert (own.owns(writes=True), own.files, own.base_tokens(writes=True, shell=False)) == (
        True, 2, own.writer_tokens,
    )  # fmt: skip
    assert (readers.owns(writes=False), readers.owns(writes=True)) == (True, False)


def _accepted(key: str, value: object) -> bool:
    return every_setting()[key].rule.kind.accept(value) is not None


def test_a_bench_that_was_stopped_goes_on(tmp_path: Path) -> None:
    """E4: draws are kept one by one; a line cut in two and other code do not count."""
    job = Job("L1", LIGHT, 0)
    store = DrawStore(tmp_path / "draws.jsonl", "code")
    assert store.read() == {}
    result = work_off(job)
    store.add(job, result)
    with (tmp_path / "draws.jsonl").open("a") as file:
        file.write('{"code": "code", "res')
    again = {one: json.dumps(plain(found)) for one, found in store.read().items()}
    assert again == {job: json.dumps(plain(result))}
    assert DrawStore(tmp_path / "draws.jsonl", "other code").read() == {}
    assert len(made_of()) == 64


def test_tools_that_take_lists_need_fewer_calls(composers: dict[str, Composer]) -> None:
    """E7: the more files are asked for at once, the fewer calls; at one a call they save only what
    stands before a prompt."""
    arms = [BY_NAME[f"own tools, {n} a call"] for n in ("4 files", "2 files", "1 file")]
    rows = [
        row_of(Run(composers["L1"], load("adaptive", client_of(arm)), client_of(arm), rates(),
                   PauseName.DRAWN).go())
        for arm in arms
    ]  # fmt: skip
    naive = row_of(Run(composers["L1"], load("naive"), LEAN, rates(), PauseName.DRAWN).go())
    assert rows[0].calls < rows[1].calls < rows[2].calls <= naive.calls
    assert rows[0].equivalents < rows[1].equivalents < rows[2].equivalents < naive.equivalents
