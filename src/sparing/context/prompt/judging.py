"""How a reviewer is asked for its verdict, reminded of it, and asked to mend its form."""

from __future__ import annotations

from collections.abc import Sequence

from sparing.context.prompt.brief import Brief
from sparing.context.prompt.rubric import has_section
from sparing.context.prompt.skeleton import skeleton
from sparing.context.prompt.wrap import defuse
from sparing.prompts.render import fill, words


def has_both(brief: Brief) -> bool:
    """All reviewers of a panel are asked, and not only the last one again."""
    return bool(brief.asked.panel) and brief.asked.panel[0] == brief.role.name


def reminder(brief: Brief) -> str:
    """Role, pass rule, what the ids stand for, and the form, in few words."""
    known = "reminder_own" if brief.findings else "reminder_others"
    form = "reminder_levels" if has_section(brief.role.text, "Levels") else "reminder_form"
    form = "reminder_verdicts" if brief.asked.panel else form
    names = [*([known] if brief.findings or brief.mentioned else []), form]
    return _who(brief) + "".join(words("blocks", name) for name in names)


def _who(brief: Brief) -> str:
    panel, asked = brief.asked.panel, brief.asked
    if not panel:
        return fill("blocks", "reminder", role=brief.role.name)
    name = "reminder_panel" if has_both(brief) else "reminder_second"
    return fill(
        "blocks", name, first=panel[0], second=panel[-1], role=brief.role.name,
        iteration=asked.iteration, cap=asked.cap,
    )  # fmt: skip


def verdict_words(brief: Brief, *, form: bool) -> str:
    """How a verdict is given; `form` also shows the object, as the seed's prompts do."""
    text = words("blocks", "verdict")
    if has_section(brief.role.text, "Levels"):
        text += words("turns", "levels")
    if brief.asked.panel:
        text += words("blocks", "verdict_panel")
    if form and brief.schema is not None:
        text += fill("turns", "skeleton", form=skeleton(brief.schema))
    return text


def repair_reply(problem: str, *, verdict: bool = True, panel: Sequence[str] = ()) -> str:
    """With the form of a verdict, where one was asked for; `panel`: whose are wanted."""
    form = words("blocks", "repair_verdict") if verdict else ""
    if panel:
        form = fill("blocks", "repair_panel", first=panel[0], names=" and ".join(panel))
    return fill("blocks", "repair", problem=defuse(problem)) + form
