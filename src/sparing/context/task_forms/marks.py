"""What an author says about a task besides its text (done, optional, parallel), and the title
without such marks, estimates and notes on its order."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from sparing.context.documents.fields import Field
from sparing.context.documents.task_dependencies import NEEDS_NOTE
from sparing.context.task_forms.block import TaskBlock
from sparing.context.task_forms.words import is_board_column
from sparing.task import TaskMark

_DONE_WORDS = (
    r"(?:done|completed?|finished|closed|merged|shipped|resolved|erledigt|fertig|abgeschlossen"
    r"|terminée?|faite?|fini|hech[oa]|complet[oa]d?[oa]?|terminad[oa]|listo|conclu[ií]d[oa]|feit[oa]"
    r"|fatto|completato|klaar|gotowe|zrobione|сделано|готово|выполнено|завершено"
    r"|完了|済み?|完成|已完成|완료)"
)
_DONE = re.compile(
    rf"[\W_]*(?:{_DONE_WORDS}(?!\w)|[✅☑✔]|100 ?%|(?:yes|true|x)\W*$)", re.IGNORECASE
)
_YES = re.compile(
    r"[\W_]*(?:yes|true|y|ja|oui|s[ií]|sim|да|はい|是|[✅☑✔⚡x]|\[p\])\W*$", re.IGNORECASE
)
_TICKED = re.compile(r"\[[xX✓✔]\]|[☑✅✔🟩■◼]|DONE")
_COMPLETED = re.compile(rf"[ \t]*[-*+] \[[xX]\] {_DONE_WORDS}\W*$", re.IGNORECASE)
_OPTIONAL_WORD = (
    r"(?:optional|optionnel(?:le)?|facultatif|facultative|opcional|opzionale|nice to have|stretch"
    r"|необязательно|任意|可选|可選|オプション|선택)"
)
_PARALLEL_SIGN = re.compile(
    r"(?<!`)(?:\[P\]|\(P\)|\((?:in )?parallel\)|\[parallel\]|⚡|🔀)(?!`)", re.I
)
_IN_PARALLEL = re.compile(r"\bcan (?:be (?:run|done|built) |run |start |go )?in parallel\b", re.I)
_STATE = r"(?:to.?do|open|pending|in.progress|blocked|wip|todo|offen|pendiente)"
_UNIT = r"(?:minutes?|mins?|m|hours?|hrs?|h|std|days?|d|weeks?|w|sp|pts?|points?|story points?)"
_LEADING = re.compile(
    r"(?:(?:\[[A-Za-z]{1,5}-?\d{0,4}\]|\([P]\)|[⚡🔀⬜✅☐☑⏳🚧])\ufe0f?[ \t]*"
    rf"|[\[(]{_OPTIONAL_WORD}[\])][:\s]*|{_OPTIONAL_WORD}[:：] *)+",
    re.IGNORECASE,
)
_TRAILING = re.compile(
    rf"[ \t]*(?:[\[(](?:P|(?:in )?parallel|{_OPTIONAL_WORD}|{_DONE_WORDS}|{_STATE})[\])]"
    rf"|[\[(](?:~|≈|est\.?:? ?|estimate:? ?)?\d{{1,4}}(?:[.,]\d)?(?: ?[-–] ?\d{{1,4}})?"
    rf" ?{_UNIT}[\])]"
    r"|[⚡🔀✅☑🟢🟡🟠🔴🔵]\ufe0f?|@done|\{[^{}\n]{1,160}\}"
    r"|(?<=[\w)]) @\w[\w.-]{0,40}(?:\([^()\n]{0,40}\))?| ~\d{1,3}(?:\.\d)?[mhdw]"
    r"|(?<=[\w)]) #[a-z][\w-]{0,30}(?: \d{4}-\d\d-\d\d)?| [@#][\w-]{1,30} \d{4}-\d\d-\d\d"
    r"| [a-z][a-z-]{1,20}:(?:\d{4}-\d\d-\d\d|\d{1,3}(?:\.\d)?[mhdw])"
    r"| (?:blocked-by|depends|deps|after|needs):[\w,.-]{1,60}"
    r"| \((?:[a-z]{1,12}:\d{1,3}(?:\.\d)?[mhdw] ?){1,6}\)"
    rf"|[✅☑✔]\ufe0f? ?{_DONE_WORDS}(?: ?[-–] ?\d{{4}}[/.-]\d{{1,2}}[/.-]\d{{1,2}})?"
    r"|<!--[^\n]{0,80}?-->)$",
    re.IGNORECASE,
)
_BADGES = re.compile(r"\*\*(?:[ \t]*`[^`\n]{1,20}`){1,6}[ \t]*$")
_WORD = re.compile(r"^(?:(?:task|to-?do|story):|#task) +(?=\S)", re.IGNORECASE)
"""`Task: Write the parser`"""
_BOLD = re.compile(r"\*\*([^*\n]{1,200})\*\*")
_SENTENCE = re.compile(r"\*\*([^*\n]{8,160}[.!?])\*\*(?= )")
"""`**Move it to the top.** It sits below …`"""
_OPTIONAL = re.compile(rf"[\[(]{_OPTIONAL_WORD}[\])]|^\W*{_OPTIONAL_WORD}[:：]", re.IGNORECASE)
_DONE_TITLE = re.compile(rf"[\[(]{_DONE_WORDS}[\])]$", re.IGNORECASE)
_MOST_MARKS = 8
_NOTE = re.compile(r"(?:\([^()\n]{1,80}\)|\[[^\[\]\n]{1,80}\]) ?[:：—–]+ ?(?=\S)")
"""`(after Task 1): Wire the worker`"""
_FIELDS = re.compile(
    r"(?<=[.;]) (?:files?|depends(?: on)?|deps|do[dn]e?(?: when)?|tests?|acceptance|AC|verify): ",
    re.IGNORECASE,
)
"""`**T1:** Guard against it. Files: `a.py`. Done when: …`: the title is a sentence."""


def plain_title(text: str) -> str:
    """Without marks, estimates, notes on dependencies and the asterisks of bold words."""
    sentence = _SENTENCE.match(text)
    title = sentence[1] if sentence else text
    title = _BOLD.sub(r"\1", _BADGES.sub("", title)).replace("**", "", 1).strip()
    title = _WORD.sub("", title)
    note = _NOTE.match(title)
    title = title[note.end() :] if note else title
    title = _FIELDS.split(title, maxsplit=1)[0]
    title = title.strip("~") if "~~" in title else title
    for _ in range(_MOST_MARKS):
        before = title
        front = _LEADING.match(title)
        title = title[front.end() :] if front and front.end() < len(title) else title
        title = _TRAILING.sub("", NEEDS_NOTE.sub("", title.rstrip())).rstrip()
        if title == before or not title:
            break
    return title.rstrip(" :：") or text.strip()


def read_marks(
    block: TaskBlock, fields: Sequence[Field], shown: Sequence[str]
) -> frozenset[TaskMark]:
    """`shown` are its lines outside of fences and comments."""
    values = {field.name: field.value for field in reversed(fields)}
    tests = {
        TaskMark.DONE: _is_done(block, values, shown),
        TaskMark.OPTIONAL: block.mark.endswith("*")
        or bool(_YES.match(values.get("optional", "")) or _OPTIONAL.search(block.title)),
        TaskMark.PARALLEL: any(_PARALLEL_SIGN.search(line) for line in shown[:1])
        or _YES.match(values.get("parallel", "")) is not None
        or any(_IN_PARALLEL.search(line) for line in shown),
    }
    return frozenset(mark for mark, said in tests.items() if said)


def _is_done(block: TaskBlock, values: Mapping[str, str], shown: Sequence[str]) -> bool:
    return bool(
        _TICKED.match(block.mark)
        or _DONE.match(values.get("status", ""))
        or _DONE_TITLE.search(block.title.rstrip())
        or (is_board_column(block.group) and _DONE.match(block.group))
        or any(_COMPLETED.match(line) for line in shown)
    )
