"""The terminal. Commands are loaded when they are used, so that help and status answer at once."""
