"""Models through their providers' own APIs: a key is enough, no client is installed."""
