"""Workers that share the features of a repository: who is alive, who has which, what travels."""
