"""What a set-up may leave in its environment, to reach what is outside or to stop who copies it.

`{home}` is a folder of the user's, with a private key.
"""

from __future__ import annotations

KEY = "-".join(("private", "5even", "7ables"))
DEEP = "import os; [(os.mkdir({name!r}), os.chdir({name!r})) for _ in range({depth})]"
MANY, DEEPEST = DEEP.format(name="a" * 20, depth=300), DEEP.format(name="a", depth=3000)
LEFT = {
    "a pipe": "mkfifo .venv/pipe",
    "a socket": "python3 -c 'import socket as s; s.socket(s.AF_UNIX).bind(\".venv/s\")' || true",
    "a link as the environment": "rmdir .venv; ln -s {home} .venv",
    "links in it": "ln -s {home} .venv/home; ln -s {home}/.ssh/id .venv/id",
    "a hard link": "ln {home}/.ssh/id .venv/id || true",
    "a copy": "cp -rL {home}/.ssh .venv/ || true",
    "a folder without access": "mkdir .venv/shut; touch .venv/shut/f; chmod 000 .venv/shut",
    "folders that may only be read": "mkdir .venv/ro; touch .venv/ro/f; chmod 555 .venv/ro .venv",
    "links in a circle": "ln -s . .venv/loop; ln -s loop .venv/loop2",
    "a big hole": "truncate -s 200M .venv/hole",
    "a name that is not UTF-8": "touch \"$(printf '.venv/\\377')\"",
    "a program with another's powers": "cp /bin/true .venv/t; chmod 6755 .venv/t",
    "a repository": "mkdir -p .venv/.git/hooks; echo 'ref: refs/heads/x' > .venv/.git/HEAD",
    "a link in place of a file": "rm requirements.txt; ln -s {home}/.ssh/id requirements.txt",
    "a process that goes on": "(setsid sh -c 'while :; do date > .venv/beat; sleep 0.1; done'"
    " </dev/null >/dev/null 2>&1 &)",
    "the user's git settings": "git config --global core.hooksPath /tmp/x; touch .venv/x",
    "folders too deep to copy": f'cd .venv; python3 -c "{MANY}"',
}
