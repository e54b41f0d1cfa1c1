"""Good values of settings whose form does not depend on their name."""

from __future__ import annotations

from hypothesis import strategies as st

from sparing.config.table_forms import CountTable, PhraseTable
from sparing.config.value_forms import FolderPath, Switch, Value

PLAIN: dict[type, st.SearchStrategy[Value]] = {
    FolderPath: st.sampled_from(["docs", "docs/more features", ".github/x"]),
    Switch: st.booleans(),
    PhraseTable: st.sampled_from([(), ("spec: Goals", "plan: Steps | Order of Work")]),
}


def plain_values(kind: FolderPath | Switch | CountTable | PhraseTable) -> st.SearchStrategy[Value]:
    if not isinstance(kind, CountTable):
        return PLAIN[type(kind)]
    number = st.integers(kind.low, kind.high)
    lines = st.builds("{} {}".format, st.sampled_from(kind.known), number)
    return st.lists(lines, max_size=2).map(tuple)
