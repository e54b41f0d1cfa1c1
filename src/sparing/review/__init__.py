"""When it is good enough: verdicts, the pass rule and the state of a review loop. Pure."""
