"""Where a fault can be put, and how the source reads with it.

A mutant is one changed expression or statement of one function. Words that people read,
annotations and patterns are left alone: changing them is either no fault or no program.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from copy import copy
from pathlib import Path
from typing import NamedTuple, cast

_COMPARED: dict[type[ast.cmpop], type[ast.cmpop]] = {
    ast.Lt: ast.LtE, ast.LtE: ast.Lt, ast.Gt: ast.GtE, ast.GtE: ast.Gt, ast.Eq: ast.NotEq,
    ast.NotEq: ast.Eq, ast.In: ast.NotIn, ast.NotIn: ast.In, ast.Is: ast.IsNot, ast.IsNot: ast.Is,
}  # fmt: skip
_COMPUTED: dict[type[ast.operator], type[ast.operator]] = {
    ast.Add: ast.Sub, ast.Sub: ast.Add, ast.Mult: ast.Div, ast.Div: ast.Mult,
    ast.FloorDiv: ast.Mult, ast.Mod: ast.Mult, ast.BitAnd: ast.BitOr,
}  # fmt: skip
_LEFT_ALONE = (ast.JoinedStr, ast.Raise, ast.Assert, ast.pattern, ast.Import, ast.ImportFrom)


class Mutant(NamedTuple):
    file: str
    """Relative to the root of the repository."""
    function: str
    """Its qualified name; empty at the level of the module."""
    first_line: int
    """Of the function, as its code object says it."""
    line: int
    begin: int
    """Offsets in the file's bytes."""
    end: int
    before: str
    after: str

    @property
    def id(self) -> str:
        return f"{self.file}:{self.function}:{self.before} -> {self.after}"

    @property
    def room(self) -> str:
        return Path(self.file).parts[2]

    def applied(self, source: bytes) -> bytes:
        return source[: self.begin] + self.after.encode() + source[self.end :]


class _Scope(NamedTuple):
    function: str = ""
    first_line: int = 0


class _Change(NamedTuple):
    node: ast.expr | ast.stmt
    text: str


def mutants_of(root: Path, file: Path) -> list[Mutant]:
    source = file.read_bytes()
    starts = [0]
    for line in source.splitlines(keepends=True):
        starts.append(starts[-1] + len(line))
    found: list[Mutant] = []
    for scope, (node, text) in _walk(ast.parse(source), _Scope()):
        if _joins_paths(node, source):
            continue
        begin = starts[node.lineno - 1] + node.col_offset
        end = starts[(node.end_lineno or 0) - 1] + (node.end_col_offset or 0)
        before = source[begin:end].decode()
        name = file.relative_to(root).as_posix()
        found.append(Mutant(name, *scope, node.lineno, begin, end, before, text))
    return found


def _walk(node: ast.AST, scope: _Scope) -> Iterator[tuple[_Scope, _Change]]:
    if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
        name = f"{scope.function}.{node.name}".lstrip(".")
        first = min([node.lineno, *(one.lineno for one in node.decorator_list)])
        is_class = isinstance(node, ast.ClassDef)
        scope = _Scope(name, scope.first_line if is_class else first)
    for change in _changes(node):
        yield scope, change
    for child in _children(node):
        yield from _walk(child, scope)


def _children(node: ast.AST) -> Iterator[ast.AST]:
    for name, value in ast.iter_fields(node):
        if name in ("annotation", "returns", "decorator_list", "bases", "type_params"):
            continue
        children = cast("list[object]", value) if isinstance(value, list) else [value]
        for child in children:
            if isinstance(child, ast.AST) and not isinstance(child, _LEFT_ALONE):
                yield child


def _changes(node: ast.AST) -> Iterator[_Change]:
    if isinstance(node, ast.expr):
        yield from _of_expression(node)
    elif isinstance(node, ast.stmt):
        yield from _of_statement(node)
    if isinstance(node, (ast.If, ast.IfExp)):
        yield _Change(node.test, f"(not ({ast.unparse(node.test)}))")
    elif isinstance(node, ast.comprehension) and node.ifs:
        yield _Change(node.ifs[0], "True")


def _of_expression(node: ast.expr) -> Iterator[_Change]:
    match node:
        case ast.Compare(ops=[op]) if type(op) in _COMPARED:
            yield _with(node, ops=[_COMPARED[type(op)]()])
        case ast.BoolOp(op=op):
            yield _with(node, op=ast.Or() if isinstance(op, ast.And) else ast.And())
        case ast.UnaryOp(op=ast.Not(), operand=operand):
            yield _Change(node, f"({ast.unparse(operand)})")
        case ast.BinOp(op=op) if type(op) in _COMPUTED and not _is_text(node):
            yield _with(node, op=_COMPUTED[type(op)]())
        case ast.Constant(value=bool(value)):
            yield _Change(node, str(not value))
        case ast.Constant(value=int(value) | float(value)):
            yield _Change(node, repr(value + 1))
        case _:
            pass


def _of_statement(node: ast.stmt) -> Iterator[_Change]:
    match node:
        case ast.Return(value=ast.expr() as value) if not _is_nothing(value):
            yield _Change(node, "return None")
        case ast.Expr(value=ast.Call() | ast.Await(value=ast.Call())):
            yield _Change(node, "pass")
        case ast.Continue():
            yield _Change(node, "break")
        case ast.Break():
            yield _Change(node, "continue")
        case _:
            pass


def _with(node: ast.expr, **fields: object) -> _Change:
    changed = copy(node)
    for name, value in fields.items():
        setattr(changed, name, value)
    return _Change(node, f"({ast.unparse(changed)})")


def _is_text(node: ast.BinOp) -> bool:
    """Adding texts: the other way round is a plain type error, which shows nothing."""
    parts = (node.left, node.right)
    return any(
        isinstance(one, ast.JoinedStr)
        or (isinstance(one, ast.Constant) and isinstance(one.value, (str, bytes)))
        for one in parts
    )


def _joins_paths(node: ast.AST, source: bytes) -> bool:
    """A division where files are handled is none."""
    return isinstance(node, ast.BinOp) and isinstance(node.op, ast.Div) and b"Path" in source


def _is_nothing(value: ast.expr) -> bool:
    return isinstance(value, ast.Constant) and value.value is None
