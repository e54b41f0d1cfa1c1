"""A realistic agent at work: what it knows, wants, does and says."""
