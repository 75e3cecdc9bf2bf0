"""`stallscope completion`: prints the script with which a shell completes commands and options."""

import click

SHELLS = ("bash", "zsh", "fish")
EXAMPLES = """\b
Examples:
  stallscope completion bash > ~/.local/share/bash-completion/completions/stallscope
  stallscope completion zsh > ~/.zfunc/_stallscope  (a directory of $fpath)
  stallscope completion fish > ~/.config/fish/completions/stallscope.fish
"""


@click.command(epilog=EXAMPLES)
@click.argument("shell", type=click.Choice(SHELLS))
def command(shell: str) -> None:
    """Print the script that completes commands and options in a shell.

    The script runs stallscope for each completion, so it does not have to be replaced after an
    update. bash must be 4.4 or later.
    """
    from click.shell_completion import get_completion_class  # noqa: PLC0415 - start-up stays light

    from harness.cli.command_line import group  # noqa: PLC0415 - it imports the commands

    completion = get_completion_class(shell)
    assert completion is not None, shell
    click.echo(completion(group, {}, "stallscope", "_STALLSCOPE_COMPLETE").source(), nl=False)
