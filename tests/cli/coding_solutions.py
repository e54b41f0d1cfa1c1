"""One right answer to each coding task of `sparing eval`: whole files, by path."""

from __future__ import annotations

SOLUTIONS: dict[str, dict[str, str]] = {
    "off by one": {"pages.py": "def pages(total, size):\n    return -(-total // size)\n"},
    "empty input": {"stats.py": "def mean(v):\n    return sum(v) / len(v) if v else 0.0\n"},
    "rename": {
        "store.py": "ROWS = {'a': 1}\n\n\ndef load(key):\n    return ROWS[key]\n",
        "report.py": "from store import load\n\n\ndef line(key):\n"
        "    return f'{key}: {load(key)}'\n",
        "totals.py": "import store\n\n\ndef total(keys):\n    return sum(map(store.load, keys))\n",
    },
    "new module": {
        "slug.py": "import re\n\n\ndef slug(title):\n"
        "    return re.sub('[^a-z0-9]+', '-', title.lower()).strip('-')\n"
    },
    "new function": {
        "lists.py": "def first(items, default=None):\n"
        "    return items[0] if items else default\n\n\n"
        "def unique(items):\n    return list(dict.fromkeys(items))\n"
    },
    "long file": {
        "big.py": "\n\n".join(
            f"def step_{n}():\n    return {1500 if n == 150 else n}\n" for n in range(300)
        )
    },
    "same line twice": {
        "limits.py": "def upload():\n    return 20\n\n\ndef download():\n    return 10\n"
    },
    "three files": {f"{n}.py": f"VERSION = '2'\nNAME = '{n}'\n" for n in "abc"},
    "failing test": {
        "clock.py": "def hours(seconds):\n    return f'{seconds // 3600}:{seconds // 60 % 60:02}'\n"
    },
    "find the place": {
        "shop/rules.py": "RATES = {'guest': 0.0, 'member': 0.2}\n\n\n"
        "def rate(kind):\n    return RATES[kind]\n"
    },
    "parameter through layers": {
        "app.py": "from text import format_name\n\n\ndef greet(name, shout=False):\n"
        "    return f'Hello, {format_name(name, shout)}'\n",
        "text.py": "def format_name(name, shout=False):\n"
        "    return name.strip().upper() if shout else name.strip().title()\n",
    },
    "error message": {
        "net.py": "def port(text):\n    found = int(text)\n    if not 1 <= found <= 65535:\n"
        "        raise ValueError('port out of range')\n    return found\n"
    },
    "dead code": {"maths.py": "def add(*numbers):\n    return sum(numbers)\n"},
    "parse a line": {
        "parse.py": "def parse(line):\n    line = line.strip()\n"
        "    if not line or line.startswith('#'):\n        return None\n"
        "    key, sign, value = line.partition('=')\n    if not sign:\n"
        "        raise ValueError(line)\n    return key.strip(), value.strip()\n"
    },
    "move a function": {
        "main.py": "from shapes import area\n\n\ndef describe(w, h):\n"
        "    return f'{w} by {h} is {area(w, h)}'\n",
        "shapes.py": "def area(w, h):\n    return w * h\n",
    },
    "sorted output": {
        "tally.py": "from collections import Counter\n\n\ndef tally(words):\n"
        "    return sorted(Counter(words).items(), key=lambda one: (-one[1], one[0]))\n"
    },
    "mutable default": {
        "basket.py": "def add(item, to=None):\n    to = [] if to is None else to\n"
        "    to.append(item)\n    return to\n"
    },
    "settings file": {
        "settings.ini": "[server]\nhost = a\nport = 80\ntimeout = 30\n\n[client]\nhost = b\n"
    },
    "recursion": {
        "flat.py": "def flatten(items):\n    found = []\n    for one in items:\n"
        "        found += flatten(one) if isinstance(one, list) else [one]\n    return found\n"
    },
    "class method": {
        "stack.py": "class Stack(list):\n    push = list.append\n\n"
        "    def peek(self):\n        return self[-1]\n"
    },
}
