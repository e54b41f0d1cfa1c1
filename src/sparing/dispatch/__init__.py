"""From a brief to a paid reply: alternatives, choice, stored prompt, the paid call."""
