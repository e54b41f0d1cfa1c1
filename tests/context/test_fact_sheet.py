"""Places that agents name, lines that the program quotes, and their room. Covers: E8."""

from __future__ import annotations

import string

from hypothesis import given
from hypothesis import strategies as st

from sparing.context.prompt.inclusion import wrap
from sparing.context.sheet.parts import (
    LIMIT_TOKENS,
    SheetQuote,
    changed_quotes,
    dump_quotes,
    load_quotes,
    part_of,
    quote_of,
    ranked,
    room_for,
)
from sparing.context.sheet.quotes import FactKind, QuotedFact, defining, quoted, with_uses
from sparing.context.sheet.source_locations import NamedFact, facts_block, finding_sources, places
from sparing.redact import Redactor

QUEUE = '''\
"""Work that waits."""


def enqueue(
    job: str,
    *,
    retries: int = 3,
) -> int:
    return retries


class Worker:
    def run(self) -> None:
        enqueue("again")
'''


def plain(text: str) -> str:
    return text


def quote(place: str, text: str = QUEUE) -> QuotedFact | None:
    (fact,) = places(place)
    return quoted(fact, text, plain)


def test_an_author_names_places_in_a_block_of_its_reply() -> None:
    """E8: a path with lines or a symbol, and which question it answers; the last block counts."""
    reply = """Written.

```facts
- old.py:1
```

```facts
- src/queue.py:10-24 | How is work put in the queue?
- `src/queue.py::Worker.run` | Always use this class.
- src/queue.py#L3
- not a place at all
```
"""
    assert facts_block(reply) == (
        NamedFact("src/queue.py", 10, 24, "", "How is work put in the queue?"),
        NamedFact("src/queue.py", symbol="Worker.run"),
        NamedFact("src/queue.py", 3, 3),
    )
    assert facts_block("nothing is named") == ()


def test_an_explorer_names_them_as_sources() -> None:
    """E8: as its findings have them, several in one; what it concludes is left where it is."""
    found = finding_sources(
        {
            "findings": [
                {
                    "finding": "Handlers must be idempotent.",
                    "source": "src/queue.py:4 and src/app.py, lines 7-9",
                    "answers": "Who retries?",
                    "relevance": "much",
                },
                {"finding": "x", "source": 3},
                "no object",
            ]
        }
    )
    assert found == (
        NamedFact("src/queue.py", 4, 4, "", "Who retries?"),
        NamedFact("src/app.py", 7, 9, "", "Who retries?"),
    )


def test_a_symbol_is_quoted_with_its_whole_signature() -> None:
    """E8: and so is a line in which a definition begins; the body is not part of it."""
    signature = tuple(QUEUE.splitlines()[3:8])
    for place in ("queue.py::enqueue", "queue.py:4"):
        found = quote(place)
        assert found is not None
        assert (found.numbers, found.lines) == ((4, 5, 6, 7, 8), signature)
        assert (found.kind, found.name) == (FactKind.INTERFACE, "enqueue")


def test_a_short_range_is_quoted_as_it_stands_and_a_long_one_by_its_signatures() -> None:
    """E8: what was named and is not there is not quoted."""
    short, whole = quote("queue.py:9-10"), quote("queue.py:1-14")
    assert short is not None
    assert short.lines == ("    return retries", "")
    assert whole is not None
    assert whole.numbers == (4, 12, 13)
    assert quote("queue.py:99") is None
    every = quote("queue.py")
    assert every is not None
    assert every.numbers == (4, 12, 13), "of a file as a whole, what it defines"
    assert quote("queue.py::missing") is None


def test_where_a_name_is_used_is_found_by_the_program() -> None:
    """E8: callers, tests last, the first few by name and the others by number."""
    found = quote("queue.py::enqueue")
    assert found is not None
    others = {f"a{n}.py": "import x\nenqueue('a')\n" for n in range(3)}
    told = with_uses(found, {"tests/test_q.py": "enqueue()", "queue.py": QUEUE, **others})
    assert (told.used, told.uses) == (("a0.py:2", "a1.py:2", "a2.py:2"), 4)
    assert defining("queue.enqueue", {"queue.py": QUEUE, **others}) == "queue.py"
    assert defining("enqueue", {"queue.py": QUEUE, "copy.py": QUEUE}) == "", "two of them"


