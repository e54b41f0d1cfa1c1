"""A gate in the terminal: the outcome of the stage, and what a person may do about it.

Actions that move the feature forward end it; edit, rule, diff and prompt return to the question.
Any error on the way is shown in two lines, and the question is asked again.
"""

from __future__ import annotations

from collections.abc import Callable, Generator
from contextlib import contextmanager, nullcontext
from pathlib import Path

from sparing.cli.clock import now
from sparing.cli.gate.answer import LATER, answer_at_gate, show_conversation
from sparing.cli.gate.editor import write_in_editor
from sparing.cli.gate.gate_screen import coloured, show, show_choices, show_link, show_next, verb_of
from sparing.cli.gate.interruptible_prompt import AnsweredElsewhere, RunEnds, ask, forget_typed
from sparing.cli.gate.rerun import rerun_words
from sparing.cli.gate.rule import rule_at_gate
from sparing.cli.look.prompt import PromptOptions, page_of
from sparing.cli.screen import echo, line_width, page, page_markdown, style, wrapped
from sparing.context.documents.comments import feedback, read_sheet, sheet
from sparing.desk.features import orders, view
from sparing.desk.features.page_presence import feature_link
from sparing.desk.features.rerun import plan_rerun, rerun
from sparing.desk.features.skip_and_back import jump, plan_skip
from sparing.desk.gates import answers
from sparing.desk.gates.actions import document_to_edit
from sparing.desk.gates.edits import draft, draft_file, edit_command, take_files, take_text
from sparing.desk.gates.gate import GateView, gate_diff, gate_view, since_diff
from sparing.desk.gates.ideas import stop
from sparing.desk.gates.repeated_feedback import NOTE, repeats
from sparing.desk.office import Office
from sparing.errors import SparingError, StaleView
from sparing.flow.flows import FLOWS
from sparing.flow.state import GO_ON_HERE, FlowState, Position
from sparing.records.features import FeatureRow
from sparing.records.gates import Gate
from sparing.report.prompt import prompt_text


class ChangedElsewhere(Exception):
    """What the gate shows is no longer what an answer would be about: an edit, a merged base."""


class AtGate:
    """One feature at one gate."""

    def __init__(self, office: Office, row: FeatureRow, gate: Gate) -> None:
        self.office, self.row, self.gate = office, row, gate
        self.stage = FLOWS[row.feature.flow].stage(gate.stage)
        self.feedback = ""  # typed on the same line as `reject`

    def acts(self) -> dict[str, Callable[[], bool]]:
        """Actions that move forward, then those that only show. An edit may add to them."""
        known: dict[str, Callable[[], bool]] = {
            "approve": self.approve, "reject": self.reject, "edit": self.edit, "rule": self.rule,
            "resume": self.resume, "rerun": self.rerun, "skip": self.skip, "stop": self.stop,
            "answer": self.answer,
        }  # fmt: skip
        words = [verb_of(one) for one in view.choices_of(self.office, self.row, now())]
        looks: tuple[tuple[object, str, Callable[[], bool]], ...] = (
            (self.stage.writes, "read", self.read), (True, "diff", self.diff),
            (self.view().again, "since", self.since), (self.stage.author, "prompt", self.prompt),
        )  # fmt: skip
        chosen = {word: known[word] for word in (*words, "edit") if word in known}
        return {**chosen, **{word: act for is_there, word, act in looks if is_there}}

    def decide(self) -> bool:
        """Ask until the gate is answered (True) or left open (False)."""
        self._show()
        while True:
            try:
                decided = self._decide_once()
            except RunEnds:
                return False
            except AnsweredElsewhere:
                echo("\n  answered elsewhere", err=True)
                return True
            except ChangedElsewhere:
                echo("\n  changed elsewhere; this is how it stands now", err=True)
                self.row, decided = view.reload(self.office, self.row), None
                self._show()
            if decided is not None:
                return decided

    def _decide_once(self) -> bool | None:
        """None: it is to be asked again."""
        try:
            acts = self.acts()
            chosen = self._choose([*acts, LATER])
            if chosen == LATER:
                return False
            return acts[chosen]() or None
        except SparingError as error:
            echo(f"  {error.what}\n  {style(error.repair, fg='cyan')}", err=True)
            return self._over(view.reload(self.office, self.row)) or None

    def _show(self) -> None:
        found = self.view()
        show(found, self.row)
        show_conversation(self.office, self.row)
        show_next(found, self.row, view.choices_of(self.office, self.row, now()))
        show_link(feature_link(self.office, self.row))
        forget_typed()

    def _choose(self, words: list[str]) -> str:
        question = f"{', '.join(words[:-1])} or {LATER} [{LATER}]: "
        while True:
            said = ask(question, self._settled)
            if not said:
                return LATER
            first, _, self.feedback = said.partition(" ")
            found = [word for word in words if word.startswith(first.lower())]
            if found == ["reject"] or (len(found) == 1 and not self.feedback):
                return found[0]
            either = f"{said} could be {' or '.join(found)}"
            every = f"one of: {', '.join(words)}; the first letters are enough"
            every += "; what follows reject is your feedback" * ("reject" in words)
            echo(wrapped(either if len(found) > 1 else every, "  "), err=True)

    def _settled(self) -> bool:
        fresh = view.reload(self.office, self.row)
        over = self._over(fresh)
        if not over and fresh.head != self.row.head:
            raise ChangedElsewhere
        return over

    def _over(self, fresh: FeatureRow) -> bool:
        open_ = view.waiting_gate(self.office, fresh)
        return fresh.running or open_ is None or open_.id != self.gate.id

    def view(self) -> GateView:
        return gate_view(self.office, self.row, self.gate, now())

    def approve(self) -> bool:
        answers.approve(self.office, self.row, self.office.sender, now())
        return True

    def resume(self) -> bool:
        orders.resume(self.office, self.row, self.office.sender, now())
        return True

    def rerun(self) -> bool:
        plan = plan_rerun(self.office, self.row)
        said = ask(f"{rerun_words(self.row, plan)}; rerun it? [y/N] ", self._settled) or ""
        if not said.lower().startswith("y"):
            return False
        rerun(self.office, self.row, plan.stage, self.office.sender, now())
        return True

    def answer(self) -> bool:
        return answer_at_gate(self.office, self.row, lambda text: ask(text, self._settled))

    def skip(self) -> bool:
        plan = plan_skip(self.office, self.row)
        for line in plan.lost:
            echo(f"  {line}", err=True)
        said = ask(f"skip to {plan.to}? [y/N] ", self._settled) or ""
        if not said.lower().startswith("y"):
            return False
        jump(self.office, self.row, plan, self.office.sender, now())
        return True

    def stop(self) -> bool:
        echo(f"  {stop(self.office, self.row, self.office.sender, now()).command}", err=True)
        return True

    def rule(self) -> bool:
        rule_at_gate(self.office, self.row, lambda text: ask(text, self._settled) or "")
        return False

    def reject(self) -> bool:
        typed = unquoted(self.feedback.strip())
        asked = nullcontext(typed) if typed else None
        with asked or text_from_editor(self.office, self.row, self._line) as said:
            if not said:
                echo("  no feedback was given, so nothing is rejected", err=True)
                return False
            answers.reject(self.office, self.row, said, self.office.sender, now())
        if repeats(self.office, self.row, said):
            echo(f"  {NOTE}", err=True)
        return True

    def _line(self) -> str:
        return ask("what should be different? ", self._settled) or ""

    def edit(self) -> bool:
        state = FlowState.load(self.row.place["state"])
        edit_stage(self.office, self.row, document_to_edit(state), self._files)
        self.row = view.reload(self.office, self.row)
        if FlowState.load(self.row.place["state"]).position is Position.STUCK:
            show_choices(view.choices_of(self.office, self.row, now()))
        return False

    def _files(self) -> None:
        ask("  change the files there, then press Enter ", self._settled)

    def read(self) -> bool:
        """Show the stage's document as rendered Markdown."""
        given = draft(self.office, self.row, self.stage.writes or "")
        page_markdown(given.text if given else "")
        return False

    def diff(self) -> bool:
        page(coloured(gate_diff(self.office, self.view())))
        return False

    def since(self) -> bool:
        """Show changes since the last answer here; at the last gate, since the last approval."""
        page(coloured(since_diff(self.office, self.view())))
        return False

    def prompt(self) -> bool:
        wanted = PromptOptions(
            role=self.stage.author, feature=self.row.feature.id, stage=self.stage.name,
            iteration=None, task=None, way=None, order=None,
        )  # fmt: skip
        found = page_of(self.office, self.row, wanted)[0]
        page(prompt_text(found, width=line_width()), fold=True)
        return False


