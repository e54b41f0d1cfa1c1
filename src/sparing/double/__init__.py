"""A stand-in for the model: answers from a script, billed by the vendor's published cache rules."""
