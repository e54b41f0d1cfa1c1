"""Workers that share a repository's features: who is alive, who has which, how work moves."""
