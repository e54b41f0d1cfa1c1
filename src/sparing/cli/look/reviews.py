"""`sparing show reviews`: iteration by reviewer."""

from __future__ import annotations

from pathlib import Path

from sparing.cli.options import print_json
from sparing.cli.screen import echo, show
from sparing.desk.gates import answers
from sparing.desk.office import open_office


def show_reviews(name: str, *, as_json: bool) -> None:
    from sparing.desk.reviews.reviews import decided, reviews

    office = open_office(Path.cwd(), reading=True)
    row = answers.find(office, name)
    rows, looks = reviews(office, row), decided(office, row)
    if as_json:
        print_json(
            feature=row.feature.id,
            reviews=[one.dump() for one in rows],
            looks=[one.dump() for one in looks],
        )
        return
    if not rows:
        echo(f"No reviewer has looked at feature {row.feature.id} yet.")
        return

    from sparing.report.reviews import reviews_page

    show(reviews_page(rows, looks))
