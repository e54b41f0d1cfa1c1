"""Good values of settings whose form does not depend on their name."""

from __future__ import annotations

from hypothesis import strategies as st

from sparing.config.table_forms import CountTable, PhraseTable
from sparing.config.value_forms import FolderPath, Switch, Value

PLAIN: dict[type, st.SearchStrategy[Value]] = {
    FolderPath: st.sampled_from(["docs", "docs/more features", ".github/x"]),
    Switch: st.booleans(),
    CountTable: st.sampled_from([(), ("plan 10",), ("plan 10", "done 5000")]),
    PhraseTable: st.sampled_from([(), ("spec: Goals", "plan: Steps | Order of Work")]),
}
