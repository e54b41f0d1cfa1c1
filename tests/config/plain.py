"""Good values of settings whose form does not depend on their name."""

from __future__ import annotations

from hypothesis import strategies as st

from sparing.config.kinds import Counts, Folder, Switch, Value

PLAIN: dict[type, st.SearchStrategy[Value]] = {
    Folder: st.sampled_from(["docs", "docs/more features", ".github/x"]),
    Switch: st.booleans(),
    Counts: st.sampled_from([(), ("plan 10",), ("plan 10", "done 5000")]),
}
