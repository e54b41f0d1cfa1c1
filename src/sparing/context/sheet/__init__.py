"""The fact sheet: places that agents name, quoted by the program."""
