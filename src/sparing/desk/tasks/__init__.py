"""Single tasks of a feature: their state, and orders about them."""
