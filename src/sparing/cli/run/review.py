"""`sparing review`: run the code reviewers on a branch or pull request not made by a feature."""

from __future__ import annotations

import asyncio
import json
import shlex
import tempfile
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from sparing.cli.clock import now
from sparing.cli.options import json_option, print_json
from sparing.cli.run.eval_consent import agreed
from sparing.cli.run.live_status import LiveStatus, watched
from sparing.cli.screen import echo, show, style
from sparing.config.process_environment import inherited_environment, package_environment
from sparing.config.settings import Sandbox
from sparing.config.sources import sources_here
from sparing.desk.office import Office, open_office
from sparing.errors import UsageError
from sparing.finding import Severity
from sparing.money import dollars, usd_or_none
from sparing.workspace.checks.installed_packages import remove_tree
from sparing.workspace.git.commit import changed_files, read_file
from sparing.workspace.git.repository import is_dirty
from sparing.workspace.project.new_repository import shadow_repository
from sparing.workspace.sandbox.launcher import level_reached
from sparing.workspace.sandbox.policy import settle_level

if TYPE_CHECKING:
    from sparing.audit.audit import Audit, BranchVerdict, CheckedBranch
    from sparing.audit.subject import Subject
    from sparing.report.branch_review import BranchFinding

REVIEWERS = ("implementation-reviewer", "code-quality-reviewer", "security-reviewer")
NEEDS_HUMAN, BUDGET = 2, 3


@dataclass(frozen=True, slots=True)
class ReviewOptions:
    """Options given on the command line."""

    base: str
    pull: int | None
    roles: tuple[str, ...]
    no_checks: bool
    cap: float | None
    sarif: Path | None
    annotations: bool
    yes: bool
    as_json: bool

    @property
    def again(self) -> str:
        """Command for the same review with consent given."""
        said = ["sparing", "review", *(("--base", self.base) if self.base else ())]
        said += ["--pr", str(self.pull)] if self.pull else []
        said += [word for role in self.roles for word in ("--role", role)]
        said += ["--no-checks"] if self.no_checks else []
        return shlex.join((*said, "--yes"))


@click.command("review")
@click.option(
    "--base", default="", help="Branch or commit to compare with. Default: the base branch."
)
@click.option(
    "--pr", "pull", type=click.IntRange(1), help="Review this pull request instead, read with gh."
)
@click.option(
    "--role", "roles", multiple=True, type=click.Choice(REVIEWERS),
    help="Reviewer to use; may be repeated. Default: all three.",
)  # fmt: skip
@click.option("--no-checks", is_flag=True, help="Don't run the repository's checks first.")
@click.option("--cap", type=click.FloatRange(0.01), help="Spend at most this many US dollars.")
@click.option(
    "--sarif", type=click.Path(dir_okay=False, path_type=Path),
    help="Also write the findings to this file, as SARIF 2.1.0.",
)  # fmt: skip
@click.option(
    "--annotations", is_flag=True, help="Print findings as GitHub annotations instead of a table."
)
@click.option("--yes", is_flag=True, help="Accept the forecast without asking.")
@json_option
def review_command(**said: Any) -> int:
    """Review this branch or a pull request with the code reviewers.

    Facts come first: the changed files and the repository's own checks. Then a forecast and, if you
    agree, one review by each reviewer, within the caps. Your repository is only read. Exit code 2
    if there is a blocker, or a check fails that passed on the base.
    """
    from sparing.audit.audit import forecast_usd, run_audit, with_facts

    given = ReviewOptions(**said)
    office, quiet = open_office(Path.cwd()), given.as_json
    subject = _subject(office, given)
    with _opened(office, subject, given.roles or REVIEWERS) as audit:
        if not quiet:
            _show_subject(office, subject)
        facts = None if given.no_checks else _checked(audit, LiveStatus(office, quiet=quiet))
        if facts is not None:
            audit = with_facts(audit, facts)
            _show_checks(facts, quiet=quiet)
        likely = forecast_usd(audit)
        what = f"{len(audit.roles)} reviews by {audit.around.backend(audit.row).name}"
        cap = agreed(what, likely, given.cap, yes=given.yes, quiet=quiet, again=given.again)
        status = LiveStatus(office, quiet=quiet, only=[audit.row.feature.key])
        found = asyncio.run(watched(run_audit(audit, cap, _tell), status))
    return _Ended(office, subject, facts, likely, found).told(given)


def _checked(audit: Audit, status: LiveStatus) -> CheckedBranch:
    from sparing.audit.audit import check

    return asyncio.run(watched(asyncio.to_thread(check, audit), status))


def _subject(office: Office, given: ReviewOptions) -> Subject:
    from sparing.audit.subject import subject_of

    if given.as_json and given.annotations:
        raise UsageError("--json and --annotations can't be combined", "leave one out")
    configured = office.loaded.settings.workspace.base_branch
    return subject_of(
        office.repository, given.base, given.pull, configured, inherited_environment()
    )


