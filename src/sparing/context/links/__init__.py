"""Which sections of documents name each other, and what a change of one concerns."""
