"""Hands a secret to the client through a pipe: `python -I -S secret_pipe.py VARIABLE NAME argv…`.

The secret comes in the environment variable VARIABLE, which is removed; NAME then says from which
descriptor it can be read, once. Runs inside the sandbox, in place of the client, and uses nothing
but the standard library.
"""

import os
import sys


def main(variable: str, name: str, argv: list[str]) -> None:
    environment = dict(os.environ)
    secret = environment.pop(variable, "")
    reading, writing = os.pipe()
    os.write(writing, secret.encode())
    os.close(writing)
    os.set_inheritable(reading, True)
    os.execve(argv[0], argv, {**environment, name: str(reading)})


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], sys.argv[3:])
