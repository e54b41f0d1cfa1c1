"""An agent at work, as real ones are: what it knows, wants, does and says."""
