"""Whether a Rust library can end the process of its tests, and say in their name that they passed.

Each test file is a program of its own there, so a test that must fail does not show it.
"""

from __future__ import annotations

import re

_ENDS = re.compile(
    # Of `std::process`, all but what starts other programs and waits for them.
    r"\bprocess\s*::\s*(?!(?:Command|Stdio|Output|Child|ExitStatus|id\b|\{[^}]*\}))\S"
    r"|\bprocess\s*::\s*\{[^}]*(?:\bexit\b|\babort\b|\bself\s+as\b|\*)|\bprocess\s+as\b"
    r"|\bCommandExt\b|\bunix::prelude\b"
    r"|extern\s+\"C|link_section|no_mangle|export_name|\basm!|\blibc::|\bnix::"
)
_PROGRAMS = re.compile(r"(^|/)(main\.rs|build\.rs|bin/.*|examples/.*)$")
_INCLUDED = re.compile(r"\binclude!\s*\(\s*\"([^\"]+)\"|#\[path\s*=\s*\"([^\"]+)\"\]")


def can_end_runner(path: str, before: str, now: str) -> bool:
    """Whether a Rust library can now end the process its tests run in: what they then say is its
    own, and no other test shows it."""
    is_library = not _PROGRAMS.search(path)
    return is_library and _ENDS.search(now) is not None and _ENDS.search(before) is None


def included_files(code: str) -> tuple[str, ...]:
    """Other files that are compiled as a part of this one, relative to its folder."""
    return tuple(one[1] or one[2] for one in _INCLUDED.finditer(code))
