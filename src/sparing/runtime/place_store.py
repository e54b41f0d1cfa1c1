"""How a place is stored: the findings tracked by a review are kept as a separate text."""

from __future__ import annotations

import json

from sparing.codec import JsonObject
from sparing.records.folder import StateFolder
from sparing.stages.place import Place


def dump_place(folder: StateFolder, place: Place) -> JsonObject:
    """The JSON as stored; tracked findings are a separate text, since it is written often."""
    value = place.dump()
    if place.review is not None:
        followed = folder.keep_json(value["review"]["tracked"])
        value["review"] = {**value["review"], "tracked": followed}
    return value


def load_place(folder: StateFolder, value: JsonObject) -> Place:
    review = value.get("review")
    if review is None or not isinstance(review["tracked"], str):
        return Place.load(value)
    tracked = json.loads(folder.fetch(review["tracked"]))
    return Place.load({**value, "review": {**review, "tracked": tracked}})
