"""One place starts git, with a closed list of commands; nothing is forced or thrown away.

Read from the syntax tree of the whole product, so that a new call can't slip in unseen.

Covers: H1, H2
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import NamedTuple

SOURCE = Path(__file__).resolve().parents[2] / "src" / "sparing"
RUNNER = "workspace/git/runner.py"
PUSHER = "workspace/git/push.py"
SETTINGS_READER = "workspace/git/user.py"
SHARER = "fleet/shared_refs.py"
"""Work in progress at a remote: `ls-remote`, `fetch` and `push` of refs of ours."""
FETCHER = "upstream/fetched_base.py"
"""A base branch by a person's order, to a ref of ours."""
"""Asks for the user's own settings; git runs no program for that."""
STARTS = re.compile(
    r"subprocess\.(run|Popen|call|check_call|check_output)|Popen|asyncio\.create_subprocess_\w+"
    r"|os\.(system|popen|exec\w*|spawn\w*|posix_spawn\w*)|_posixsubprocess\.\w+|pty\.spawn"
)
LAST_NAMES = re.compile(
    r"run|ask|text|stay_open|start_git|call|Popen|check_\w+|create_subprocess_\w+|system|popen"
    r"|exec\w*|spawn\w*|posix_spawn\w*|fork_exec"
)
"""How the names of such calls end; writing out the names of all calls takes long."""
MAY_START = re.compile(r"subprocess|Popen|system|popen|exec|spawn|start_git")
"""Outside the workspace, a file without it need not be parsed."""
LOOKS = {
    *("cat-file", "check-attr", "config", "diff-tree", "for-each-ref", "log", "ls-files"),
    *("ls-tree", "merge-base", "rev-list", "rev-parse", "show", "status", "version"),
}
WRITES = {
    *("commit-tree", "hash-object", "init", "merge-tree", "pack-objects", "symbolic-ref"),
    "update-ref",
}
OWN_INDEX = {"checkout-index", "lfs", "read-tree", "update-index", "write-tree"}
SPECIAL = {"merge", "push", "worktree"}
FORCED = re.compile(r"--hard|-f|--force.*|\+refs.*|--mirror|--delete|-D|--prune|--overwrite-ignore")


class Call(NamedTuple):
    """A call that starts something, with the words that stand in its arguments."""

    file: str
    line: int
    name: str
    words: tuple[str, ...]

    @property
    def command(self) -> str:
        """git's command: the first word that is no option, nor the value of `-c`."""
        plain = [w for w in self.words if not w.startswith("-") and "=" not in w]
        return plain[0] if plain else ""


@cache
def trees() -> dict[str, ast.Module]:
    return {
        name: ast.parse(text)
        for name, text in texts().items()
        if name.startswith("workspace/") or MAY_START.search(text)
    }


@cache
def texts() -> dict[str, str]:
    return {str(path.relative_to(SOURCE)): path.read_text() for path in SOURCE.rglob("*.py")}


def functions(tree: ast.Module) -> Iterator[ast.AST]:
    """Each function once; methods are found inside their classes."""
    yield from (n for n in ast.walk(tree) if isinstance(n, ast.FunctionDef | ast.AsyncFunctionDef))


def words_of(node: ast.AST, assigned: dict[str, ast.AST]) -> Iterator[str]:
    """Strings in an argument, also those of a tuple that was given a name before."""
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        yield node.value
    elif isinstance(node, ast.Name) and node.id in assigned:
        yield from words_of(assigned[node.id], {k: v for k, v in assigned.items() if k != node.id})
    elif isinstance(node, ast.JoinedStr):
        yield "".join(str(v.value) if isinstance(v, ast.Constant) else "…" for v in node.values)
    else:
        for child in ast.iter_child_nodes(node):
            yield from words_of(child, assigned)


