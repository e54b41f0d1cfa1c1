"""What import layers can't say about the shape of the package, checked on its syntax trees.

`make lint` runs it. Each rule is a function from the parsed package to complaints; a complaint
names the place and what to do. Reads files, imports nothing of the package.
"""

from __future__ import annotations

import ast
import sys
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parent.parent
PACKAGE = "sparing"

ROOM_LINES = {
    **dict.fromkeys(
        (
            "runtime",
            "provision",
            "stages",
            "briefing",
            "dispatch",
            "payment",
            "commits",
            "caching",
            "implement",
            "finish",
            "eval",
            "audit",
        ),
        2_500,
    ),
    "engine": 1_800,
}
"""The most lines that a room may have, where it was planned with a limit."""
FOLDER_FILES = 25
FILE_LINES = 300
FUNCTION_LINES = 50
UNTYPED = "dict[str, Any]"
UNTYPED_ALLOWED = ("engine.steps", "records")
"""Modules, or packages with all below them, whose functions take and return plain JSON."""
ENGINE_DOOR = "cli.run.engine_ownership"
"""The module of the doors that imports the engine, when a command runs it."""
POSITIONAL = 6
"""The most values that a record of ours is built from without naming them."""
ONE_CALLER = {"ledger.begin": "payment.paid_call", "backend.run": "payment.paid_call"}
"""Calls that spend or promise money, and the one module that makes each."""


class Module(NamedTuple):
    name: str
    """Without the package: `stages.moves`."""
    tree: ast.Module
    lines: int

    @property
    def room(self) -> str:
        """The first part of the name; a noun at the root is a room of its own."""
        return self.name.partition(".")[0]


Package = Mapping[str, Module]


def read(root: Path) -> Package:
    """All modules below `root`, the folder of the package, by name."""
    found: dict[str, Module] = {}
    for path in sorted(root.rglob("*.py")):
        text = path.read_text("utf-8")
        parts = path.relative_to(root).with_suffix("").parts
        name = ".".join(parts).removesuffix(".__init__")
        found[name] = Module(name, ast.parse(text), text.count("\n"))
    return found


def rooms_stay_small(package: Package) -> Iterator[str]:
    lines: Counter[str] = Counter()
    files: Counter[str] = Counter()
    for module in package.values():
        lines[module.room] += module.lines
        if "." in module.name:
            files[module.name.rpartition(".")[0]] += 1
    for room, most in ROOM_LINES.items():
        if lines[room] > most:
            yield f"{room} has {lines[room]} lines, more than {most}: part of it is another room"
    for folder, count in files.items():
        if count > FOLDER_FILES:
            yield f"{folder} has {count} files, more than {FOLDER_FILES}: make folders in it"


def class_names_are_unique(package: Package) -> Iterator[str]:
    """A class that another room imports shares its name with no other class."""
    defined: defaultdict[str, list[str]] = defaultdict(list)
    shared: set[tuple[str, str]] = set()
    for module in package.values():
        for node in module.tree.body:
            if isinstance(node, ast.ClassDef):
                defined[node.name].append(module.name)
        for source, name in (*_imported(module), *_through_modules(module)):
            if source in package and package[source].room != module.room:
                shared.add((source, name))
    for name, places in sorted(defined.items()):
        if len(places) > 1 and any((place, name) in shared for place in places):
            yield f"class {name} means several things: {', '.join(places)}"


def _imported(module: Module) -> Iterator[tuple[str, str]]:
    for node in ast.walk(module.tree):
        if isinstance(node, ast.ImportFrom) and node.module and not node.level:
            for alias in node.names:
                yield node.module.removeprefix(f"{PACKAGE}."), alias.name
        elif isinstance(node, ast.Import):
            for alias in node.names:
                yield alias.name.removeprefix(f"{PACKAGE}."), ""


def _through_modules(module: Module) -> Iterator[tuple[str, str]]:
    """Names reached through a module that was imported: `loop.Look` is `review.loop`'s."""
    modules = {
        alias.asname or alias.name: f"{node.module}.{alias.name}".removeprefix(f"{PACKAGE}.")
        for node in ast.walk(module.tree)
        if isinstance(node, ast.ImportFrom) and node.module and not node.level
        for alias in node.names
    }
    for node in ast.walk(module.tree):
        match node:
            case ast.Attribute(value=ast.Name(id=name), attr=attr) if name in modules:
                yield modules[name], attr
            case _:
                pass


def signatures_are_typed(package: Package) -> Iterator[str]:
    for module in package.values():
        if any(f"{module.name}.".startswith(f"{one}.") for one in UNTYPED_ALLOWED):
            continue
        for node in ast.walk(module.tree):
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and _is_untyped(node):
                yield f"{module.name}.{node.name} passes {UNTYPED}: give the value a type"


