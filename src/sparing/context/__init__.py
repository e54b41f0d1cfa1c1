"""Which words an agent gets, and how many.

Pure: texts come in, values and texts go out. Nothing here reads a file, runs a program or
looks at a clock, and the words of the prompts themselves live in `prompts`.
"""
