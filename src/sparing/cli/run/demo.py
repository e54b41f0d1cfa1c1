"""`sparing demo`: the whole workflow on a sample project, with a scripted agent."""

from __future__ import annotations

import os
import shutil
import tempfile
import tomllib
from collections.abc import Generator
from contextlib import ExitStack, contextmanager
from importlib.resources import as_file, files
from pathlib import Path

import click

from sparing import backend_name as names
from sparing.cli.options import json_option, one_of, print_json
from sparing.cli.run.run_loop import DEARER, Mode, is_dearer, run_features
from sparing.cli.screen import echo, show, style
from sparing.desk.features import view
from sparing.desk.features.merge_status import handover_event
from sparing.desk.gates import answers
from sparing.desk.money.closing import closing_figures, closing_of
from sparing.desk.money.spending import spending
from sparing.desk.office import Office, open_office
from sparing.double.agent.repository import module_files
from sparing.errors import ConfigError, UsageError
from sparing.feature import FeatureStatus
from sparing.installation import add_command
from sparing.read_once import each_read_once
from sparing.records.features import FeatureRow
from sparing.report.baseline import WHAT_IT_IS
from sparing.report.spending import Spending
from sparing.workspace.project.new_repository import create_repository

EPOCH = 1_767_225_600.0
"""The counted clock starts on 1 January 2026: equal runs have equal commit ids."""
LIBRARY = "wordtally/library"
SHARED_MEMORY, ROOMY_BYTES = "/dev/shm", 256 << 20
TITLE = "List the most frequent words"
AGAIN = "sparing demo --interactive --keep wordtally-demo"
SIMULATED = {
    names.SCRIPTED: "the agent is scripted and its tokens are counted",
    names.CLAUDE_DOUBLE: "Claude Code works with a stand-in for the model; its requests are billed",
    names.CODEX_DOUBLE: "Codex works with a stand-in for the model; its requests are billed",
    names.API_DOUBLE: "a stand-in for the provider answers; its requests are billed",
    names.GEMINI_DOUBLE: "Gemini CLI works with a stand-in for the model; its requests are billed",
    names.OPENCODE_DOUBLE: "opencode works with a stand-in for the model; its requests are billed",
}
OVERRIDES = {
    "commits.author": "sparing",
    "commits.sign": "never",
    "engine.clock": "counted",
    "workspace.hand_over": "merge",
    "models.strong": "claude-sonnet-5",
}


@click.command("demo")
@click.option(
    "--keep", type=click.Path(path_type=Path), help="Create the sample in this folder and keep it."
)
@click.option("--interactive", is_flag=True, help="Stop at every gate and ask.")
@click.option(
    "--backend",
    type=click.Choice(tuple(SIMULATED)),
    default=names.SCRIPTED,
    metavar="NAME",
    help="What runs the agents: a script, or Claude Code, Codex, Gemini CLI, opencode or a "
    f"provider's API with a stand-in for the model: {', '.join(SIMULATED)}.",
)
@click.option(
    "--tier",
    help="Run a tier instead of the feature flow: L1, L2 or L3.",
    shell_complete=one_of("L1", "L2", "L3"),
)
@json_option
def demo_command(
    keep: Path | None, interactive: bool, backend: str, tier: str | None, as_json: bool
) -> int:
    """See the whole workflow on a sample project: no key, no server.

    A feature of a small sample project goes from idea to merged branch. The agent is scripted and
    nothing leaves this machine; the git commits, the edits and the tests are real. With `--backend
    claude-double` Claude Code does the work for real, and only the model behind it is scripted;
    `codex-double` is Codex, `gemini-double` Gemini CLI, `opencode-double` opencode, and
    `api-double` a provider without any client.
    """
    flow = answers.check_flow(tier or "feature")
    client = _client(backend)
    with _folder(keep, backend) as folder, _script(folder) as script, ExitStack() as kept:
        repository = create_repository(
            folder / "wordtally", _project(), "wordtally, a sample", EPOCH
        )
        flags: dict[str, object] = {"engine.poll_seconds": 0.05}
        if keep is None:
            flags["state.folder"] = str(folder / "state")
        office = open_office(repository.checkout, flags)
        kept.enter_context(office.database.kept())
        own = {**OVERRIDES, "agent.backend": backend, "agent.script": str(script)}
        row = answers.start(office, TITLE, flow, own, EPOCH)
        if not as_json:
            echo(f"a sample project in {repository.checkout}", err=True)
            if client:
                echo(f"{client}, with a stand-in for the model on this machine", err=True)
            echo(f'{style("feature 001", bold=True)} "{TITLE}", flow {flow}', err=True)
        mode = Mode.ASK if interactive else Mode.YES
        code = run_features(office, [row], mode, quiet=as_json, kept=keep is not None, bill=False)
        ended = view.reload(office, row)
        if keep is None and ended.status is not FeatureStatus.COMPLETED and not as_json:
            _gone()
        return _finish(office, ended, keep, code, as_json=as_json)