@contextmanager
def _opened(office: Office, subject: Subject, roles: tuple[str, ...]) -> Generator[Audit]:
    """In a separate repository beside the worktrees, which is removed afterwards."""
    from sparing.audit.audit import audit_of
    from sparing.runtime.surroundings import Surroundings

    reach = level_reached()
    optional = office.loaded.settings.workspace.sandbox is Sandbox.OPTIONAL
    settle_level(reach, unsandboxed=optional)
    with tempfile.TemporaryDirectory(prefix="sparing-review-") as folder:
        shadow = shadow_repository(office.repository, Path(folder) / "repository", subject.since)
        around = Surroundings(
            office.folder, office.database, shadow, sources_here(office.repository.checkout),
            headless=True, environ=inherited_environment(), packages=package_environment(),
            level=reach.level,
        )  # fmt: skip
        audit = audit_of(around, subject, str(office.repository.checkout), roles, now())
        try:
            yield audit
        finally:
            place = office.folder.worktree(audit.row.feature.name)
            for path in place.parent.glob(f"{place.name}*"):
                remove_tree(path)


def _show_subject(office: Office, subject: Subject) -> None:
    changed = changed_files(office.repository, subject.since, subject.head)
    added, removed = sum(one.added for one in changed), sum(one.removed for one in changed)
    files = "1 file" if len(changed) == 1 else f"{len(changed)} files"
    echo(f"{style(subject.name, bold=True)} against {subject.base} at {subject.since[:10]}")
    echo(f"  changed   {files}, +{added} -{removed}")
    if is_dirty(office.repository):
        echo("note: uncommitted changes are not reviewed", err=True)


def _show_checks(found: CheckedBranch, *, quiet: bool) -> None:
    if quiet:
        return
    new = {one.name for one in found.checked.red}
    words = [
        f"{one.name} {'green' if one.passed else 'red' if one.name in new else 'red as before'}"
        for one in found.checked.results
    ]
    echo(f"  checks    {', '.join(words) or 'none found'}")
    for one in found.changed:
        echo(f"  checks    changed by this branch: {one}")


def _tell(found: BranchVerdict) -> None:
    if found.verdict is None:
        said = f"no verdict: {found.failure}"
    else:
        count = len(found.verdict.findings)
        said = f"{count} finding{'' if count == 1 else 's'}" if count else "no findings"
    echo(style(f"  {found.role}: {said}, {dollars(found.nano_usd)}", dim=True), err=True)


@dataclass(frozen=True, slots=True)
class _Ended:
    """A finished review, and how it is reported."""

    office: Office
    subject: Subject
    facts: CheckedBranch | None
    likely: float | None
    looks: list[BranchVerdict]

    def told(self, given: ReviewOptions) -> int:
        from sparing.report.branch_review import annotation_lines, findings_page

        found = self._findings()
        if given.sarif is not None:
            self._write_sarif(given.sarif, found)
        if given.as_json:
            print_json(**self._dump(found))
        elif given.annotations:
            for line in annotation_lines(found):
                echo(line, fold=False)
        else:
            echo()
            show(findings_page(found))
            echo(f"\ncost {self._cost}")
        return self._code(found)

    def _findings(self) -> list[BranchFinding]:
        from sparing.audit.findings import findings_of

        def read(path: str) -> str | None:
            data = read_file(self.office.repository, self.subject.head, path)
            return None if data is None else data.decode("utf-8", "replace")

        return findings_of(self.looks, read)

    @property
    def _nano(self) -> int | None:
        bills = [one.nano_usd for one in self.looks]
        known = [one for one in bills if one is not None]
        return sum(known) if len(known) == len(bills) else None

    @property
    def _origin(self) -> str:
        return " and ".join(sorted({one.origin for one in self.looks if one.origin}))

    @property
    def _cost(self) -> str:
        said = "" if self.likely is None else f", forecast ${self.likely:.2f} (estimated)"
        return f"{dollars(self._nano)} ({self._origin or 'nothing was sent'}){said}"

    def _write_sarif(self, path: Path, found: list[BranchFinding]) -> None:
        from sparing.report.branch_review import sarif

        changed = changed_files(self.office.repository, self.subject.since, self.subject.head)
        whole = all(one.verdict is not None for one in self.looks)
        text = json.dumps(sarif(found, [one.path for one in changed], whole=whole), indent=2)
        try:
            path.write_text(f"{text}\n", "utf-8")
        except OSError as error:
            what = f"{path} can't be written: {error.strerror}"
            raise UsageError(what, "name another file: --sarif FILE") from error

    def _dump(self, found: list[BranchFinding]) -> dict[str, object]:
        subject, facts = self.subject, self.facts
        new = {one.name for one in facts.checked.red} if facts else set[str]()
        return {
            "subject": {"name": subject.name, "base": subject.base, "since": subject.since,
                        "head": subject.head},
            "checks": None if facts is None else [
                {"name": one.name, "passed": one.passed, "newly_red": one.name in new}
                for one in facts.checked.results
            ],
            "changed_checks": list(facts.changed) if facts else [],
            "reviewers": [
                {"role": one.role, "approved": one.verdict.approved if one.verdict else None,
                 "summary": one.verdict.summary if one.verdict else "", "failure": one.failure,
                 "cost_usd": usd_or_none(one.nano_usd)}
                for one in self.looks
            ],
            "findings": [one.dump() for one in found],
            "forecast_usd": self.likely,
            "cost_usd": usd_or_none(self._nano),
            "origin": self._origin,
        }  # fmt: skip

    def _code(self, found: list[BranchFinding]) -> int:
        red = self.facts is not None and bool(self.facts.checked.red)
        if red or any(one.severity is Severity.BLOCKER for one in found):
            return NEEDS_HUMAN
        if any(one.failure.startswith("budget") for one in self.looks):
            return BUDGET
        return 1 if any(one.verdict is None for one in self.looks) else 0
