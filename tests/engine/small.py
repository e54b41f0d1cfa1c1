"""A script for a feature of the smallest tier."""

SCRIPT = '''
[[turn]]
role = "builder"
stage = "plan"
iteration = 1
read = ["README.md"]
reply = "planned, at length\\n### HANDOFF\\n- **Status**: completed"
[[turn.edit]]
path = "{folder}/plan.md"
text = """# Plan

## Steps
1. Write the file.

## Done when
It is there, with its one line, and the repository's checks are as green as they were before.
"""

[[turn]]
role = "builder"
stage = "implement"
reply = "built\\n### HANDOFF\\n- **Status**: completed"
[[turn.edit]]
path = "made.txt"
text = "made"
[[turn.edit]]
path = "{folder}/implementation.md"
text = "# Implementation"

[[turn]]
role = "builder"
stage = "done"
reply = "done\\n### HANDOFF\\n- **Status**: completed"
[[turn.edit]]
path = "{folder}/summary.md"
text = """# Summary

## What changed
There is one more file, with its one line.
Nothing else is different, and the checks are as they were.
"""
'''
