"""Errors on stderr: one form for ours and for click's, with a remedy and the nearest name."""

import click

from stallscope.errors import ExitCode, StallscopeError, UsageError


def report_error(error: StallscopeError) -> int:
    """Return the error's exit code after writing its message and remedy to stderr."""
    from harness.cli.terminal import colours, printable  # noqa: PLC0415 - start-up stays light

    head = click.style("stallscope: error:", fg="red", bold=True)
    click.echo(f"{head} {printable(error.message)}", err=True, color=colours())
    if error.remedy:
        click.echo(f"  remedy: {printable(error.remedy)}", err=True)
    return int(error.exit_code)


def report_usage(error: click.ClickException, command_path: str = "stallscope") -> int:
    """Return the exit code of a wrong command line; a group without a command shows its help.

    ``command_path``: the command, for errors of click's parser, which do not name it.
    """
    if isinstance(error, click.exceptions.NoArgsIsHelpError):
        error.show()
        return int(ExitCode.USAGE)
    return report_error(usage_error(error, command_path))


def usage_error(error: click.ClickException, command_path: str = "stallscope") -> UsageError:
    """Return click's error in our form: a sentence without a capital, the remedy apart."""
    context = error.ctx if isinstance(error, click.UsageError) else None
    remedy = f"see {context.command_path if context else command_path} --help"
    message = error.format_message()
    for kind, name in (("integer range", "whole number"), ("float range", "number")):
        message = message.replace(f"is not a valid {kind}", f"is not a {name}")
    if near := _nearest(error):
        message = message.partition(". (Did you mean")[0].partition(" Did you mean")[0]
        remedy = f"did you mean {near}? Otherwise {remedy}"
    message = message.strip().removesuffix(".")
    return UsageError(message[:1].lower() + message[1:], remedy)


def _nearest(error: click.ClickException) -> str:
    """Return the valid names next to a wrong one; empty if there is none near."""
    import difflib  # noqa: PLC0415 - only for a mistyped name

    if isinstance(error, click.NoSuchOption):
        names = list(error.possibilities or ())
        if not names and error.ctx is not None:
            options = [name for option in error.ctx.command.params for name in option.opts]
            names = difflib.get_close_matches(error.option_name, options, n=2)
        return " or ".join(names[:2])
    if isinstance(error, click.BadParameter) and isinstance(
        getattr(error.param, "type", None), click.Choice
    ):
        value = error.message.partition("'")[2].partition("'")[0]
        return " or ".join(difflib.get_close_matches(value, error.param.type.choices, n=2))  # type: ignore[union-attr]
    return getattr(error, "nearest", "")
