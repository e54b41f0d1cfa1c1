"""The words agents are given, as files a person can read and override.

`roles/` holds one file a role, `stages/` and `skills/` the tier stages, `blocks/` the rules that
several roles share, `turns/` what is asked for in one turn, `documents/` what the program writes
itself. A file here carries no artifact's text, no time and no path: what differs
between two dispatches is filled in by the composer, never written down in this folder.
"""