def unquoted(typed: str) -> str:
    """Without quotes around all of it, as in a shell; `'a' is not 'b'` keeps its own."""
    quote = typed[:1]
    if len(typed) < 2 or quote not in ("'", '"') or typed[-1] != quote:
        return typed
    _, other, rest = typed[1:-1].partition(quote)
    closes = other and not rest[:1].isalnum()
    return typed if closes else typed[1:-1]


@contextmanager
def text_from_editor(
    office: Office, row: FeatureRow, line: Callable[[], str]
) -> Generator[str, None, None]:
    """Comments on the stage's document; a single line if the stage has none. The file stays until
    they are accepted."""
    given = None if (hands_off := answers.asks_handoff(row)) else draft(office, row)
    if given is None:
        yield GO_ON_HERE if hands_off else line()
        return
    again = f'sparing reject {row.feature.id} "what should be different"'
    file = draft_file(office, row, f"reject-{given.name.filename}")
    filled = write_in_editor(file, sheet(given.name.filename, given.text), again)
    with _kept_if_stale(file):
        yield feedback(given.name.filename, read_sheet(filled, given.text))


@contextmanager
def _kept_if_stale(file: Path) -> Generator[None, None, None]:
    """Remove the file, but not where somebody else was faster; its name has the commit in it, so
    nothing else would show it again."""
    try:
        yield
    except StaleView as error:
        raise StaleView(f"{error.what}; your text is in {file}", error.repair) from None
    file.unlink(missing_ok=True)


def edit_stage(office: Office, row: FeatureRow, name: str, files: Callable[[], None]) -> None:
    """Take a person's own version of a document, or of the code if the stage has none."""
    given = draft(office, row, name)
    if given is None:
        echo(f"  {office.folder.worktree(row.feature.name)}", err=True)
        files()
        taken = take_files(office, row, office.sender, now())
    else:
        file = draft_file(office, row, given.name.filename)
        text = write_in_editor(file, given.text, edit_command(row, given))
        if not text.strip():
            file.unlink()
        with _kept_if_stale(file):
            taken = take_text(office, row, given, text, office.sender, now())
    for warning in taken.warnings:
        echo(f"  note: {warning}", err=True)
    done = f"your version is commit {taken.commit[:10]}" if taken.commit else "nothing was changed"
    echo(f"  {done}", err=True)
