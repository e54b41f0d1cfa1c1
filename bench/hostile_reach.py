"""Product code that reaches, ends or speaks for its test runner without naming it."""

from __future__ import annotations

from collections.abc import Mapping

from tests.engine.faked_checks import Fake

QUIET = "TextTestResult.addFailure = lambda *_: None"
SAID = "Ran 1 test in 0.001s"
PYTHON = {
    "ends with what a runner says": f"import sys\nprint('{SAID}\\n\\nOK', file=sys.stderr)\n"
    "raise SystemExit(0)\n",
    "becomes a program that says it": "import os\nos.execlp('sh', 'sh', '-c',"
    f" 'echo {SAID} >&2; echo >&2; echo OK >&2')\n",
    "leaves a child to fail": "import os, sys\nif os.fork():\n"
    f"    print('{SAID}\\n\\nOK', file=sys.stderr)\n    quit(0)\n",
    "has no exit code and other last words": "import sys\nclass Said:\n"
    "    def __init__(self, to):\n        self.to = to\n    def write(self, text):\n"
    "        text = 'OK' if text.startswith('FAIL') else '' if '=1' in text else text\n"
    "        self.to.write(text)\n    def flush(self):\n        self.to.flush()\n"
    "sys.stderr = Said(sys.stderr)\nsys.exit = lambda *_: None\n",
    "knows sys under another name": f"import sys as s\ns.modules['unit' + 'test'].{QUIET}\n",
    "asks pydoc": f"import pydoc\npydoc.locate('unit' + 'test').{QUIET}\n",
    "has timeit run a text": "import timeit\ntimeit.timeit('import uni' + 'ttest; uni' +"
    f" 'ttest.{QUIET}', number=1)\n",
    "knows exec under another name": "list(map(exec, ['import uni' + 'ttest; uni' +"
    f" 'ttest.{QUIET}']))\n",
    "names it in wide letters": "from \uff55nittest import T\uff45stCase as T\nfor t in [T]:\n"
    "    t.ass\uff45rtEqual = lambda *_: None\n",
    "takes it apart by a pattern": "import warnings\nmatch warnings.sys:\n"
    "    case object(modules=m):\n        t = m['unit' + 'test'].case\nmatch t:\n"
    "    case object(T\uff45stCase=c):\n        c.ass\uff45rtEqual = lambda *_: None\n",
    "bends a part that it has from a list": "import warnings\nfor s in [warnings.sys]:\n"
    "    s.exit = lambda *_: None\n",
    "bends what the runner is made of": "import contextlib\n"
    "contextlib._GeneratorContextManager.__exit__ = lambda *_: True\n",
}
NODE = {
    "a name in two parts": "require('as' + 'sert').strictEqual = () => 0;",
    "require under another name": "const load = require;\n"
    "load('as' + 'sert').strictEqual = () => 0;",
    "a name with an escape": "require('\\x61ssert').strictEqual = () => 0;",
    "the loader's own module": "require('module')._load('as' + 'sert').strictEqual = () => 0;",
    "eval under another name": "const run = eval;\n"
    "run('req' + 'uire')('as' + 'sert').strictEqual = () => 0;",
    "a letter of require as an escape": "r\\u0065quire('as' + 'sert').strictEqual = () => 0;",
    "a part of module by its name": "module['req' + 'uire']('as' + 'sert').strictEqual = () => 0;",
    "what a module is called with": "const load = arguments[1];\n"
    "load('as' + 'sert').strictEqual = () => 0;",
    "exit and the runner's words": "const { exit } = require('node:process');\n"
    "console.log('\\u2714 one (0.5ms)');\nexit(0);",
}
PASSED = (
    '    std::io::stdout().write_all(b"test one ... ok\\n\\ntest result: ok. 1 passed; 0 failed;'
    ' 0 ignored; 0 measured; 0 filtered out; finished in 0.00s\\n\\n").unwrap();\n'
)
RUST = {
    "itself under another name": "use std::io::Write;\nuse std::process::{self as q};\n"
    f"pub fn one() -> i32 {{\n{PASSED}    q::exit(0)\n}}\n",
    "another program in its place": "use std::os::unix::process::CommandExt;\n"
    'pub fn one() -> i32 {\n    let e = std::process::Command::new("echo").arg("test one ... ok'
    "\\n\\ntest result: ok. 1 passed; 0 failed; 0 ignored; 0 measured; 0 filtered out; finished in"
    ' 0.00s").exec();\n    panic!("{}", e)\n}\n',
    "exit under another name": "use std::io::Write;\nuse std::process as p;\n"
    f"pub fn one() -> i32 {{\n{PASSED}    p::exit(0)\n}}\n",
    "the exit of C": 'use std::io::Write;\nextern "C" { fn exit(code: i32) -> !; }\n'
    f"pub fn one() -> i32 {{\n{PASSED}    unsafe {{ exit(0) }}\n}}\n",
}


def reaching(node: Mapping[str, str], cargo: Mapping[str, str]) -> dict[str, Fake]:
    """Fakes by name, on repositories of each language."""
    two = "def one():\n    return 2\n"
    return {
        **{f"python: {one}": _one({}, "app.py", text + two) for one, text in PYTHON.items()},
        **{
            f"npm: {one}": _one(node, "app.js", f"{text}\nexports.one = () => 2;\n")
            for one, text in NODE.items()
        },
        **{f"cargo: {one}": _one(cargo, "src/lib.rs", text) for one, text in RUST.items()},
    }


def _one(files: Mapping[str, str], path: str, text: str) -> Fake:
    return Fake(files, (f"cat > {path} <<'X'\n{text}X",), "")
