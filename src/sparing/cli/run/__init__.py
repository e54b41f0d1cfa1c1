"""Commands that run the engine, and what they print."""
