"""What a client is asked before it is relied on: resume, entries of an hour, tools of ours."""
