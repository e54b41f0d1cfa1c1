"""Makes it durable. The only room that knows DBOS; it wires the other rooms and decides nothing."""
