"""Prompts as segments: the brief, the two orders, the delta, the words of a turn."""
