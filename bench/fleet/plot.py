"""Throughput and cost per feature over the number of workers, as a small picture."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

WIDTH, HEIGHT, LEFT, TOP = 320, 200, 60, 30
PANELS = (
    ("rate", "dispatches per second (measured)", "{:.2f}"),
    ("processor", "seconds of processor per feature (measured)", "{:.1f}"),
    ("usd", "$ per feature (simulated)", "{:.4f}"),
)
HEAD = (
    '<svg xmlns="http://www.w3.org/2000/svg" width="{}" height="{}" font-family="sans-serif"'
    ' font-size="12">'
)


def plotted(rows: Sequence[Mapping[str, float]]) -> str:
    """An SVG with one panel a figure; the axis below is the number of workers."""
    parts = [HEAD.format(len(PANELS) * (WIDTH + LEFT), HEIGHT + 2 * TOP + 20)]
    for place, (name, title, form) in enumerate(PANELS):
        parts += _panel(place * (WIDTH + LEFT) + LEFT, [row[name] for row in rows], title, form)
        parts += [
            _text(place * (WIDTH + LEFT) + LEFT + _across(n, rows), TOP + HEIGHT + 18, str(label))
            for n, label in enumerate(int(row["workers"]) for row in rows)
        ]
    return "\n".join([*parts, "</svg>", ""])


def _panel(left: float, values: Sequence[float], title: str, form: str) -> list[str]:
    top = max(values) or 1.0
    points = [(left + _across(n, values), _up(value / top)) for n, value in enumerate(values)]
    line = " ".join(f"{x:.0f},{y:.0f}" for x, y in points)
    return [
        _text(left + WIDTH / 2 - 20, TOP - 12, title),
        f'<path d="M{left} {TOP} V{TOP + HEIGHT} H{left + WIDTH - 30}" fill="none" stroke="#888"/>',
        f'<polyline points="{line}" fill="none" stroke="#06c" stroke-width="2"/>',
        *(f'<circle cx="{x:.0f}" cy="{y:.0f}" r="3" fill="#06c"/>' for x, y in points),
        *(
            _text(x, y - 8, form.format(value))
            for (x, y), value in zip(points, values, strict=True)
        ),
    ]  # fmt: skip


def _across(number: int, all_of: Sequence[object]) -> float:
    return 20 + number * (WIDTH - 90) / max(1, len(all_of) - 1)


def _up(share: float) -> float:
    return TOP + HEIGHT - share * (HEIGHT - 30)


def _text(x: float, y: float, words: str) -> str:
    return f'<text x="{x:.0f}" y="{y:.0f}" text-anchor="middle">{words}</text>'
