"""`stallscope pin`: pins machine settings around a command, verifies and restores them."""

from typing import Any

import click

from harness.pin.options import machine_options, pin_request, request_options
from stallscope.errors import UsageError

EXAMPLES = """\b
Examples:
  stallscope pin --profile bench --dry-run
  stallscope pin --profile bench --cpus 2 -- ./benchmark
  stallscope pin --states C1 --cpus 2,3 -- ./server
  stallscope pin --max-exit-latency 10 -- ./client
  stallscope pin --frequency base --no-turbo -- make
  stallscope pin status
  stallscope pin restore
"""


@click.command("status")
@machine_options
def status(as_json: bool, **values: Any) -> None:
    """Show pinned settings, their owners, and whether they still hold."""
    from harness.pin.session import pin_context, show_status  # noqa: PLC0415 - start-up

    show_status(pin_context(values, "stallscope pin status"), as_json=as_json)


@click.command("restore")
@machine_options
def restore(as_json: bool, **values: Any) -> None:
    """Restore the settings of pins that were killed; fail if a pin is still active."""
    from harness.pin.session import pin_context, restore_and_report  # noqa: PLC0415 - start-up

    restore_and_report(pin_context(values, "stallscope pin restore"), as_json=as_json)


VERBS = {"status": status, "restore": restore}


class PinCommand(click.Command):
    """A command that wraps another command, unless its first word is one of its verbs."""

    def make_context(
        self,
        info_name: str | None,
        args: list[str],
        parent: click.Context | None = None,
        **extra: Any,
    ) -> click.Context:
        """Return the context of the verb if the first word is one, else of the pin."""
        if args and args[0] in VERBS:
            name = f"{info_name} {args[0]}"
            return VERBS[args[0]].make_context(name, args[1:], parent, **extra)
        return super().make_context(info_name, args, parent, **extra)


@click.command(cls=PinCommand, epilog=EXAMPLES)
@request_options
@machine_options
@click.option("--dry-run", is_flag=True, help="Print the plan without changing anything.")
@click.option(
    "--allow-partial",
    is_flag=True,
    help="Skip settings that this user has no permission to change.",
)
@click.argument("words", nargs=-1, type=click.UNPROCESSED, metavar="-- CMD...")
def command(
    words: tuple[str, ...], dry_run: bool, allow_partial: bool, as_json: bool, **values: Any
) -> int:
    """Pin sleep states, frequency and more around a command.

    Prints the plan, applies it, runs the command, verifies the settings by counters, and restores
    the old values however the command ends. Returns the command's status. See also: pin status
    (pinned settings and their owners), pin restore (after a pin was killed).
    """
    from harness.pin.session import (  # noqa: PLC0415 - start-up stays light
        pin_context,
        run_and_report,
        show_plan,
    )

    request = pin_request(values)
    context = pin_context(values, f"stallscope pin -- {' '.join(words[:1])}")
    if dry_run:
        show_plan(context, request, as_json=as_json)
        return 0
    if as_json:
        raise UsageError("--json prints the plan only", "add --dry-run")
    if not words:
        raise UsageError(
            "name the command to run", "for example: stallscope pin --profile bench -- make"
        )
    return run_and_report(context, request, words, allow_partial=allow_partial)