def _gone() -> None:
    """Say that a sample not kept can't be resumed, right where a command was just suggested."""
    echo(
        "\nthe sample is deleted now, so it can't be continued later\n"
        f"  to leave it and come back: {style(AGAIN, fg='cyan')}",
        err=True,
    )


def _client(backend: str) -> str:
    """The real client that does the work; empty if all of it is scripted."""
    if backend == names.CODEX_DOUBLE:
        from sparing.agents.codex.detection import codex_here
        from sparing.config.process_environment import client_environment

        return codex_here(client_environment()).words
    if backend == names.API_DOUBLE:
        from sparing.agents.api.detection import LIBRARY, library_here

        return f"{LIBRARY} {library_here()}"
    if backend in (names.GEMINI_DOUBLE, names.OPENCODE_DOUBLE):
        from sparing.agents.acp.detection import agent_here
        from sparing.config.process_environment import client_environment

        return agent_here(names.client_name(backend), client_environment()).words
    if backend == names.SCRIPTED:
        return ""
    from sparing.agents.claude.client import find_client

    found = find_client()
    if found is None:
        raise ConfigError("Claude Code is not installed", f"install it: {add_command('claude')}")
    return found.words


@contextmanager
def _folder(keep: Path | None, backend: str) -> Generator[Path]:
    if keep is None:
        chosen = _in_memory() if backend == names.SCRIPTED else None
        with tempfile.TemporaryDirectory(prefix="sparing-demo-", dir=chosen) as folder:
            yield Path(folder)
        return
    if keep.exists() and (not keep.is_dir() or any(keep.iterdir())):
        raise UsageError(f"{keep} already exists", "name a folder that does not exist yet")
    keep.mkdir(parents=True, exist_ok=True)
    yield keep.resolve()


def _in_memory() -> str | None:
    """Shared memory, where nothing waits for a disk; None if it is small or not for programs.

    Also None if the user has chosen a folder for temporary files.
    """
    if tempfile.gettempdir() != "/tmp" or not os.access(SHARED_MEMORY, os.W_OK):
        return None
    found = os.statvfs(SHARED_MEMORY)
    is_usable = not found.f_flag & os.ST_NOEXEC and found.f_bavail * found.f_frsize >= ROOMY_BYTES
    return SHARED_MEMORY if is_usable else None


@contextmanager
def _script(folder: Path) -> Generator[Path]:
    """Put the script next to the project, so that a kept demo can be continued later."""
    target = folder / "script.toml"
    with as_file(files("sparing.cli") / "sample" / "script.toml") as source:
        shutil.copyfile(source, target)
    yield target


def _project() -> dict[str, str]:
    """The files the feature is about, plus a library as large as that of a real project."""
    text = (files("sparing.cli") / "sample" / "project.toml").read_text("utf-8")
    return {**tomllib.loads(text)["files"], **module_files(LIBRARY)}


def _finish(office: Office, row: FeatureRow, keep: Path | None, code: int, *, as_json: bool) -> int:
    with each_read_once():
        return _told(office, row, keep, code, as_json=as_json)


def _told(office: Office, row: FeatureRow, keep: Path | None, code: int, *, as_json: bool) -> int:
    spent = spending(office, row)
    merged = handover_event(office, row).merged
    if as_json:
        print_json(
            feature=row.feature.id, flow=row.feature.flow, status=row.status.value, merged=merged,
            head=row.head, dispatches=sum(r.dispatches for r in spent.rows), origin=spent.origin,
            cost_usd=_number(spent.cost_usd), naive_usd=_number(spent.naive_usd),
            closing=closing_figures(office, row),
            folder=str(keep.resolve()) if keep else None,
        )  # fmt: skip
        return code
    _print_table(spent, closing_of(office, row), SIMULATED[str(row.overrides["agent.backend"])])
    if row.status is FeatureStatus.COMPLETED and merged:
        echo(f"{row.feature.branch} is merged into {row.feature.base_branch}.\n")
    for words, command in _next(office, row, keep):
        echo(f"  {words:<27}{style(command, fg='cyan')}")
    return code


def _print_table(spent: Spending, closing: list[str], simulated: str) -> None:
    from rich.text import Text

    from sparing.report.spending import spending_table

    echo()
    show(spending_table(spent))
    echo()
    for line in closing:
        show(Text(line))
    if is_dearer(spent):
        show(Text(DEARER, "dim"))
    words = f"Simulated: {simulated} with the vendor's published cache rules.\nNaive: {WHAT_IT_IS}."
    show(Text(words, "dim"))
    echo()


def _next(office: Office, row: FeatureRow, keep: Path | None) -> list[tuple[str, str]]:
    if keep is None:
        return [
            ("keep the folder", "sparing demo --keep wordtally-demo"),
            ("decide at every gate", "sparing demo --interactive"),
            ("in your own repository", 'sparing start "Add rate limiting"'),
        ]
    return [
        ("go there", f"cd {office.repository.checkout}"),
        ("what was made and reviewed", f"sparing show {row.feature.id}"),
        ("the commits", "git log --oneline"),
    ]


def _number(value: object) -> float | None:
    return None if value is None else float(str(value))
