"""Single tasks of a feature: how they stand, and orders about them."""
