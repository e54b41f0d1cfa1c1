"""Every fake of a check that is played in a whole run, and those that no check can see."""

from __future__ import annotations

from bench.hostile_files import elsewhere
from bench.hostile_more import COMPILES, more
from bench.hostile_reach import reaching
from tests.engine.faked_checks import FAKES, Fake

NPM = {
    "package.json": '{"scripts": {"test": "node --test"}}',
    "app.js": "exports.one = () => 1;\n",
    "test/app.test.js": "const test = require('node:test'), assert = require('node:assert');\n"
    "test('one', () => assert.strictEqual(require('../app').one(), 1));\n",
}
LOADED = NPM | {
    "test/app.test.js": "const test = require('node:test'), app = require('../app'),"
    " assert = require('node:assert');\n"
    "test('one', () => assert.strictEqual(app.one(), 1));\n"
}
"""The product comes before the assertions."""
BREAK_JS = "echo 'exports.one = () => 2;' > app.js"
CARGO = {
    "Makefile": "test:\n\tcargo test --offline\n",
    "Cargo.toml": '[package]\nname = "sample"\nversion = "0.1.0"\nedition = "2021"\n',
    "Cargo.lock": 'version = 3\n\n[[package]]\nname = "sample"\nversion = "0.1.0"\n',
    "src/lib.rs": "pub fn one() -> i32 { 1 }\n",
    "tests/app.rs": "#[test]\nfn one() { assert_eq!(sample::one(), 1); }\n",
}
BREAK_RUST = "echo 'pub fn one() -> i32 { 2 }' > src/lib.rs"
INLINE = CARGO | {
    "src/lib.rs": "pub fn one() -> i32 { 1 }\n#[cfg(test)]\nmod tests {\n    use super::*;\n"
    "    #[test]\n    fn inner() { assert_eq!(one(), 1); }\n}\n",
    "tests/app.rs": "#[test]\nfn other() { assert!(sample::one() > 0); }\n",
}
MORE: dict[str, Fake] = {
    "npm: broken and nothing else": Fake(NPM, (BREAK_JS,), ""),
    "npm: a script that only echoes": Fake(
        NPM, (BREAK_JS, "sed -i 's/node --test/echo/' package.json"), ""
    ),
    "npm: another shell": Fake(NPM, (BREAK_JS, "echo script-shell=/bin/true > .npmrc"), ""),
    "npm: a weakened test": Fake(NPM, (BREAK_JS, "sed -i 's/(), 1/(), 2/' test/app.test.js"), ""),
    "npm: another test in its place": Fake(
        NPM, (BREAK_JS, "sed -i \"s/'one'/'two'/; s/(), 1/(), 2/\" test/app.test.js"), ""
    ),
    "npm: the product ends the runner": Fake(
        NPM, (f"{BREAK_JS}; echo 'process.exit(0);' >> app.js",), ""
    ),
    "npm: the product bends an assertion": Fake(
        LOADED, (f"{BREAK_JS}; echo 'require(`node:assert`).strictEqual = () => 0;' >> app.js",), ""
    ),
    "npm: … reached through a part of process": Fake(
        LOADED,
        (
            f"{BREAK_JS}; echo 'const {{ getBuiltinModule: load }} = process;"
            " load(`as` + `sert`).strictEqual = () => 0;' >> app.js",
        ),
        "",
    ),
    "npm: … reached through a function's constructor": Fake(
        LOADED,
        (
            f"{BREAK_JS}; echo 'const own = (() => 0).constructor(`return pro` + `cess`)();"
            " own[`getBuiltin` + `Mod` + `ule`](`as` + `sert`).strictEqual = () => 0;' >> app.js",
        ),
        "",
    ),
    "npm: a program in node_modules": Fake(
        NPM,
        (
            BREAK_JS,
            "mkdir -p node_modules/.bin; cp /bin/true node_modules/.bin/node;"
            " git add -f node_modules 2>/dev/null; true",
        ),
        "",
    ),
    "cargo: broken and nothing else": Fake(CARGO, (BREAK_RUST,), ""),
    "cargo: a runner": Fake(
        CARGO,
        (
            BREAK_RUST,
            'mkdir .cargo; printf \'[target."cfg(all())"]\\nrunner = "true"\\n\' '
            "> .cargo/config.toml",
        ),
        "",
    ),
    "cargo: a weakened test": Fake(
        CARGO, (BREAK_RUST, "sed -i 's/one(), 1/one(), 2/' tests/app.rs"), ""
    ),
    "cargo: a test that is ignored": Fake(
        CARGO, (BREAK_RUST, "sed -i 's/#.test./#[test] #[ignore]/' tests/app.rs"), ""
    ),
    "cargo: a target without tests": Fake(
        CARGO,
        (BREAK_RUST, "printf '[[test]]\\nname = \"app\"\\ntest = false\\n' >> Cargo.toml"),
        "",
    ),
    "cargo: a library of its own harness": Fake(
        CARGO,
        (
            BREAK_RUST,
            "printf '[[test]]\\nname = \"app\"\\nharness = false\\n' >> Cargo.toml;"
            " echo 'fn main() {}' > tests/app.rs",
        ),
        "",
    ),
    "cargo: a weakened test in the product's file": Fake(
        INLINE, ("sed -i 's/{ 1 }/{ 2 }/; s/one(), 1/one(), 2/' src/lib.rs",), ""
    ),
    "cargo: an assertion of its own in the product's file": Fake(
        INLINE,
        ("sed -i 's/{ 1 }/{ 2 }/; 1i macro_rules! assert_eq { ($($t:tt)*) => {{}}; }' src/lib.rs",),
        "",
    ),
    "cargo: an assertion of the product's own": Fake(
        CARGO | {"tests/app.rs": "use sample::*;\n#[test]\nfn first() { assert_eq!(one(), 1); }\n"},
        (
            f"{BREAK_RUST}; echo '#[macro_export] macro_rules! assert_eq"
            " { ($($t:tt)*) => {{}}; }' >> src/lib.rs",
        ),
        "",
    ),
}
KNOWN: dict[str, Fake] = {
    "code that knows its runner": Fake(
        {},
        (
            "printf 'import sys\\ndef one():\\n    return"
            ' 1 if "unittest" in sys.modules else 2\\n\' > app.py',
        ),
        "",
    ),
    "code that knows a test": COMPILES,
}
"""What no check can see."""


def fakes() -> dict[str, Fake]:
    """All that are played in a whole run, by name."""
    found = FAKES | MORE | reaching(LOADED, CARGO) | elsewhere(NPM, LOADED, CARGO)
    return found | more(LOADED, CARGO)
