"""What the user interfaces may ask for and see. Never imports the engine, so it answers at once."""
