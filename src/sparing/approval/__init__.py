"""Which sections an approval saw, which changes it does not know, and what depends on those."""