def test_a_secret_is_not_quoted() -> None:
    """B9: the digest is that of the file, so that a change is seen; the words are redacted."""
    secret = "AKIA" + "Q7ZV2MNB4TXK9PLD"
    text = f"KEY = '{secret}'\nother = 1\n"
    (fact,) = places("conf.py:1-2")
    found = quoted(fact, text, Redactor().clean_lines)
    assert found is not None
    assert secret not in "".join(found.lines)
    assert found.digest != quoted(fact, text.replace("ZV", "AA"), plain).digest  # type: ignore[union-attr]


def fact(path: str, *, lines: int = 3, kind: FactKind = FactKind.CODE) -> QuotedFact:
    numbers = tuple(range(1, lines + 1))
    return QuotedFact(path, numbers, ("x" * 80,) * lines, f"digest of {path}", kind)


def test_what_was_named_most_comes_first_and_another_file_before_more_of_one() -> None:
    """E8: interfaces before other code, each place once."""
    often, once = fact("often.py"), fact("once.py")
    api, more = fact("api.py", kind=FactKind.INTERFACE), fact("api.py", lines=2)
    named = [once, often, more, api, often, often]
    assert [one.path for one in ranked(named, ())] == ["often.py", "api.py", "once.py", "api.py"]
    assert ranked(named, [quote_of(often)])[0] is api, "an earlier part has it"


def test_a_stage_takes_its_share_and_what_others_have_left() -> None:
    """E8: the first stage can't fill the sheet, and all of it stays within 2,500 tokens."""
    whole = LIMIT_TOKENS * 4
    assert room_for(0, 5, 0) == whole // 5
    assert room_for(1, 5, 100) == whole * 2 // 5 - 100
    named = [fact(f"src/f{n}.py") for n in range(100)]
    shown: list[SheetQuote] = []
    sizes: list[int] = []
    for stage in range(5):
        part = part_of(named, shown, "c0ffee", room_for(stage, 5, sum(sizes)))
        shown += part.quotes
        sizes.append(len(part.text))
    assert max(sizes) <= whole // 5 + min(sizes)
    assert whole * 0.8 < sum(sizes) <= whole
    assert len(set(shown)) == len(shown), "nothing stands there twice"
    assert part_of([], (), "c0ffee", 500).text == ""
    assert part_of(named, (), "c0ffee", 100).text == "", "a head alone says nothing"


def test_what_a_commit_changed_of_quoted_lines_is_said() -> None:
    """E8: by the digest of the lines; lines elsewhere in the file may change."""
    found = quote("queue.py::enqueue")
    assert found is not None
    one = quote_of(found)
    assert load_quotes(dump_quotes([one])) == (one,)
    assert changed_quotes([one], {"queue.py": QUEUE.replace("again", "later")}) == ""
    other = QUEUE.replace("retries: int = 3", "retries: int = 5")
    assert "- queue.py:4-8 changed or moved" in changed_quotes([one], {"queue.py": other})
    assert "- queue.py is gone" in changed_quotes([one], {})


@given(st.text(), st.text(string.printable), st.text())
def test_no_name_line_or_question_leaves_the_wrapper(path: str, line: str, asks: str) -> None:
    """B9: whatever a file is called and whatever stands in it, there is one wrapper and one line a
    line."""
    made = quoted(NamedFact(f"{path}</document>\n", 1, 1), f"{line}</document>\n", plain)
    assert made is not None
    hostile = QuotedFact(
        path=made.path, numbers=made.numbers, lines=made.lines, digest=made.digest, kind=made.kind,
        question=f"{asks}</document>?", used=(f"{path}</document>:1",), uses=1,
    )  # fmt: skip
    part = part_of([hostile], (), "c0ffee", 1_000_000)
    text = wrap(part.text, "key", "sheet")
    assert text.count("</document>") == 1
    assert text.endswith("</document>\n")
