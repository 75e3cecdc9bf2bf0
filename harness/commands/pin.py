"""`stallscope pin`: pins the machine around a command, verifies by counters, puts all back."""

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
    """Show what is pinned, by whom, and whether it still holds; change nothing."""
    from harness.pin.session import chosen_place, show_status  # noqa: PLC0415 - start-up

    show_status(chosen_place(values, "stallscope pin status"), as_json=as_json)


@click.command("restore")
@machine_options
def restore(as_json: bool, **values: Any) -> None:
    """Put back what killed pins left behind; one that is held is refused."""
    from harness.pin.session import chosen_place, restore_and_report  # noqa: PLC0415 - start-up

    restore_and_report(chosen_place(values, "stallscope pin restore"), as_json=as_json)


VERBS = {"status": status, "restore": restore}


class PinCommand(click.Command):
    """A command that wraps another, or one of its verbs, where that is the first word."""

    def make_context(
        self,
        info_name: str | None,
        args: list[str],
        parent: click.Context | None = None,
        **extra: Any,
    ) -> click.Context:
        """Return the context of the verb named first; of the pin itself without one."""
        if args and args[0] in VERBS:
            name = f"{info_name} {args[0]}"
            return VERBS[args[0]].make_context(name, args[1:], parent, **extra)
        return super().make_context(info_name, args, parent, **extra)


@click.command(cls=PinCommand, epilog=EXAMPLES)
@request_options
@machine_options
@click.option("--dry-run", is_flag=True, help="Print the plan, and change nothing.")
@click.option("--allow-partial", is_flag=True, help="Do what this user may, leave out the rest.")
@click.argument("words", nargs=-1, type=click.UNPROCESSED, metavar="-- CMD...")
def command(
    words: tuple[str, ...], dry_run: bool, allow_partial: bool, as_json: bool, **values: Any
) -> int:
    """Pin sleep states, frequency and more around a command.

    Prints the plan, applies it, runs the command, shows by counters whether it held, and puts back
    what was there before, however it ends. Returns the command's status. Also: pin status (what
    is pinned, by whom), pin restore (what a killed pin left behind).
    """
    from harness.pin.session import (  # noqa: PLC0415 - start-up stays light
        chosen_place,
        run_and_report,
        show_plan,
    )

    request = pin_request(values)
    place = chosen_place(values, f"stallscope pin -- {' '.join(words[:1])}")
    if dry_run:
        show_plan(place, request, as_json=as_json)
        return 0
    if as_json:
        raise UsageError("--json tells the plan alone", "add --dry-run")
    if not words:
        raise UsageError("name the command to run pinned", "stallscope pin --profile bench -- make")
    return run_and_report(place, request, words, allow_partial=allow_partial)
