"""A gate in the terminal: what came of the stage, and what a person may do about it.

approve, reject and later end it; edit, diff and prompt come back to the question. Whatever goes
wrong on the way is said in two lines, and the question is put again.
"""

from __future__ import annotations

import textwrap
from collections.abc import Callable

import click

from sparing.cli.ask import Settled, ask
from sparing.cli.clock import now
from sparing.cli.editor import write_in_editor
from sparing.cli.options import TERMINAL
from sparing.cli.prompt import Wanted, page_of
from sparing.cli.screen import printable
from sparing.context.comments import feedback, read_sheet, sheet
from sparing.desk import control, orders, view
from sparing.desk.edits import draft, draft_file, take_files, take_text
from sparing.desk.gate import GateView, gate_diff, gate_view, next_stage
from sparing.desk.office import Office
from sparing.errors import SparingError, UsageError
from sparing.flow.flows import FLOWS
from sparing.flow.state import Position, State
from sparing.records.features import FeatureRow
from sparing.records.gates import Gate
from sparing.report.prompt import prompt_text

WIDTH = 78
MOST_FINDINGS = 8
LATER = "later"
COLOURS = {"blocker": "red", "warning": "yellow", "suggestion": "cyan"}


class AtGate:
    """One feature at one gate."""

    def __init__(self, office: Office, row: FeatureRow, gate: Gate) -> None:
        self.office, self.row, self.gate = office, row, gate
        state = State.load(row.place["state"])
        self.stage = FLOWS[row.feature.flow].stage(gate.stage)
        self.acts: dict[str, Callable[[], bool]] = {
            "approve": self.approve,
            "reject": self.reject,
            "edit": self.edit,
            "diff": self.diff,
            "prompt": self.prompt,
        }
        if state.position is Position.STUCK and not state.acceptable:
            del self.acts["approve"]
            if state.held is not None:
                self.acts = {"resume": self.resume, **self.acts}

    def decide(self) -> bool:
        """True if the gate has its answer; False leaves it open."""
        show(self.view(), self.row)
        while True:
            try:
                chosen = self._choose()
                if chosen == LATER:
                    return False
                if self.acts[chosen]():
                    return True
            except Settled:
                click.echo("\n  answered elsewhere", err=True)
                return True
            except SparingError as error:
                click.echo(f"  {error.what}\n  {click.style(error.repair, fg='cyan')}", err=True)
                if self._settled():
                    return True

    def _choose(self) -> str:
        words = [*self.acts, LATER]
        question = f"{', '.join(words[:-1])} or {LATER} [{LATER}]: "
        while True:
            said = ask(question, self._settled)
            if not said:
                return LATER
            found = [word for word in words if word.startswith(said.lower())]
            if len(found) == 1:
                return found[0]
            click.echo(f"  one of: {', '.join(words)}; the first letter is enough", err=True)

    def _settled(self) -> bool:
        fresh = view.reload(self.office, self.row)
        open_ = view.waiting_gate(self.office, fresh)
        return fresh.running or open_ is None or open_.id != self.gate.id

    def view(self) -> GateView:
        return gate_view(self.office, self.row, self.gate, now())

    def approve(self) -> bool:
        control.approve(self.office, self.row, TERMINAL, now())
        return True

    def resume(self) -> bool:
        orders.resume(self.office, self.row, TERMINAL, now())
        return True

    def reject(self) -> bool:
        said = said_in_editor(self.office, self.row, self._line)
        if not said:
            click.echo("  nothing was said, so nothing is rejected", err=True)
            return False
        control.reject(self.office, self.row, said, TERMINAL, now())
        return True

    def _line(self) -> str:
        return ask("what should be different? ", self._settled) or ""

    def edit(self) -> bool:
        edit_stage(self.office, self.row, "", self._files)
        self.row = view.reload(self.office, self.row)
        return False

    def _files(self) -> None:
        ask("  change the files there, then press Enter ", self._settled)

    def diff(self) -> bool:
        page(_coloured(gate_diff(self.office, self.view())))
        return False

    def prompt(self) -> bool:
        number = self.row.feature.id
        role = self.stage.author
        if not role:
            raise UsageError("no agent was asked in this stage", f"sparing show {number}")
        stage = self.stage.name
        wanted = Wanted(role, number, stage, None, None, None, None)
        page(prompt_text(page_of(self.office, self.row, wanted)[0]))
        return False


def said_in_editor(office: Office, row: FeatureRow, line: Callable[[], str]) -> str:
    """Comments on the stage's document; one line where a stage has none."""
    given = draft(office, row)
    if given is None:
        return line()
    again = f'sparing reject {row.feature.id} "what should be different"'
    file = draft_file(office, row, f"reject-{given.name.filename}")
    filled = write_in_editor(file, sheet(given.name.filename, given.text), again)
    said = feedback(given.name.filename, read_sheet(filled, given.text))
    file.unlink(missing_ok=True)
    return said


def edit_stage(office: Office, row: FeatureRow, name: str, files: Callable[[], None]) -> None:
    """A person's own version of a document, or of the code where a stage has none."""
    again = f"sparing edit {row.feature.id}"
    given = draft(office, row, name)
    if given is None:
        click.echo(f"  {office.folder.worktree(row.feature.name)}", err=True)
        files()
        taken = take_files(office, row, TERMINAL, now())
    else:
        file = draft_file(office, row, given.name.filename)
        text = write_in_editor(file, given.text, again)
        if not text.strip():
            file.unlink()
        taken = take_text(office, row, given, text, TERMINAL, now())
        file.unlink(missing_ok=True)
    for warning in taken.warnings:
        click.echo(f"  note: {warning}", err=True)
    done = f"your version is commit {taken.commit[:10]}" if taken.commit else "nothing was changed"
    click.echo(f"  {done}", err=True)


def show(found: GateView, row: FeatureRow) -> None:
    head = click.style(f"{found.id} {found.stage}", bold=True)
    click.echo(f"\n{head} waits for you: {row.feature.title}", err=True)
    for line in found.lines:
        click.echo(_wrapped(line, "  "), err=True)
    for said in found.answers:
        click.echo(_wrapped(f"comment {said}", "  » "), err=True)
    for role, finding in found.findings[:MOST_FINDINGS]:
        where = printable(" ".join(finding.location.split()))
        mark = click.style(finding.severity, fg=COLOURS[finding.severity])
        click.echo(f"  - {mark} {click.style(f'({role})', dim=True)} {where}", err=True)
        click.echo(_wrapped(finding.text, "    "), err=True)
    more = len(found.findings) - MOST_FINDINGS
    if more > 0:
        click.echo(f"  … {more} more: sparing show {found.id}", err=True)
    click.echo(f"  approved, it goes on with {next_stage(row, found.stage)}", err=True)


def page(text: str) -> None:
    if not text.strip():
        click.echo("  nothing differs", err=True)
        return
    click.echo_via_pager(text)


def _coloured(text: str) -> str:
    colours = {"+": "green", "-": "red", "@": "cyan"}
    lines = (
        click.style(line, fg=colours[line[0]]) if line[:1] in colours else line
        for line in map(printable, text.splitlines())
    )
    return "\n".join(lines) + "\n" if text else ""


def _wrapped(text: str, before: str) -> str:
    line = printable(" ".join(text.split()))
    after = " " * len(before)
    return textwrap.fill(
        line, WIDTH, initial_indent=before, subsequent_indent=after, break_on_hyphens=False
    )
