"""Models by their providers' own interfaces: a key is enough, no client is installed."""
