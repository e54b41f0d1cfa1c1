"""C18: context recall. Whatever the way, an agent can know every line it must."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from sparing.economy.cache_contents import Missing, Need, digests, recall
from sparing.segment import Segment, Volatility

SPEC = "# Spec\n\n## Goals\n- count words\n- count lines\n"
NEED = Need("spec.md", tuple(SPEC.splitlines()))


def segment(text: str) -> Segment:
    return Segment("turn", text, Volatility.ITERATION)


def test_what_stands_in_the_prompt_is_known() -> None:
    """C18: wrapped as data, among other things."""
    wrapped = f'<document name="spec.md">\n{SPEC}</document>\n'
    assert recall([segment(wrapped)], (), (), [NEED]) == ()


def test_what_is_nowhere_is_named_line_by_line() -> None:
    """C18: a missing line voids a saving, so it has to be seen."""
    cut = SPEC.replace("- count lines\n", "")
    assert recall([segment(cut)], (), (), [NEED]) == (Missing("spec.md", "- count lines"),)
    assert len(recall([], (), (), [NEED])) == 4, "blank lines say nothing"


def test_what_a_resumed_session_was_told_is_known() -> None:
    """C18: documents of an earlier turn and the delta of this one together make the whole."""
    delta = "@@ -4 +4 @@ ## Goals\n-- count lines\n+- count lines and pages\n"
    changed = Need("spec.md", ("-- count lines", "- count lines and pages"))
    told = digests([SPEC])
    assert recall([segment(delta)], told, (), [NEED, changed]) == ()
    assert recall([segment(delta)], (), (), [NEED])[0].line == "# Spec"


def test_what_is_named_by_a_reference_can_be_read() -> None:
    """C18: by path, for each artifact on its own."""
    plan = Need("plan.md", ("## Steps",))
    assert recall([], (), ("spec.md",), [NEED, plan]) == (Missing("plan.md", "## Steps"),)


def test_a_removed_line_is_known_as_removed_only() -> None:
    """C18: telling that a line is gone does not tell that it is there, nor the reverse."""
    removed, there = Need("a.py", ("-limit = 5",)), Need("a.py", ("limit = 5",))
    gone = [segment("-limit = 5\n+limit = 6\n")]
    assert recall(gone, (), (), [removed]) == ()
    assert recall(gone, (), (), [there]) == (Missing("a.py", "limit = 5"),)
    assert recall([segment("limit = 5\n")], (), (), [removed]) != ()


@given(
    lines=st.lists(
        st.text(st.characters(exclude_categories=["Cc", "Cs", "Zl", "Zp"])), max_size=20
    ),
    cut=st.integers(0, 20),
    data=st.data(),
)
def test_however_a_text_is_split_nothing_is_lost(
    lines: list[str], cut: int, data: st.DataObject
) -> None:
    """C18: the first part in the transcript, the rest in the prompt; and a dropped line shows."""
    need = Need("notes.md", tuple(lines))
    before, after = "\n".join(lines[:cut]), "\n".join(lines[cut:])
    assert recall([segment(after)], digests([before]), (), [need]) == ()
    said = sorted({line.rstrip() for line in lines if line.strip()})
    if said:
        lost = data.draw(st.sampled_from(said))
        rest = "\n".join(
            line for line in lines if line.rstrip() != lost and line[1:].rstrip() != lost
        )
        missing = recall([segment(rest)], (), (), [need])
        assert lost in {found.line.rstrip() for found in missing}
