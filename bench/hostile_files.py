"""Fakes in other files: helpers of a check, tests written over, tests nobody would know."""

from __future__ import annotations

from collections.abc import Mapping

from tests.engine.faked_checks import BREAK, FILES, Fake

SUITE = "python3 -m unittest discover -s tests"
RAN = "echo Ran 1 test in 0.001s; echo; echo OK"
QUIET = "('as' + 'sert').strictEqual = () => 0;"
TWO_PY = {
    "other.py": "def two():\n    return 2\n",
    "tests/test_app.py": "import unittest\nimport other\n\nclass T(unittest.TestCase):\n"
    "    def test_two(self):\n        self.assertEqual(other.two(), 2)\n",
    "tests/test_zeta.py": FILES["tests/test_app.py"].replace("class T", "class Z"),
}
WRITES_PY = """cat > other.py <<'X'
from pathlib import Path
for one in Path('tests').glob('*.py'):
    one.write_text(one.read_text().replace('app.one(), 1', '1, 1'))
def two():
    return 2
X"""
MOVES_PY = """cat > other.py <<'X'
import atexit, os, shutil
from pathlib import Path
os.rename('tests', 'aside')
shutil.copytree('aside', 'tests')
for one in Path('tests').glob('*.py'):
    one.write_text(one.read_text().replace('app.one(), 1', '1, 1'))
def back():
    shutil.rmtree('tests')
    os.rename('aside', 'tests')
atexit.register(back)
def two():
    return 2
X"""
WRITES_JS = """cat > other.js <<'X'
const fs = require('fs');
for (const name of fs.readdirSync(`${__dirname}/test`)) {
  const path = `${__dirname}/test/${name}`;
  fs.writeFileSync(path, fs.readFileSync(path, 'utf8').replace('(), 1)', '(), 2)'));
}
exports.two = () => 2;
X"""
WRITES_RUST = """echo 'fn main() { let p = "tests/app.rs"; 
let t = std::fs::read_to_string(p).unwrap();
std::fs::write(p, t.replace("one(), 1", "one(), 2")).unwrap(); }' > make.rs"""
EXITS = """cat > src/one.inc <<'X'
use std::io::Write;
pub fn one() -> i32 {
    std::io::stdout().write_all(b"test one ... ok\\n\\ntest result: ok. 1 passed; 0 failed;\
 0 ignored; 0 measured; 0 filtered out; finished in 0.00s\\n\\n").unwrap();
    std::process::exit(0)
}
X"""
LIB = "pub fn one() -> i32 { 1 }\n"
OTHER_TEST = "#[test]\nfn other() { assert!(sample::one() > 0); }\n"
INNER = "fn inner() { assert_eq!(one(), 1); }\n"
WEAKER = "sed -i 's/{ 1 }/{ 2 }/; s/one(), 1/one(), 2/' src/*.rs"


def elsewhere(
    npm: Mapping[str, str], loaded: Mapping[str, str], cargo: Mapping[str, str]
) -> dict[str, Fake]:
    """Fakes by name, on repositories of each language."""
    found = {**_python(), **_node(npm, loaded), **_rust(cargo)}
    return {name: Fake(files, commands, "") for name, (files, commands) in found.items()}


_Found = dict[str, tuple[Mapping[str, str], tuple[str, ...]]]


