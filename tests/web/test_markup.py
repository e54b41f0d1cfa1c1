"""Whatever a model, a repository or a person wrote can do nothing on the page. Covers: K3, H10"""

from __future__ import annotations

from collections.abc import Iterator
from html.parser import HTMLParser

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sparing.desk.gates import answers
from sparing.desk.office import Office
from sparing.records import events, features
from sparing.records.events import Event
from sparing.turn_event import AgentAction
from sparing.web.markup import ATTRIBUTES, TAGS, rendered
from tests.desk.standing import NOW, standing
from tests.web.asking import Door
from tests.web.vectors import VECTORS

Element = tuple[str, dict[str, str | None]]
HIDDEN = "\x1b\u202e\u200b\ufeff\u2028\x00\x01"


class Elements(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.found: list[Element] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found.append((tag, dict(attrs)))


def elements(html: str) -> list[Element]:
    reader = Elements()
    reader.feed(html)
    reader.close()
    return reader.found


def faults(html: str) -> Iterator[str]:
    """What could act, in a whole page of ours."""
    for tag, attributes in elements(html):
        if tag == "script" and not (attributes.get("src") or "").startswith("/static/page.js"):
            yield f"a script: {attributes}"
        if tag in ("iframe", "object", "embed", "base", "style", "template"):
            yield f"a {tag}"
        for name, value in attributes.items():
            said = (value or "").strip().lower()
            if name.startswith("on") or name in ("style", "ping", "srcset", "formaction"):
                yield f"{tag} {name}={value}"
            if name in ("href", "src", "action") and not said.startswith(("/", "?", "#")):
                yield f"{tag} {name}={value}"


def test_there_are_enough() -> None:
    assert len(set(VECTORS)) >= 150


@pytest.mark.parametrize("part", range(4))
def test_a_document_has_only_what_is_allowed(part: int) -> None:
    """K3: no tag, attribute or address beyond the list; no picture; nothing hidden."""
    for vector in VECTORS[part::4]:
        html = str(rendered(f"# Title\n\n{vector}\n\n- {vector}\n\ntext {vector} text"))
        for tag, attributes in elements(html):
            assert tag in TAGS, (vector, html)
            assert set(attributes) <= ATTRIBUTES.get(tag, set()) | {"rel"}, (vector, html)
            address = attributes.get("href")
            assert address is None or address.startswith(("http://", "https://")), (vector, html)
        assert not set(HIDDEN) & set(html), (vector, html)


@given(st.text(max_size=300))
def test_any_text_at_all(text: str) -> None:
    """K3"""
    for tag, attributes in elements(str(rendered(text))):
        assert tag in TAGS
        assert set(attributes) <= ATTRIBUTES.get(tag, set()) | {"rel"}


def test_lines_are_numbered() -> None:
    """F8: a comment says which line it is about."""
    html = str(rendered("# A\n\nfirst\n\n- one\n- two\n\n| a |\n|---|\n| b |\n"))
    lines = [(tag, found["data-line"]) for tag, found in elements(html) if "data-line" in found]
    assert ("h1", "1") in lines
    assert ("p", "3") in lines
    assert ("ul", "5") in lines
    assert ("table", "8") in lines


def test_titles_and_words_of_agents(office: Office, door: Door) -> None:
    """K3, H10: on the board, on a feature's page and in its events."""
    base = standing(office, "at a gate")
    with office.database.write() as tx:
        for number, vector in enumerate(VECTORS, 2):
            title = " ".join(vector.split()) or "x"
            row = answers.new_row(office, "x", "L1", number, ("main", base.head), {}, NOW)
            features.create(tx, row)
            tx.execute("update features set title = ? where key = ?", (title, row.feature.key))
            told = Event.of(
                AgentAction.SAYS, key=f"v{number}", feature=base.feature.key, at=NOW,
                stage="plan", role=f"builder {vector}", text=vector,
            )  # fmt: skip
            events.add(tx, told)
    home = f"/r/{office.repository.key}/f"
    for path in ("/", f"{home}/001", f"{home}/005", f"{home}/060", "/start", "/?all=1"):
        page = door.get(path)
        assert page.status == 200, page.text[:500]
        assert list(faults(page.text)) == [], path
        assert not set(HIDDEN) & set(page.text), path
    assert door.get(f"/api{home}/001").status == 200
