"""Code that ends or replaces what runs after it by means of its language; what a set-up leaves."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path

from bench.hostile_files import TWO_PY
from sparing.errors import SparingError
from tests.engine.faked_checks import BREAK, Fake
from tests.provision.left_by_setup import LEFT
from tests.provision.test_left_by_setup import holding, leave

SAID = "print('Ran 1 test in 0.001s\\n\\nOK', file=sys.stderr, flush=True)"
TWO = "def one():\n    return 2\n"
PYTHON = {
    "ends well at its exit": "import atexit, os\natexit.register(lambda: os._exit(0))\n",
    "says so and ends in a thread": "import os, sys, threading, time\ndef end():\n"
    f"    time.sleep(0.01)\n    {SAID}\n    os._exit(0)\n"
    "threading.Thread(target=end, daemon=True).start()\n",
    "ends by an alarm": "import os, signal, sys\ndef end(*_):\n"
    f"    {SAID}\n    os._exit(0)\n"
    "signal.signal(signal.SIGALRM, end)\nsignal.setitimer(signal.ITIMER_REAL, 0.001)\n",
    "looks on as failures are raised": "import sys\ndef look(frame, event, what):\n"
    "    if event == 'exception':\n        import os\n        os._exit(0)\n    return look\n"
    "sys.settrace(look)\n",
    "hears the audit of exec": "import os, sys\ndef hear(event, args):\n"
    "    if event == 'sys._getframe':\n        os._exit(0)\nsys.addaudithook(hear)\n",
    "has another hook for errors": "import os, sys\nsys.excepthook = lambda *_: os._exit(0)\n"
    "sys.unraisablehook = lambda *_: None\nsys.stderr.flush = lambda: os._exit(0)\n",
    "lets its collector end it": "import gc, os\ngc.callbacks.append(lambda *_: os._exit(0))\n"
    "gc.set_threshold(1)\n",
}
NODE = {
    "has another code at its exit": "process.on('exit', () => { process.exitCode = 0; });",
    "ends in the next tick": "setImmediate(() => process.reallyExit(0));",
    "ends as soon as a failure is made": "Error.prepareStackTrace = () => process.reallyExit(0);",
    "makes every promise well": "Promise.prototype.then = function () { return this; };",
    "hears of failures first": "process.on('uncaughtException', () => {});"
    " process.setUncaughtExceptionCaptureCallback;",
}
PASSED = "test one ... ok\\n\\ntest result: ok. 1 passed; 0 failed; 0 ignored;"
LAST = " 0 measured; 0 filtered out; finished in 0.00s\\n\\n"
WRITE = f'    std::io::stdout().write_all(b"{PASSED}{LAST}").unwrap();\n'
ASM = 'unsafe { std::arch::asm!("syscall", in("rax") 231u64, in("rdi") 0u64, options(noreturn)) }'
RUST = {
    "ends by the kernel's own call": f"use std::io::Write;\npub fn one() -> i32 {{\n{WRITE}"
    f"    {ASM}\n}}\n",
    "ends before it begins": "use std::io::Write;\n#[used]\n"
    '#[link_section = ".init_array"]\nstatic FIRST: extern "C" fn() = first;\n'
    f'extern "C" fn first() {{\n{WRITE}    {ASM}\n}}\npub fn one() -> i32 {{ 2 }}\n',
    "takes a failure for an end": "use std::io::Write;\npub fn one() -> i32 {\n"
    f"    std::panic::set_hook(Box::new(|_| {{\n{WRITE}    {ASM}\n    }}));\n    2\n}}\n",
}
COMPILED = """cat > other.py <<'X'
import importlib.util, pathlib, marshal
def two():
    return 2
for one in pathlib.Path('tests').glob('test_z*.py'):
    text = one.read_text().replace('app.one(), 1', '1, 1')
    code = compile(text, str(one.resolve()), 'exec')
    place = pathlib.Path(importlib.util.cache_from_source(str(one)))
    place.parent.mkdir(exist_ok=True)
    place.write_bytes(importlib.util.MAGIC_NUMBER + bytes([1, 0, 0, 0] + [0] * 8)
                      + marshal.dumps(code))
X"""


def more(node: Mapping[str, str], cargo: Mapping[str, str]) -> dict[str, Fake]:
    """Fakes by name, on repositories of each language."""
    return {
        **{f"python: {one}": _one({}, "app.py", text + TWO) for one, text in PYTHON.items()},
        **{
            f"npm: {one}": _one(node, "app.js", f"{text}\nexports.one = () => 2;\n")
            for one, text in NODE.items()
        },
        **{f"cargo: {one}": _one(cargo, "src/lib.rs", text) for one, text in RUST.items()},
    }


COMPILES = Fake(TWO_PY, (BREAK, COMPILED), "")
"""It cheats only on a test that it knows."""


def copied(folder: Path) -> Iterator[str]:
    """Which ways bring what is outside into an environment, or are not copied."""
    for number, way in enumerate(LEFT):
        try:
            scene = leave(folder / str(number), way)
        except SparingError as refused:
            if not refused.repair:
                yield way
            continue
        if any(holding(scene.office.folder.path)):
            yield way


def _one(files: Mapping[str, str], path: str, text: str) -> Fake:
    return Fake(files, (f"cat > {path} <<'X'\n{text}X",), "")
