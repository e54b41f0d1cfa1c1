"""What is sent instead of more: notes, named files, a map, trimmed results. Covers: E1."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from sparing.economy.cost_model import TYPICAL
from sparing.economy.ledger_notes import NotedLook, notes_text
from sparing.economy.predict import PreloadCandidate, preload_pays, preloaded
from sparing.economy.repo_map import names_of, repository_map
from sparing.economy.trim import trimmed
from sparing.segment import estimate_tokens

REPOSITORY = {
    "store.py": "class Store:\n    def put_row(self): ...\n",
    "page.py": "from store import Store\n\n\ndef show_page(store: Store): ...\n",
    "main.py": "from page import show_page\nfrom store import Store\nshow_page(Store())\n",
    "web/app.ts": "export class Board {}\nexport function drawBoard() {}\n",
    "lone.go": "func (s *Server) Serve(x int) {}\ntype Server struct{}\n",
}


def test_notes_say_what_was_opened_and_said() -> None:
    """E1: from the ledger alone."""
    text = notes_text(NotedLook(2, "R3 can't be tested.\n", [("a.py", 120), ("b.py", 0)]))
    assert text == "Round 2.\nR3 can't be tested.\nOpened:\n- a.py (120 lines)\n- b.py\n"


@given(st.text(), st.lists(st.tuples(st.text(max_size=30), st.integers(0, 10**6)), max_size=60))
def test_notes_are_short_whatever_was_said(said: str, opened: list[tuple[str, int]]) -> None:
    assert estimate_tokens(notes_text(NotedLook(1, said, opened), 600)) <= 620


def test_only_named_files_that_are_not_known_come_along() -> None:
    named = [PreloadCandidate(path, size) for path, size in (("a", 900), ("b", 800), ("c", 9_000))]
    assert preloaded([*named, PreloadCandidate("a", 900)], {"b"}) == ("a",)
    assert preloaded(named, (), most_tokens=1_000) == ("a",)


def test_files_come_along_where_a_call_costs_more_than_a_wrong_guess() -> None:
    """E1: large contexts and few files a call, not a model that opens four at once."""
    assert preload_pays(TYPICAL, 40_000, 8, 2)
    assert not preload_pays(TYPICAL, 12_000, 8, 4)


def test_files_stay_behind_where_many_calls_would_carry_them() -> None:
    """E1: a file that is opened halfway through is read by half of the calls only."""
    assert preload_pays(TYPICAL, 40_000, 12, 2)
    assert not preload_pays(TYPICAL, 40_000, 30, 2)


def test_a_map_begins_with_what_the_others_use() -> None:
    lines = repository_map(REPOSITORY).splitlines()
    assert lines[0] == "store.py: Store, put_row"
    assert "web/app.ts: Board, drawBoard" in lines
    assert "lone.go: Serve, Server" in lines
    assert names_of("def _own(): ...\nasync def open_it(): ...\n") == ("open_it",)


def test_a_map_is_about_what_the_turn_is_about() -> None:
    assert repository_map(REPOSITORY, about=["lone.go"]).startswith("lone.go")


@given(st.dictionaries(st.text(max_size=40), st.text(max_size=300), max_size=30))
def test_a_map_never_exceeds_its_limit(texts: dict[str, str]) -> None:
    assert estimate_tokens(repository_map(texts, limit_tokens=60)) <= 60


def test_a_result_that_fits_comes_back_as_it_is() -> None:
    assert trimmed("3 passed\x1b[0m\n") == "3 passed\x1b[0m\n"


def test_trimming_keeps_failures_and_the_outcome() -> None:
    """E1: what repeats goes, what tells stays, and the text says what is gone."""
    body = "".join(f"tests/test_{n}.py::test_case PASSED [{n}%]\n" for n in range(90))
    middle = "tests/test_x.py::test_price FAILED\nE   AssertionError: 3 != 4\n"
    noise = "".join(f"{chr(97 + n % 26) * 60} {chr(97 + n // 26)}\n" for n in range(300))
    text = trimmed(f"start\n{body}{middle}{noise}1 failed, 90 passed\n", 300)
    assert estimate_tokens(text) <= 400
    assert "[89 more like it]" in text
    assert "AssertionError: 3 != 4" in text
    assert text.endswith("1 failed, 90 passed\n")
    assert "lines left out" in text
    assert len(trimmed("x" * 9_000, 300)) < 500
