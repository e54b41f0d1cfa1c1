"""Which sections an approval covers, which changes came after it, and what depends on those."""