def _is_untyped(function: ast.FunctionDef | ast.AsyncFunctionDef) -> bool:
    arguments = function.args
    listed = (
        *(*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs),
        *(one for one in (arguments.vararg, arguments.kwarg) if one is not None),
    )
    hints = [*(one.annotation for one in listed), function.returns]
    return any(hint is not None and UNTYPED in ast.unparse(hint) for hint in hints)


def doors_import_the_engine_once(package: Package) -> Iterator[str]:
    for module in package.values():
        if module.room in ("cli", "web") and module.name != ENGINE_DOOR:
            for source, name in _imported(module):
                if f"{source}.{name}.".startswith("engine."):
                    yield f"{module.name} imports the engine: only {ENGINE_DOOR} does"


def records_are_built_by_keyword(package: Package) -> Iterator[str]:
    """A dataclass or a named tuple with many values: which is which stands at the call."""
    records = {
        node.name
        for module in package.values()
        for node in ast.walk(module.tree)
        if isinstance(node, ast.ClassDef) and _is_record(node)
    }
    for module in package.values():
        for node in ast.walk(module.tree):
            if not (isinstance(node, ast.Call) and isinstance(node.func, ast.Name)):
                continue
            unpacked = any(isinstance(one, ast.Starred) for one in node.args)
            if node.func.id in records and len(node.args) > POSITIONAL and not unpacked:
                what = f"{node.func.id} from {len(node.args)} values"
                yield f"{module.name}:{node.lineno} builds {what} by position: name them"


def _is_record(node: ast.ClassDef) -> bool:
    marks = [*node.bases, *node.decorator_list]
    return any(_last_name(one) in ("NamedTuple", "dataclass", "lazy_dataclass") for one in marks)


def money_has_one_caller(package: Package) -> Iterator[str]:
    for call, allowed in ONE_CALLER.items():
        for module in package.values():
            if module.name == allowed:
                continue
            if call in set(_calls(module.tree)):
                yield f"{module.name} calls {call}: only {allowed} does"
            if any(f".{source}.{name}".endswith(f".{call}") for source, name in _imported(module)):
                yield f"{module.name} imports {call} by name: call it where others can see it"


def _calls(tree: ast.Module) -> Iterator[str]:
    """Method calls by the last two names: `around.backend(row).run(…)` is `backend.run`, also where
    the module or the object goes by another name in between."""
    others = dict(_other_names(tree))
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
            of = _last_name(node.func.value)
            yield f"{others.get(of, of)}.{node.func.attr}"


def _other_names(tree: ast.Module) -> Iterator[tuple[str, str]]:
    """Names given to an import, to a value, or to an argument that is a `Backend`."""
    for node in ast.walk(tree):
        match node:
            case ast.alias(name=name, asname=str(other)):
                yield other, name.rpartition(".")[2]
            case ast.Assign(targets=[ast.Name(id=other)], value=ast.Call() | ast.Attribute()):
                yield other, _last_name(node.value)
            case ast.arg(arg=other, annotation=ast.Name(id=kind)):
                yield other, kind.lower()
            case _:
                pass


def _last_name(node: ast.expr) -> str:
    match node:
        case ast.Call(func=inner):
            return _last_name(inner)
        case ast.Name(id=name) | ast.Attribute(attr=name):
            return name.lstrip("_")
        case _:
            return ""


RULES = (
    rooms_stay_small,
    class_names_are_unique,
    signatures_are_typed,
    doors_import_the_engine_once,
    records_are_built_by_keyword,
    money_has_one_caller,
)


def files_and_functions_stay_small(root: Path) -> Iterator[str]:
    """All Python of the project, with its tests and benchmarks."""
    for folder in ("src", "tests", "bench", "scripts"):
        for path in sorted((root / folder).rglob("*.py")):
            text, name = path.read_text("utf-8"), path.relative_to(root)
            if (lines := text.count("\n")) > FILE_LINES:
                yield f"{name} has {lines} lines, more than {FILE_LINES}: split it"
            if lines > FUNCTION_LINES:
                yield from (f"{name}: {one}" for one in _long_functions(ast.parse(text)))


def _long_functions(tree: ast.Module) -> Iterator[str]:
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            lines = (node.end_lineno or node.lineno) - node.lineno + 1
            if lines > FUNCTION_LINES:
                yield f"{node.name} has {lines} lines, more than {FUNCTION_LINES}: split it"


def main() -> int:
    package = read(ROOT / "src" / PACKAGE)
    found = [complaint for rule in RULES for complaint in rule(package)]
    found += files_and_functions_stay_small(ROOT)
    for complaint in found:
        print(complaint)
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
