"""`sparing answer`: an author's questions, and a person's answers."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import click

from sparing.cli.clock import now
from sparing.cli.gate.approve import print_answered
from sparing.cli.options import feature_argument, json_option, print_json
from sparing.cli.screen import echo, is_terminal, prompt, style, wrapped
from sparing.desk.gates import answers, questions
from sparing.desk.gates.handoffs import note_lines, stage_notes
from sparing.desk.gates.questions import AnswerReceipt, Question
from sparing.desk.office import Office, open_office
from sparing.errors import NeedsHuman, UsageError
from sparing.flow.state import FlowState
from sparing.records.features import FeatureRow

LATER = "later"


@click.command("answer")
@feature_argument()
@click.argument("words", required=False, default="")
@click.option("--question", "number", type=click.IntRange(1), help="Answer only this question.")
@click.option("--defaults", is_flag=True, help="Accept what the author assumed.")
@json_option
def answer_command(
    feature: str, words: str, number: int | None, defaults: bool, as_json: bool
) -> None:
    """Answer the author's questions so that its stage continues.

    WORDS answer all open questions, or the one that --question names. Without WORDS the questions
    are shown, and in a terminal you are asked one by one. The author gets your answer in the
    session in which it asked.
    """
    office = open_office(Path.cwd(), reading=True)
    row = answers.find(office, feature)
    if defaults:
        if words or number is not None:
            repair = f"sparing answer {row.feature.id} --defaults"
            raise UsageError("--defaults already answers all questions", repair)
        done = questions.answer_by_default(office, row, office.sender, now())
        _print_answered(office, row, done, as_json=as_json)
        return
    if words:
        done = questions.answer(office, row, words, number, office.sender, now())
        _print_answered(office, row, done, as_json=as_json)
        return
    asked = questions.questions(office, row)
    if asked and is_terminal() and not as_json:
        answer_at_gate(office, row, lambda text: prompt(text, "", show_default=False, err=True))
        return
    _listed(row, asked, as_json=as_json)


def answer_at_gate(office: Office, row: FeatureRow, ask: Callable[[str], str | None]) -> bool:
    """Ask one by one. An empty line takes the author's default; `later`, or an empty line where
    there is none, leaves the rest for later. True if all are answered."""
    for one in questions.questions(office, row):
        if one.answer:
            continue
        echo(wrapped(f"{one.number}. {one.text}", "  "), err=True)
        usual = f"your answer, or later [{one.default}]" if one.default else "your answer [later]"
        said = ask(f"  {usual}: ")
        if said is not None:  # the end of the input agrees to nothing
            said = said.strip() or one.default
        if not said or said.lower() == LATER:
            echo("  left for later", err=True)
            return False
        if not questions.answer(office, row, said, one.number, office.sender, now()).left:
            return True
    return False


def show_conversation(office: Office, row: FeatureRow) -> None:
    """At a gate: what the author says about its stage, and what it asks."""
    note = stage_notes(office, row).get(FlowState.load(row.place["state"]).stage)
    for line in note_lines(note) if note else ():
        echo(wrapped(line, "  » "), err=True)
    _show(questions.questions(office, row))


def _show(asked: tuple[Question, ...]) -> None:
    for one in asked:
        mark = "✓" if one.answer else "?"
        echo(wrapped(f"{one.number}. {one.text}", f"  {mark} "), err=True)


def _listed(row: FeatureRow, asked: tuple[Question, ...], *, as_json: bool) -> None:
    number = row.feature.id
    if as_json:
        print_json(feature=number, questions=[one._asdict() for one in asked])
        return
    if not asked:
        echo(f"feature {number} has no open questions")
        return
    _show(asked)
    raise NeedsHuman("only a person can answer", f'sparing answer {number} "say it here"')


def _print_answered(office: Office, row: FeatureRow, done: AnswerReceipt, *, as_json: bool) -> None:
    number, left = row.feature.id, [one.number for one in done.left]
    if not left:
        words = f"{done.stage} is answered"
        print_answered(
            office, row, words, answer="answered", stage=done.stage, left=[], as_json=as_json
        )
        return
    command = f'sparing answer {number} --question {left[0]} "…"'
    if as_json:
        print_json(feature=number, stage=done.stage, left=left, next_command=command)
        return
    echo(f"saved; open questions: {len(left)}")
    echo(f"  {style(command, fg='cyan')}")
