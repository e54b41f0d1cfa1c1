"""Workers on a real Postgres: disturbed at random, counted, and compared with SQLite."""
