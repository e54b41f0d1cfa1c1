"""The local page: the same values as the terminal shows, and the same answers."""
