"""`sparing completion`: completion for a shell, including names of features."""

from __future__ import annotations

import click
from click.shell_completion import get_completion_class

from sparing.cli.screen import echo

VARIABLE = "_SPARING_COMPLETE"
PLACES = {
    "bash": "sparing completion bash >> ~/.bashrc",
    "zsh": "sparing completion zsh >> ~/.zshrc",
    "fish": "sparing completion fish > ~/.config/fish/completions/sparing.fish",
}
REGISTER = "\n    compdef "
LOAD_FIRST = "\n    (( $+functions[compdef] )) || { autoload -Uz compinit && compinit }"
"""In zsh `compdef` does not exist before the completion system is loaded, as for a new user."""

AT_COMMA, AT_FIRST_COMMA = 'string split "," ', 'string split -m 1 "," '
"""In fish, what Click writes cuts a description at its first comma."""


@click.command("completion")
@click.argument("shell", type=click.Choice(list(PLACES)))
@click.pass_context
def completion_command(context: click.Context, shell: str) -> None:
    """Print a completion script for bash, zsh or fish.

    \b
    sparing completion bash >> ~/.bashrc
    sparing completion zsh >> ~/.zshrc
    sparing completion fish > ~/.config/fish/completions/sparing.fish
    """
    maker = get_completion_class(shell)
    assert maker is not None
    command = context.find_root().command
    completer = maker(command, {}, "sparing", VARIABLE)
    script = completer.source_template % completer.source_vars()
    script = script.replace(REGISTER, f"{LOAD_FIRST}{REGISTER}")
    echo(script.replace(AT_COMMA, AT_FIRST_COMMA))
