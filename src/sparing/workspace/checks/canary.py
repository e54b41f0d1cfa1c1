"""A test that fails as long as its runner sees failures, in several languages.

It tries each common assertion on something false. If one of them lets it pass, the code under test
has replaced it, and so this test passes: it must not, and that is how one knows.
"""

from __future__ import annotations

import re

_PYTHON = """\
import unittest


class Test{mark}(unittest.TestCase):
    def test_{mark}(self):
        def plain():
            assert 1 == 2

        def raises():
            with self.assertRaises(KeyError):
                pass

        checks = [
            lambda: self.assertEqual(1, 2),
            lambda: self.assertEqual([1], [2]),
            lambda: self.assertEqual({{1: 1}}, {{1: 2}}),
            lambda: self.assertEqual("1", "2"),
            lambda: self.assertNotEqual(1, 1),
            lambda: self.assertTrue(False),
            lambda: self.assertFalse(True),
            lambda: self.assertIn(1, []),
            lambda: self.assertNotIn(1, [1]),
            lambda: self.assertIs(self, None),
            lambda: self.assertIsNone(self),
            lambda: self.assertIsNotNone(None),
            lambda: self.assertIsInstance(1, str),
            lambda: self.assertGreater(1, 2),
            lambda: self.assertLess(2, 1),
            lambda: self.assertAlmostEqual(1, 2),
            lambda: self.assertRegex("a", "b"),
            lambda: self.fail(),
            raises,
        ] + [plain] * __debug__
        for check in checks:
            try:
                check()
            except Exception:
                continue
            return
        raise AssertionError
"""
_FUNCTION = """\
def test_{mark}():
    try:
        import pytest
    except ImportError:
        pytest = None

    def plain():
        assert 1 == 2

    def contains():
        assert "a" in "b"

    def raises():
        with pytest.raises(KeyError):
            pass

    def close():
        assert 1 == pytest.approx(2)

    for check in [plain, contains] * __debug__ + [raises, close] * (pytest is not None):
        try:
            check()
        except BaseException:
            continue
        return
    raise AssertionError
"""
_OF_FUNCTIONS = re.compile(r"^(?:async )?def test", re.MULTILINE)
_SCRIPT = """\
;(() => {{
  const assert = typeof require === "function"
    ? require("assert") : process.getBuiltinModule("assert");
  const checks = [
    () => assert(false), () => assert.ok(false), () => assert.throws(() => {{}}),
    () => assert.equal(1, 2), () => assert.strictEqual(1, 2), () => assert.notStrictEqual(1, 1),
    () => assert.deepEqual([1], [2]), () => assert.deepStrictEqual([1], [2]),
    () => assert.match("a", /b/),
  ];
  if (typeof expect === "function") checks.push(
    () => expect(1).toBe(2), () => expect([1]).toEqual([2]), () => expect(true).toBeFalsy(),
  );
  const passes = (check) => {{ try {{ check(); return true; }} catch {{ return false; }} }};
  const fail = () => {{ throw new Error("{mark}"); }};
  if (checks.some(passes)) return;
  // mocha records the failures of all files in one process, so one more must be recorded there.
  const recorded = ["it", "before"].every((name) => typeof globalThis[name] === "function");
  const chosen = process.argv.some((word) => /^(-[fgi]$|--f?grep|--invert)/.test(word));
  if (!recorded) fail();
  else if (chosen) globalThis.before(fail);
  else globalThis.it("{mark}", fail);
}})();
"""
_GO = """\
package {package}

import "testing"

func Test{name}(t *testing.T) {{ t.Fail() }}
"""


def python_canary(test: str, mark: str) -> str:
    """Written like the test beside it, because runners treat functions and classes differently.

    Imports nothing of the product: a runner of Python loads all tests into one process.
    """
    form = _FUNCTION if _OF_FUNCTIONS.search(test) else _PYTHON
    return form.format(mark=mark)


def script_canary(test: str, mark: str) -> str:
    """After the text of a test, and so with the product it loads: runners separate the files."""
    return f"{test}\n{_SCRIPT.format(mark=mark)}"


def go_canary(package: str, mark: str) -> str:
    return _GO.format(package=package, name=mark.capitalize())
