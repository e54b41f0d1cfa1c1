"""Whether code mentions a test runner, or a way to end or to reach one.

Such code is run again beside a test that must fail: one word too many costs a run of the tests, one
too few a runner that sees nothing.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

_PLAIN = r"\s*([\"'])[\w@/.:-]*\1\s*\)"
"""What is loaded in JavaScript, as one literal without an escape."""
_WORDS = re.compile(
    # A runner, or a way to end one.
    r"(?i:unittest|pytest|node:test|\bjest\b|\bmocha\b|\bvitest\b)"
    r"|Test(?:Case|Result|Program|Loader|Suite|Runner)|\.assert[A-Z]|[\"'](?:node:)?assert"
    r"|\b_exit\b|os\.kill|atexit|process\.(?!env\b)\w|process\[|exitCode|\.Exit\b"
    r"|\bexec[lv]p?e?\b|posix_spawn|os\.(?:fork|spawn)"
    r"|flag\.Lookup|cfg!?\(test\)|(?:macro_rules!|\bas)\s*(?:debug_)?(?:assert|panic)"
    # Python's ways to reach one that is not named.
    r"|sys\.\w*(?:modules|path)|from sys import|\bsys as\b|\bsys\.\w+\s*=(?!=)|\.modules\b"
    r"|[=(\[]\s*sys\s*[\n),\];]|meta_path|_getframe|f_back|\b\w\w_frame\b"
    r"|settrace|setprofile|\bgc\b|\binspect\b|\bpickle\b|\bpydoc\b|\bpkgutil\b|resolve_name"
    r"|\btimeit\b|\b[cC]?[pP]rofile\.run|\b[pb]db\b|\bdoctest\b|get_type_hints|ForwardRef|codeop"
    r"|InteractiveInterpreter|InteractiveConsole|dictConfig"
    r"|__import__|import_module|\bimportlib\b|\brunpy\b|zipimport|\bbuiltins|__builtins__"
    r"|__subclasses__|__mro__|__bases__|__globals__|__code__|__dict__|\bvars\(|\bglobals\("
    r"|__self__|__loader__|__spec__|__closure__|cell_contents"
    r"|\bctypes\b|\bmarshal\b|\b[gs]etattr\b|__[gs]etattr|__getattribute__|attrgetter|methodcaller"
    r"|\bexec\b|\beval\b|(?<!re\.)\bcompile\("
    # JavaScript's.
    r"|globalThis|\bglobal[.\[]|[pP]rototype|Reflect\b"
    r"|\bFunction\(|definePropert|\bModule\b|\bvm\b|[=(,]\s*process\b(?!\.env\b)|\.constructor\b"
    r"|__proto__|createRequire|\bexpect\b(?=\s*[.(\[;,)])|\bchai\b"
    r"|[\"'](?:node:)?(?:module|inspector|repl|process)[\"'/]"
    r"|\b(?:Object|Array|Error|JSON|Math|Number|String|Promise|Symbol|Map|Set|console)\.\w+\s*=(?!=)"
)
_LOADS = re.compile(
    rf"require\.|\brequire\s*\((?!{_PLAIN})|[=(,\[{{]\s*require\s*[\n,;)\]}}]"
    r"|\bfrom\s*[\"'][^\"'\n]*\\"
)
_IMPORTS = re.compile(rf"\bimport\((?!{_PLAIN})")
_NAMED = re.compile(
    r"\b(?:const|let|var)\s+(\w+)\s*=\s*require\s*\(|\bimport\s+(?:\*\s*as\s+)?(\w+)\s+from\b"
)
_BENT_AT_ONCE = re.compile(r"require\s*\([^)\n]*\)\s*(?:\.\w+|\[[^\]\n]*\])+\s*=(?![=>])")
_ENDS = re.compile(
    r"\bprocess::\s*(?:exit|abort|\*|\{[^}]*\b(?:exit|abort))|\bprocess as\b"
    r"|extern\s+\"C|link_section|no_mangle|export_name|\basm!|\blibc::"
)
_PROGRAMS = re.compile(r"(^|/)(main\.rs|build\.rs|bin/.*|examples/.*)$")


def reaches_runner(code: str) -> bool:
    patterns = (_WORDS, _LOADS, _IMPORTS, _BENT_AT_ONCE, _ENDS)
    return any(one.search(code) for one in patterns) or _bends_imported(code)


def can_end_runner(path: str, before: str, now: str) -> bool:
    """Whether a Rust library can now end the process its tests run in: what they then say is its
    own, and no other test shows it."""
    is_library = path.endswith(".rs") and not _PROGRAMS.search(path)
    return is_library and _ENDS.search(now) is not None and _ENDS.search(before) is None


def _bends_imported(code: str) -> bool:
    """Whether it assigns to parts of what it imports: its runner may use the same."""
    names = {one for match in _NAMED.finditer(code) for one in match.groups() if one}
    written = "|".join(map(re.escape, sorted(names)))
    if names and re.search(rf"\b(?:{written})(?:\.\w+|\[[^\]\n]*\])+\s*=(?![=>])", code):
        return True
    try:
        tree = ast.parse(code)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return False
    foreign = set(_imported(tree))
    return any(_root(one) in foreign for one in ast.walk(tree) if _is_stored(one))


def _imported(tree: ast.AST) -> Iterator[str]:
    """Names of what is imported, and of what is taken from it."""
    found: set[str] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Import | ast.ImportFrom):
            found |= {(one.asname or one.name).partition(".")[0] for one in node.names}
    for node in ast.walk(tree):
        if isinstance(node, ast.Assign) and _root(node.value) in found:
            found |= {one.id for one in node.targets if isinstance(one, ast.Name)}
    yield from found


def _is_stored(node: ast.AST) -> bool:
    return isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store | ast.Del)


def _root(node: ast.AST) -> str:
    while isinstance(node, ast.Attribute | ast.Subscript):
        node = node.value
    return node.id if isinstance(node, ast.Name) else ""