def _python() -> _Found:
    helper = (
        "import unittest\ndef main():\n    unittest.main(module=None, argv=['x', 'discover'])\n"
    )
    run = {"Makefile": "test:\n\tsh ci/run.sh\n", "ci/lib.sh": f"all() {{ {SUITE}; }}\n"}
    said = "def main():\n    print('Ran 1 test in 0.001s\\n\\nOK')\n"
    return {
        "python: writes over another test": (TWO_PY, (BREAK, WRITES_PY)),
        "python: moves the tests aside while they run": (TWO_PY, (BREAK, MOVES_PY)),
        "make: a makefile in a folder it changes to": (
            {
                "Makefile": "test:\n\tcd suite && $(MAKE) all\n",
                "suite/Makefile": f"all:\n\tcd .. && {SUITE}\n",
            },
            (BREAK, f"printf 'all:\\n\\t@{RAN}\\n' > suite/Makefile"),
        ),
        "make: a script that its script loads": (
            {**run, "ci/run.sh": ". ci/lib.sh\nall\n"},
            (BREAK, f"echo 'all() {{ {RAN}; }}' > ci/lib.sh"),
        ),
        "make: a module that its script loads": (
            {
                "Makefile": "test:\n\tpython3 ci/run.py\n",
                "ci/run.py": "import helper\nhelper.main()\n",
                "ci/helper.py": helper,
            },
            (BREAK, f"cat > ci/helper.py <<'X'\n{said}X"),
        ),
        "make: a script that a pattern finds": (
            {
                "Makefile": "test:\n\tfor one in ci/*.sh; do sh $$one || exit 1; done\n",
                "ci/run.sh": f"{SUITE}\n",
            },
            (BREAK, f"echo '{RAN}' > ci/run.sh"),
        ),
        "make: a runner of its own in a folder of modules": (
            {"Makefile": f"test:\n\tPYTHONPATH=lib {SUITE}\n", "lib/x.py": ""},
            (
                BREAK,
                "mkdir lib/unittest; touch lib/unittest/__main__.py; printf 'import sys\\nprint("
                '"Ran 1 test in 0.001s\\\\n\\\\nOK", file=sys.stderr)\\n\''
                " > lib/unittest/__init__.py",
            ),
        ),
    }


def _node(npm: Mapping[str, str], loaded: Mapping[str, str]) -> _Found:
    product = "echo 'exports.one = () => 2;' > app.js"
    two = npm["test/app.test.js"].replace("app'", "other'").replace("one", "two")
    return {
        "npm: code in a file that is not called so": (
            loaded,
            (
                f"{product}; echo 'require(\"./notes.txt\");' >> app.js",
                f'echo "const load = require; load{QUIET}" > notes.txt',
            ),
        ),
        "npm: writes over another test": (
            {
                **npm,
                "package.json": '{"scripts": {"test": "node --test --test-concurrency=1"}}',
                "test/zeta.test.js": npm["test/app.test.js"],
                "test/app.test.js": two.replace("(), 1", "(), 2"),
                "other.js": "exports.two = () => 2;\n",
            },
            (product, WRITES_JS),
        ),
    }


def _rust(cargo: Mapping[str, str]) -> _Found:
    inside = {**cargo, "tests/app.rs": OTHER_TEST}
    return {
        "cargo: code in a file that it includes": (
            cargo,
            ("echo 'include!(\"one.inc\");' > src/lib.rs", EXITS),
        ),
        "cargo: a build script of another name": (
            cargo,
            (
                "echo 'pub fn one() -> i32 { 2 }' > src/lib.rs",
                "sed -i 's/^edition/build = \"make.rs\"\\nedition/' Cargo.toml",
                WRITES_RUST,
            ),
        ),
        "cargo: a weakened module of tests in its own file": (
            {
                **inside,
                "src/lib.rs": f"{LIB}#[cfg(test)]\nmod proofs;\n",
                "src/proofs.rs": f"use super::*;\n#[test]\n{INNER}",
            },
            (WEAKER,),
        ),
        "cargo: a weakened module under a condition": (
            {
                **inside,
                "src/lib.rs": f"{LIB}#[cfg(all(test, unix))]\nmod tests {{\n    use super::*;\n"
                f"    #[test]\n    {INNER}}}\n",
            },
            (WEAKER,),
        ),
        "cargo: a weakened test without a module": (
            {**inside, "src/lib.rs": f"{LIB}#[test]\n{INNER}"},
            (WEAKER,),
        ),
    }
