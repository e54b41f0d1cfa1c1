"""Secrets never get into a commit: 40 forms and more, known values, and few false alarms.

Covers: H5
"""

from __future__ import annotations

import base64
import sysconfig
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sparing.workspace.project.secret_rules import file_rule
from sparing.workspace.project.secrets import KNOWN, MOST_HITS, PIECE, Hit, scan
from tests.workspace.samples import SAMPLES, Sample, draw

ROOT = Path(__file__).resolve().parents[2]


def test_there_are_enough_forms() -> None:
    assert len({sample.name for sample in SAMPLES}) == len(SAMPLES) >= 40


@pytest.mark.parametrize("sample", SAMPLES, ids=lambda sample: sample.name)
def test_a_secret_is_stopped_at_its_line_and_not_repeated(sample: Sample) -> None:
    """H5: each form in the third line of a file; the hit names file and line, never the value."""
    text = f"import os\n\n{sample.line}\n# the end\n"
    hits = scan([("before.py", b"x = 1\n"), (sample.path, text.encode())])
    assert [(hit.path, hit.line) for hit in hits] == [(sample.path, 3)]
    assert sample.secret not in repr(hits)
    assert sample.secret not in hits[0].words


@pytest.mark.parametrize("sample", SAMPLES[:6], ids=lambda sample: sample.name)
def test_no_comment_and_no_encoding_hides_it(sample: Sample) -> None:
    """H5: nothing that an agent writes into the file switches the look-out off."""
    quiet = f"{sample.line}  # pragma: allowlist secret, noqa, nosec\n"
    assert len(scan([("a.py", quiet.encode())])) == 1
    assert len(scan([("a.py", quiet.encode("utf-16"))])) == 1
    assert len(scan([("a.bin", bytes(range(256)) + b"\n" + sample.secret.encode())])) == 1
    assert len(scan([("a.min.js", (" " * 5000 + sample.line + " " * 5000).encode())])) == 1


def test_values_we_know_are_found_in_any_form() -> None:
    """H5: exact match, also encoded, although nothing tells that this is a secret."""
    value = "horse battery staple"
    coded = base64.b64encode(b"x: " + value.encode() + b"!")
    texts = (value, value.encode().hex(), "horse%20battery%20staple", coded.decode())
    for text in texts:
        assert scan([("a.md", f"# title\nthe {text}\n".encode())], [value]) == (
            Hit("a.md", 2, KNOWN),
        )
    assert scan([("a.md", b"# title\n")], [value]) == ()
    assert scan([("a.md", b"true or not")], ["true", ""]) == ()


@given(st.text(min_size=8, max_size=40), st.text(max_size=20))
def test_whatever_is_known_is_found_and_not_told(value: str, before: str) -> None:
    hits = scan([("a", f"{before}{value}".encode("utf-8", "surrogatepass"))], [value])
    if "\ud800" <= max(value) <= "\udfff":
        return
    assert hits
    assert value not in repr(hits)


def test_a_file_can_give_it_away_by_its_name() -> None:
    value = draw("name", 20)
    (hit,) = scan([(f"logs/{value}.txt", b"")], [value])
    assert hit == Hit("logs/[redacted].txt", 0, "name of the file")
    assert hit.words == "logs/[redacted].txt: name of the file"


@pytest.mark.parametrize(
    ("path", "held"),
    [
        (".env", True),
        ("api/.env.production", True),
        (".env.example", False),
        (".envrc.md", False),
        ("keys/id_ed25519", True),
        ("keys/id_ed25519.pub", False),
        (".netrc", True),
        ("release.keystore", True),
        ("src/env.py", False),
    ],
)
def test_files_that_are_secrets_themselves(path: str, held: bool) -> None:
    assert (file_rule(path) is not None) is held
    assert [hit.line for hit in scan([(path, b"NOTHING=1\n")])] == ([0] if held else [])


@pytest.mark.parametrize(
    "line",
    [
        'API_KEY = os.environ["API_KEY"]',
        'token = "your-token-goes-here-1234"',
        'password: "${{ secrets.DEPLOY_PASSWORD }}"',
        'secret_name = "arn:aws:secretsmanager:eu-west-1:123:secret"',
        'url = "postgresql://postgres:postgres@localhost:5432/test"',
        'url = "https://user:password@example.com/"',
        'url = "redis://:changeme@redis:6379"',
        'key = "sk-ant-api03-xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"',
        "tokens = tokenizer.encode_batch_of_sentences_2(text)",
        'credentials = "path/to/service-account-file-2.json"',
        'password_field = "current_password_confirmation_2"',
        "region = 'ASIAPACIFICNORTHEAST'",
        "sha256 = '" + draw("digest", 64, "0123456789abcdef") + "'",
        "the task-ant-api03-of-the-day, a desk-proj-and-more-words-than-one-would-think-of",
    ],
)
def test_ordinary_lines_pass(line: str) -> None:
    """H5: a false alarm costs a turn."""
    assert scan([("app.py", line.encode()), ("ci.yaml", line.encode())]) == ()


def test_our_own_source_passes() -> None:
    files = [*ROOT.glob("src/**/*.py"), *ROOT.glob("tests/workspace/*.py")]
    assert len(files) > 50
    assert scan((str(path.relative_to(ROOT)), path.read_bytes()) for path in files) == ()


@pytest.mark.long
def test_few_false_alarms_in_the_standard_library() -> None:
    """H5: every tenth of its first 1,000 files here, all of them in `python -m bench.secrets`."""
    library = Path(sysconfig.get_path("stdlib"))
    files = sorted(p for p in library.rglob("*.py") if "site-packages" not in p.parts)[:1000:10]
    assert len(files) == 100
    assert scan((path.name, path.read_bytes()) for path in files) == ()


@pytest.mark.parametrize(
    "piece",
    [
        "eyJ",
        "eyJa.",
        "sk-",
        "://a:",
        "token='",
        "0",
        "-----BEGIN ",
        "\\n",
        "a_1.",
        "password=",
        "A",
    ],
)
def test_no_text_keeps_it_busy(piece: str) -> None:
    """H5: a line of half a megabyte is got through, whatever it is made of."""
    data = (piece * (500_000 // len(piece))).encode()
    scan([("a.py", data)], ["some-known-value"])


@pytest.mark.parametrize("sign", "_./:+-")
def test_no_value_keeps_it_busy(sign: str) -> None:
    """H5: whether it is words is found out in one pass."""
    assert scan([("a.py", f'token = "x1{sign * 60}!"\n'.encode())]) == ()


def test_hits_of_one_file_are_bounded() -> None:
    line = SAMPLES[0].line.encode() + b"\n"
    assert len(scan([("a.py", line * 1000)])) == MOST_HITS


@pytest.mark.parametrize("before", [PIECE - 20, PIECE - 5, PIECE, PIECE + 5])
def test_a_secret_where_two_pieces_meet(before: int) -> None:
    """H5: a long text is read in pieces; a value, and one over several lines, may lie in two."""
    value = "k7Hq-" + "92mVx4Lr-zz83"
    for spelled in (value, f"{value[:9]}\n    {value[9:]}"):
        text = f"{'x' * (before - 10)}\n{spelled}\n{'y' * 1000}\n{value}\n"
        lines = [2, text.count("\n")]
        found = scan([("a.txt", text.encode())], [value])
        assert [hit.line for hit in found] == lines