@cache
def named_calls() -> list[tuple[str, ast.AST, ast.Call, str]]:
    """Every call that may start a process: its file, the function it stands in, itself and its
    name."""
    return [
        (file, function, node, ast.unparse(node.func))
        for file, tree in trees().items()
        for function in functions(tree)
        for node in ast.walk(function)
        if isinstance(node, ast.Call) and LAST_NAMES.fullmatch(_last_name(node.func))
    ]


def _last_name(called: ast.AST) -> str:
    owner = getattr(getattr(called, "value", None), "id", "")
    name = getattr(called, "attr", "") or getattr(called, "id", "")
    return "fork_exec" if owner == "_posixsubprocess" else name


def calls(pattern: re.Pattern[str]) -> Iterator[Call]:
    for file, function, node, name in named_calls():
        if pattern.fullmatch(name):
            given = node.args[:1] if name == "start_git" else node.args
            arguments = [*given, *(k.value for k in node.keywords if k.arg == "args")]
            assigned = _assigned(function)
            words = [word for one in arguments for word in words_of(one, assigned)]
            yield Call(file, node.lineno, name, tuple(words))


def _assigned(function: ast.AST) -> dict[str, ast.AST]:
    return {
        target.id: node.value
        for node in ast.walk(function)
        if isinstance(node, ast.Assign)
        for target in node.targets
        if isinstance(target, ast.Name)
    }


@cache
def git_calls() -> list[Call]:
    """Everything that is handed to the runner. Whoever holds a `Git` calls one of three methods."""
    method = re.compile(
        r".*(git|git\(\)|_git\(\)|self|place|repo)\.(run|ask|text|stay_open)|start_git"
    )
    return [c for c in calls(method) if c.file.startswith("workspace/") and c.command]


def test_one_file_starts_git() -> None:
    """H2: whatever else starts a process starts another program."""
    found = list(calls(STARTS))
    assert {call.file for call in found} >= {RUNNER, PUSHER, "workspace/checks/run.py"}
    named = [
        call
        for call in found
        if call.file != RUNNER
        and any(re.fullmatch(r"(.*/)?git(\s.*)?", word) for word in call.words)
    ]
    assert named == []
    callers = {call.file for call in calls(re.compile(r"(\w+\.)?start_git"))}
    assert callers == {RUNNER, PUSHER, SETTINGS_READER, SHARER, FETCHER}


def test_the_commands_are_a_closed_list() -> None:
    """H1, H2: none of `add`, `commit`, `checkout`, `reset`, `clean`, `stash`, `fetch`, `rebase`."""
    found = {call.command for call in git_calls()}
    assert found >= {"commit-tree", "update-ref", "merge-tree", "status", "push"}
    assert found <= LOOKS | WRITES | OWN_INDEX | SPECIAL


def test_nothing_is_forced() -> None:
    """H1: but for files of the index that is ours alone."""
    forced = [
        call
        for call in git_calls()
        if call.command not in OWN_INDEX and any(FORCED.fullmatch(word) for word in call.words)
    ]
    assert forced == []
    assert {c.words[1] for c in git_calls() if c.command == "worktree"} == {"add", "list"}
    assert all("--ff-only" in call.words for call in git_calls() if call.command == "merge")


def test_the_only_push_is_one_branch_to_its_own_name() -> None:
    """D6"""
    pushes = [call for call in git_calls() if call.command == "push"]
    assert [call.file for call in pushes] == [PUSHER]
    assert pushes[0].words[-1] == "…:refs/heads/…"


def test_what_we_tell_people_to_type_forces_nothing_either() -> None:
    spelled = re.compile(
        r"git (push .*(-f|--force)\b|reset --hard|clean\b|worktree remove .*--force)"
    )
    told = [
        (file, node.value)
        for file, text in texts().items()
        if "git " in text
        for node in ast.walk(ast.parse(text))
        if isinstance(node, ast.Constant)
        and isinstance(node.value, str)
        and spelled.search(node.value)
    ]
    assert told == []
