"""Which text an agent gets, and how much of it.

Pure functions: text in, values and text out. Nothing here reads a file, runs a program or reads the
clock; the wording of the prompts lives in `prompts`.
"""
