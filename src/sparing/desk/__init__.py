"""What the doors may ask and see. Never imports the engine, so it answers at once."""
