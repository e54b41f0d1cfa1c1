"""Names of headings and columns in documents about tasks, in the languages people use.

A heading may be about tasks, about a closing checklist, or about something other than the work.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import NamedTuple

from sparing.context.documents.ids import lead
from sparing.context.documents.markdown import Heading, Outline

TASKS = re.compile(
    r"\b(?:tasks?|steps?|to.?dos?|work items?|work packages?|action items?|backlog|issues"
    r"|aufgaben?|arbeitspakete?|schritte|tâches?|taches?|étapes|tareas?|pasos|tarefas?|passos"
    r"|attività|compiti|taken|stappen|zadania|zadanie|uppgifter|opgaver|úkoly|görevler"
    r"|задач[аиу]?|задани[ея]|шаги|завдання)\b|任务|任務|タスク|作業|手順|작업|할 ?일",
    re.IGNORECASE,
)
CHECK_LIST = re.compile(
    r"\bdone\b|acceptance|criteria|check.?list|verification|validation|sign.?off|quality gate"
    r"|definition of|abnahme|kriterien|fertig|critères|recette|criterios|aceptación|critérios"
    r"|критери|приёмк|приемк|готовност|受け入れ|完了条件|验收|驗收|完成标准|완료 조건"
    r"|チェックリスト|检查清单|檢查清單|체크리스트",
    re.IGNORECASE,
)
_WHOLE_CHECK_LIST = re.compile(
    r"definition of|acceptance|check.?list|完了条件|チェックリスト|验收|驗收|检查清单|체크리스트",
    re.IGNORECASE,
)
"""Headings whose sub-headings are parts of the check list too."""
ASIDE = re.compile(
    r"not now|not part|later|(?:out of|not in) scope|non.?goals|notes?\b|risk|question|dependenc"
    r"|order|strategy|overview|summary|assumption|constraint|references|legend|format|background"
    r"|changelog|example|nice.to.haves?\b|(?:after|post)[ -]?mvp|icebox|parked|deferred|abandoned"
    r"|cancell?ed|declined|rejected|won.?t (?:do|fix)|how to|template"
    r"|glossary|history|hinweis|fragen|risiken|offene|hintergrund"
    r"|notas?\b|preguntas|riesgos|remarques|questions|risques|contexte|perguntas|вопрос|риск"
    r"|заметк|примечан|備考|メモ|リスク|质问|问题|风险|备注|질문|위험|참고",
    re.IGNORECASE,
)
COLUMNS = re.compile(
    r"(?:to.?do|backlog|next|doing|in progress|wip|up next|ready|blocked|done|completed|finished"
    r"|offen|in arbeit|erledigt|à faire|en cours|fait|terminé|pendiente|en curso|hecho"
    r"|a fazer|em andamento|feito|concluído|сделать|в работе|готово|待办"
    r"|进行中|已完成|完了|未着手)",
    re.IGNORECASE,
)
"""The columns of a board: `## To do`, `## In progress`, `## Done`."""
SECTION = re.compile(
    r"(?:overview|introduction|background|context|goals?|non.?goals|scope|summary|assumptions?"
    r"|(?:the |all )?(?:tasks?|task list|work breakdown|work items|steps|to.?do)|risks?|notes?"
    r"|open questions|questions|references|glossary|acceptance criteria|definition of done"
    r"|appendix|legend|motivation|problem(?: statement)?|out of scope|success criteria)",
    re.IGNORECASE,
)
"""Names of parts of a document: if these are numbered, the numbers do not count tasks."""

RESULTS = re.compile(
    r"deliverable|prerequisite|pre-?conditions?|pre-?flight|check ?points?\b"
    r"|(?:exit|entry) criteria|(?<!in )\bprogress\b|\bstatus\b|post-?deploy|rollback"
    r"|voraussetzung|liefer|fortschritt|livrable|avancement|entregable|progreso"
    r"|当前进度|进度|進捗|前提|成果物|交付物|前置条件",
    re.IGNORECASE,
)
"""Headings of what is there before the work or comes out of it: boxes below them may be tasks where
there is nothing else."""
_CONTAINER = re.compile(
    r"phase|stage|wave|epic|iteration|release|part|section|milestone|sprint|week|day|risk|option|étape|etapa|fase|этап|фаза"
    r"|阶段|フェーズ|단계|woche|semaine|semana|checkpoint|appendix|figure|table"
    r"|tier|track|theme|pillar|cycle|quarter|horizon",
    re.IGNORECASE,
)
_PHASE = re.compile(
    r"phase|stage|wave|iteration|milestone|sprint|week|day|étape|etapa|fase|этап|фаза"
    r"|阶段|フェーズ|단계|woche|semaine|semana",
    re.IGNORECASE,
)
"""Containers that may be the work themselves where they hold nothing finer."""
NO_TASKS = frozenset({"fr", "nfr", "ac", "req", "r", "sc", "adr", "td", "q", "g", "uc", "v", "ec"})
"""Letters of requirements, decisions, questions and goals."""
_KEPT = 2
"""Several forms ask about the same document."""
_BRACKETED = re.compile(r"\([^()\n]{0,120}\)")
_SIGNS = re.compile(r"^[\W_]+|[\W_]+$")
_ELEMENT = re.compile(r"<([A-Za-z][\w-]{0,40})>")
LABEL = re.compile(r"(?:\*\*|__)[^*_]{1,80}(?:\*\*|__):?|[^\W\d_][^\n.:`]{0,60}:")


def speaks_of_tasks(heading: Heading) -> bool:
    return bool(TASKS.search(heading.text)) and not CHECK_LIST.search(heading.text)


def is_aside(text: str) -> bool:
    return ASIDE.search(text) is not None or CHECK_LIST.search(text) is not None


def is_board_column(text: str) -> bool:
    return COLUMNS.fullmatch(_SIGNS.sub("", text)) is not None


def names_a_part(heading: Heading) -> bool:
    """`2. Tasks`, `1. Overview`"""
    found = lead(heading.text)
    title = found.title if found else heading.text
    return SECTION.fullmatch(title.strip(" :*")) is not None


def is_container(word: str) -> bool:
    """`Phase`, `Milestone`: it holds tasks."""
    return _CONTAINER.match(word) is not None


def is_phase(word: str) -> bool:
    """`Phase`, `Day`: a stretch of work."""
    return _PHASE.fullmatch(word) is not None


@lru_cache(maxsize=_KEPT)
def asides(document: Outline) -> frozenset[int]:
    """Lines that are not about the work: below a heading, a bold line or a word with a colon
    that says so, or inside such an element."""
    found: set[int] = set()
    headings = {heading.line: heading for heading in document.headings}
    below, beside, inside, last = False, False, "", 0
    board = _board(document)
    for number, raw in enumerate(document.lines, start=1):
        line = raw.strip()
        if number in headings:
            heading = headings[number]
            if heading.level > 1 and _WHOLE_CHECK_LIST.search(heading.text):
                last = max(last, heading.end)
            whole = number <= last and not speaks_of_tasks(heading)
            title = heading.level == len(headings) == 1  # nothing else is there to stand beside
            aside = heading not in board and is_aside(_name(heading.text))
            below = not title and (whole or aside)
            beside, inside = False, ""
        elif not inside and (tag := _ELEMENT.fullmatch(line)) and is_aside(tag[1]):
            inside = tag[1]
        elif inside and line == f"</{inside}>":
            inside = ""
        elif label := LABEL.fullmatch(raw.rstrip()):
            beside = is_aside(label[0])
        if below or beside or inside:
            found.add(number)
    return frozenset(found)


class Announced(NamedTuple):
    """Lines below something that announces a list of tasks and is not a task itself."""

    headings: frozenset[int]
    """Below `## Tasks`, `### To-dos`."""
    labels: frozenset[int]
    """Below `**Tasks:**`, up to the next label or heading."""


@lru_cache(maxsize=_KEPT)
def announced(document: Outline) -> Announced:
    beside = asides(document)
    under: set[int] = set()
    board = _board(document)
    for heading in document.headings:
        if heading.level > 1 and heading not in board and _announces(heading.text):
            under.update(range(heading.line, heading.end + 1))
    labelled: set[int] = set()
    starts, inside = {heading.line for heading in document.headings}, False
    for number, raw in enumerate(document.lines, start=1):
        if number in starts:
            inside = False
        elif number not in document.hidden and (label := LABEL.fullmatch(raw.rstrip())):
            inside = _announces(label[0])
        if inside:
            labelled.add(number)
    return Announced(frozenset(under - beside), frozenset(labelled))


@lru_cache(maxsize=_KEPT)
def _board(document: Outline) -> frozenset[Heading]:
    """The columns of a board; one alone is a list, as in `## To do`."""
    columns = [one for one in document.headings if is_board_column(_BRACKETED.sub("", one.text))]
    return frozenset(columns if len(columns) > 1 else ())


def _announces(text: str) -> bool:
    """`Tasks`, `Implementation tasks (ordered by dependencies)`; not `Task 1: …`."""
    name = _name(text)
    return TASKS.search(name) is not None and not is_aside(name) and lead(text) is None


def _name(text: str) -> str:
    """A heading about tasks without what it says in brackets."""
    name = _BRACKETED.sub("", text)
    return name if TASKS.search(name) else text


@lru_cache(maxsize=_KEPT)
def about_tasks(document: Outline) -> frozenset[Heading]:
    """Headings about tasks, and those below one that are not about anything else."""
    found: set[Heading] = set()
    stack: list[tuple[Heading, bool, bool]] = []
    for heading in document.headings:
        while stack and stack[-1][0].level >= heading.level:
            stack.pop()
        speaks, aside = stack[-1][1:] if stack else (False, False)
        own = speaks_of_tasks(heading)
        stack.append((heading, speaks or own, aside or (not own and is_aside(heading.text))))
        if stack[-1][1] and not stack[-1][2]:
            found.add(heading)
    return frozenset(found)
